"""JavaScript, TypeScript, style sheets, Vue and Svelte components."""

from coatcheck_core.synopsis.code.language import Dialect, Language

_CONTROL = r"(?!(?:if|for|while|switch|catch|function|return|else|do|with|await|new|throw|typeof|super|this)\b)"
_SCRIPT_WORDS = (
    "import export const let var function class return if else for while switch case default async await"
    " try catch throw"
    " new module exports describe it test expect this $ interface type enum declare namespace public private readonly"
    " static abstract constructor get set break continue typeof void super require define Object window document"
)
_TYPED = (
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:"
    r"interface[ \t]+[A-Z]\w*[^\n;=(]*\{"
    r"|type[ \t]+[A-Z$_]\w*(?:<[^\n]*>)?[ \t]*=|(?:const[ \t]+)?enum[ \t]+\w+[ \t]*\{"
    r"|(?:namespace|module)[ \t]+[\w.\"'/@*-]+[ \t]*\{|abstract[ \t]+class[ \t]+\w)"
)
_ANNOTATED = (
    r"[\w)\]?][ \t]*\??:[ \t]*(?:string|number|boolean|void|any|unknown|never|object|Promise<|Array<"
    r"|Record<|ReadonlyArray<|Partial<"
    r"|readonly[ \t])[\w<>\[\], |&{}]*[ \t]*[,;)={|\]\r\n]"
)

_TYPESCRIPT = Dialect(
    "typescript",
    r"^[ \t]*(?:"
    + _TYPED
    + r"|(?:import|export)[ \t]+type[ \t{]|declare[ \t]+(?:global|const|function|module|class|let|var|type)\b"
    r"|(?:public|private|protected|readonly|override)[ \t]+(?:(?:static|readonly|async|abstract|get"
    r"|set)[ \t]+)*[\w$#]+[ \t]*[?!]?[ \t]*[:(=;<]"
    r"|(?:export[ \t]+)?(?:const|let|function)[ \t]+\w+[ \t]*:[ \t]*[A-Za-z{(\[]"
    r"|constructor\((?:[ \t]*(?:private|public|protected|readonly)[ \t]))"
    r"|"
    + _ANNOTATED
    + r"|\)[ \t]*:[ \t]*[A-Za-z][\w.<>\[\], |&{}'\"]*[ \t]*(?:=>|\{|;)[ \t]*\r?$|\b\w+[ \t]+is[ \t]+[A-Z]\w*[ \t]*[{;]"
    r"|\bas[ \t]+(?:const|any|unknown|string|[A-Z]\w*)[ \t]*[;,)\]}.\r\n]|\bsatisfies[ \t]+[A-Z]"
    r"|^[ \t]*(?:readonly[ \t]+)?[\w$]+\??:[ \t]*[^\n,{}]*(?:\[\]|\|)?[^\n,{}]*;\r?$"
    r"|(?:implements|extends)[ \t]+\w+<|\bkeyof[ \t]|\benum[ \t]+[A-Z]\w+[ \t]*\{",
    least=2,
)

_CERTAINLY_TYPESCRIPT = Dialect(
    "typescript",
    r"^[ \t]*(?:"
    + _TYPED
    + r"|(?:export[ \t]+)?declare[ \t]+(?:global|const|function|module|class|let|var|type|enum|namespace)\b"
    r"|export[ \t]+type[ \t]*[\w{]|import[ \t]+type[ \t{])",
)
_JAVASCRIPT = Language(
    "javascript",
    comments="c",
    hints="=> === function( .prototype ){ module.exports (){",
    words=_SCRIPT_WORDS,
    signs=(
        (
            4,
            r"import[ \t]+(?:type[ \t]+)?(?:[\w*{$][^\n;]*[ \t]from[ \t]+)?['\"][^'\"\n]+['\"]"
            r"|import[ \t]*(?:type[ \t]*)?\{[^\n;]*\r?$",
        ),
        (
            4,
            r"export[ \t]+(?:default\b|const\b|let\b|var\b|async\b|function\b|class\b|type\b|interface\b"
            r"|declare\b|abstract\b|enum\b|\*[ \t]*(?:as[ \t]+\w+[ \t]*)?from|\{)",
        ),
        (
            4,
            r"(?:const|let|var)[ \t]+[^\n=;]*=[ \t]*(?:await[ \t]+)?(?:require\(|import\(|\(?[^\n=]*=>"
            r"|async\b|function\b)",
        ),
        (
            3,
            r"(?:const|let|var)[ \t]+(?:[\w$]+|[{\[][^\n=;]*)[ \t]*(?::[ \t]*[^\n=]+)?(?:=(?!=)|;|,|\r?$"
            r"|[ \t]+(?:of|in)[ \t])",
        ),
        (
            4,
            r"(?:async[ \t]+)?function\b[ \t]*\*?[ \t]*[\w$]*[ \t]*(?:<[^\n>]*>)?\([^\n]*\)?[^\n;]*\{?"
            r"|[!;(+][ \t]*(?:async[ \t]+)?(?:function\b|\(\)[ \t]*=>)",
        ),
        (4, r"(?:module\.exports|exports\.[\w$]+)[ \t]*=|define\(\[|['\"]use (?:strict|client)['\"]|require\(['\"]"),
        (
            3,
            r"[\w$.]+\.prototype\b|[\w$.]+[ \t]*=[ \t]*(?:async[ \t]*)?(?:function\b|\([^\n)]*\)[ \t]*=>)"
            r"|[\w$'\"]+:[ \t]*(?:async[ \t]*)?function\b",
        ),
        (4, _TYPED),
        (
            3,
            r"\}?[ \t]*(?:else[ \t]+if|if|while|switch|catch)[ \t]*\([^\n]*(?:===|!==|typeof\b|\.length\b"
            r"|instanceof\b|=>)",
        ),
        (2, r"(?:describe|it|test|beforeEach|afterEach|expect|console\.\w+|setTimeout|Promise\.\w+|jQuery|\$)\("),
        (2, r"[^\n]*(?:=>[ \t]*[{(\[\w]|===|!==|\bundefined\b|\btypeof[ \t]|\bawait[ \t])"),
        (2, r"(?:this|window|document|Object|Math|JSON|Array)\.\w+|\}?\.(?:then|catch|map|forEach|filter|reduce)\("),
        (
            2,
            r"(?:class[ \t]+\w+(?:<[^\n]*>)?(?:[ \t]+extends[ \t]+[\w.$]+(?:<[^\n]*>)?)?(?:[ \t]+implements["
            r" \t][^\n]*)?[ \t]*\{)",
        ),
        (
            2,
            r"(?:public|private|protected|readonly|static)[ \t]+(?:(?:static|readonly|async|abstract|get"
            r"|set)[ \t]+)*[\w$#]+[ \t]*\??[:(=;][^\n]*",
        ),
        (2, r"</?[A-Z]\w*(?:\.\w+)?(?:[ \t>/]|\r?$)|\{[/*]?[^\n]*\}[ \t]*</\w|className="),
        (1, r"return\b[^\n]*[;{(\[]?\r?$|(?:async[ \t]+)?" + _CONTROL + r"[\w$#]+[ \t]*\([^\n]*\)[ \t]*\{\r?$"),
        (
            1,
            r"(?:case\b[^\n]*:|default:|break;|continue;|throw[ \t]+new[ \t]+\w+|new[ \t]+\w|try[ \t]*\{"
            r"|\}[ \t]*(?:else|finally)[ \t]*\{|for[ \t]*\()",
        ),
        (1, r"[\w$]+\??:[ \t]*[^\n]*[,;{\[]\r?$|\}\)?;?,?\r?$|[\w$.]+\([^\n]*\);?\r?$|[\w$.\[\]]+[ \t]*=[ \t]*[^\n]*"),
        (
            -3,
            r"(?:#include|#define|#ifn?def|#endif|package[ \t]+[\w.]+;"
            r"|import[ \t]+(?:static[ \t]+)?[\w.]+(?:\.\*)?;|using[ \t]|namespace[ \t]+[A-Z][\w.]*\r?$"
            r"|def[ \t]|elif|local|end\r?$|fi\b|done\b|func[ \t]|fn[ \t]|fun[ \t]|my[ \t]|sub[ \t]"
            r"|struct[ \t]|std::|@Override|extern[ \t]|unsigned[ \t]|template[ \t]*<|val[ \t])",
        ),
    ),
    symbols=r"(?:export[ \t]+(?!\*|\{|type[ \t]*\{|import\b)[^\n]*|(?:async[ \t]+)?function\b[^\n]*|(?:class"
    r"|interface|enum|namespace)[ \t]+[\w$][^\n]*"
    r"|(?:declare|abstract)[ \t]+\w[^\n]*|type[ \t]+[\w$]+(?:<[^\n]*>)?[ \t]*=[^\n]*"
    r"|(?:const|let|var)[ \t]+[\w$]++[^\n=]*+=[ \t]*+(?:async\b|function\b|class\b|\w++[ \t]*=>|\([^\n]*=>"
    r"|\(\r?(?=\n)|React\.|forwardRef|memo\()[^\n]*"
    r"|(?:module\.exports|exports\.[\w$]+|[A-Z][\w$]*+(?:\.prototype)?\.[\w$.]++)[ \t]*=[^=][^\n]*)",
    members=r"(?:[ ]{2,4}+|\t)(?=[\w$#])(?:(?:function\b|async[ \t]+function\b|export[ \t])[^\n]*"
    r"|(?:(?=[pasgor])(?:public|private|protected|static|async|get|set|override|abstract|readonly)[ \t]++)*+"
    + _CONTROL
    + r"[\w$#]++[ \t]*+(?:(?:<[^\n>]*>)?\([^\n]*\{\r?(?=\n|\Z)|[:=][ \t]*(?:async[ \t]*)?(?:function\b"
    r"|\([^\n=]*\)[ \t]*=>)[^\n]*))",
    imports=r"import\b[ \t]*+(?![(.])(?:[^;'\"\n]*+\n(?!import\b|export\b"
    r"|\r?\n)){0,80}[^;'\"\n]*+(?:['\"][^'\"\n]*['\"];?)?"
    r"|(?:const|let|var)[ \t]+[^\n=;]*=[ \t]*(?:\w+\()?require\([^\n]*|export[ \t]+(?:\*"
    r"|\{[^\n}]*\})[^\n]*\bfrom\b[^\n]*|require\(['\"][^\n]*",
    first=r"#!.*\b(?:node|deno|bun|ts-node|tsx)\b|['\"]use (?:strict|client|server)['\"]",
    starts="a-zA-Z",
    dialects=(_CERTAINLY_TYPESCRIPT, _TYPESCRIPT),
)

_PROPERTIES = (
    "color background background-color margin margin-top margin-left margin-right margin-bottom padding padding-left"
    " padding-right padding-top padding-bottom font font-size font-family font-weight display position"
    " width height border"
    " border-radius border-bottom border-top top left right bottom float overflow line-height text-align"
    " text-decoration"
    " opacity cursor z-index content flex transform transition animation src max-width min-width"
    " min-height vertical-align"
)

_CSS = Language(
    "css",
    comments="c",
    hints="px; !important :hover margin: display: rgba( @media color:",
    words=_PROPERTIES
    + " @media @import @charset @font-face @keyframes @use @include @mixin @extend @if @forward @supports"
    " @function @return @each . # a ul li table body html div td th h1 h2 p -webkit-transition -moz-transition --",
    signs=(
        (
            4,
            r"@(?:media|import|charset|font-face|(?:-\w+-)?keyframes|supports|use|forward|include|mixin"
            r"|extend|function|layer|tailwind|apply|page)\b[^\n]*[;{]\r?$",
        ),
        (4, r"(?:" + "|".join(_PROPERTIES.split()) + r")[ \t]*:[ \t]*[^\n{]*(?:;|\}|\r?$)"),
        (3, r"(?:-(?:webkit|moz|ms|o)-[\w-]+|--[\w-]+|\$[\w-]+)[ \t]*:[ \t]*[^\n{]+;?"),
        (3, r"(?:[.#&*:\[]|&)[-\w.:#\[\]=\"'()>+~*, \t^$|]*(?:\{[^\n]*|,)\r?$"),
        (
            3,
            r"(?:a|ul|ol|li|table|body|html|div|span|td|th|tr|h[1-6]|p|pre|code|img|input|button|label|form"
            r"|select|textarea|section|nav|header|footer|main|dl|dt|dd|thead|tbody|from|to|\d+(?:\.\d+)?%)"
            r"(?:[-.:#\[ >+~,][-\w.:#\[\]=\"'()>+~*, \t]*)?(?:\{[^\n]*|,)\r?$",
        ),
        (2, r"[a-z]+(?:-[a-z]+)+[ \t]*:[ \t]*[^\n{;]+;\r?$|@(?:if|else|each|for|return|while|content)\b"),
        (1, r"\}[ \t]*\r?$|[a-z-]+:[ \t]*[^\n;{]+;\r?$|@[a-z-]+"),
        (
            -3,
            r"(?:function|var|let|const|return|if|import|def|class|public|private|static|#include|#define"
            r"|struct|end|for|while)\b",
        ),
    ),
    symbols=r"(?:@(?:media|font-face|(?:-\w+-)?keyframes|supports|mixin|function|layer|page)\b"
    r"|[-.#*:\[\]&\w%][^\n;{}]*+\{)[^\n]*",
    members=r"(?:\$|--)[\w-]+[ \t]*:[^\n]*",
    imports=r"@(?:import|use|forward|charset)\b[^\n]*",
    first=r"@charset[ \t]",
    dialects=(
        Dialect(
            "scss",
            r"^[ \t]*(?:\$[\w-]+[ \t]*:|@(?:include|mixin|use|forward|extend|function|return|each|if"
            r"|else)\b|&[-.:\w ]|%[a-z][\w-]*[ \t]*\{)|#\{|^@import[ \t]+[\'\"][^\'\"\n.]+[\'\"]"
            r"|^[ \t]+[\w-]+:[^\n;{}]*;[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*[&.#>+~*:\w\[][^\n{};]*\{",
            least=1,
        ),
        Dialect("less", r"^[ \t]*(?:@[\w-]+:[ \t]|\.[\w-]+\([^\n]*\)[ \t]*[;{]|@plugin\b)|~\"|\.mixin", least=1),
    ),
)

_VUE = Language(
    "vue",
    comments="html",
    words="<template <script <style </template </script </style <div <span import const export return",
    signs=(
        (6, r"<template(?:>|[ \t]+(?:lang|functional)\b)|<script[ \t]+setup\b"),
        (3, r"</(?:template|script|style)>|<style[ \t]+(?:scoped|lang)|<script(?:>|[ \t]+lang=)"),
        (
            3,
            r"[^\n]*(?:[ \t]v-(?:if|for|model|else|bind|on|show|slot)\b|[ \t]@[\w.-]+=\"|[ \t]:[\w-]+=\""
            r"|\{\{[^\n]*\}\})",
        ),
        (1, r"</?\w[\w-]*"),
    ),
    symbols=r"<(?:template|script|style)\b[^\n]*|(?:export|const|function|async)[ \t]+[^\n]*",
    members=r"[ ]{2,4}(?:async[ \t]+)?" + _CONTROL + r"[\w$]+[ \t]*\([^\n]*\{\r?(?=\n|\Z)",
    imports=r"import\b[ \t][^\n]*",
    first=r"<template>[ \t]*\r?$|<script[ \t]+setup[^\n>]*>|<script(?:[ \t]+lang=\"ts\")?>[ \t]*\r?\n(?:import"
    r"|export|[ \t]*/)",
)

_SVELTE = Language(
    "svelte",
    comments="html",
    words="<script </script <style {#if {#each {/if {/each {:else {@html",
    signs=(
        (6, r"\{(?:#(?:if|each|await|key)|/(?:if|each|await|key)|:else|@(?:html|const|render))\b"),
        (3, r"</?script|[^\n]*[ \t](?:on|bind|class|use|transition):\w+"),
        (1, r"</?\w[\w-]*"),
    ),
    symbols=r"<(?:script|style)\b[^\n]*|(?:export|function|async)[ \t]+[^\n]*",
    members=r"(?:[ ]{2}|\t)(?:export|function|async)[ \t]+[^\n]*",
    imports=r"(?:[ ]{2}|\t)?import\b[ \t][^\n]*",
)

WEB = (_JAVASCRIPT, _CSS, _VUE, _SVELTE)
