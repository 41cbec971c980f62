"""Python, Ruby, Perl, PHP, Lua, R, Julia, Elixir, Tcl, awk and Vim script."""

from coatcheck_core.synopsis.code.language import Language

_END = r"[ \t]*(?:#[^\n]*)?\r?$"
"""Nothing but a comment up to the end of the line."""

_PYTHON = Language(
    "python",
    comments="python",
    hints="self. __init__",
    words="import from def class return if elif else for while try except with raise self async await yield print"
    " assert pass del global lambda nonlocal @property @staticmethod @classmethod @pytest None True cls"
    " super cdef cpdef ctypedef cimport",
    signs=(
        (4, r"(?:async[ \t]+)?def[ \t]+\w+[ \t]*\((?:[^\n]*\)[^\n]*:(?:[ \t]*\.\.\.)?" + _END + r"|[^\n){]*\r?$)"),
        (4, r"class[ \t]+\w+[ \t]*(?:\([^\n)]*\))?:" + _END),
        (4, r"from[ \t]+[.\w]+[ \t]+import[ \t]+[\w(*]"),
        (3, r"import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*" + _END),
        (3, r"(?:el)?if[ \t(][^\n{;]*:" + _END),
        (3, r"(?:while|for|with|except|async[ \t]+(?:for|with))\b[^\n{;]*:" + _END),
        (2, r"(?:try|else|finally):" + _END),
        (3, r"(?:self|cls)\.\w+"),
        (2, r"raise[ \t]+[A-Z]\w*|assert[ \t]+[^\n;]*[^;\s]\r?$|yield[ \t]+[^\n;]*[^;\s]\r?$"),
        (2, r"return\b[^\n;{]*[^\n;{\s]" + _END),
        (2, r"print\([^\n]*\)" + _END),
        (3, r"(?:cdef|cpdef|ctypedef|cimport)[ \t]+[^\n;]*[^;\n]\r?$|from[ \t]+[\w.]+[ \t]+cimport\b"),
        (1, r"[A-Za-z_]\w*:[ \t]+[\w.\[\], |\"']+\r?$"),
        (1, r"@\w[\w.]*(?:\([^\n]*)?\r?$|pass" + _END),
        (
            1,
            r"[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?(?:[ \t]*:[ \t]*[\w.\[\], |]+)?[ \t]*[-+|]?=[ \t]*[^=\n;{]*[^;{\s]"
            + _END,
        ),
        (1, r"[a-z_][\w.]*\([^\n;{]*" + _END),
        (1, r"[\"'][^\"'\n]*[\"'](?::[^\n;]*|),\r?$|\([^\n;{]*\),\r?$"),
        (-2, r"[^\n]*[;{][ \t]*\r?$"),
        (-2, r"(?:function|var|let|const|func|fn|pub|my|end|then|fi|done|esac|local|begin)\b"),
    ),
    symbols=r"def[ \t]+\w[^\n]*|class[ \t]+\w[^\n]*|async[ \t]+def[ \t]+\w[^\n]*|cp?def[ \t]+\w[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:class|def|async[ \t]+def)[ \t]+\w[^\n]*",
    imports=r"from[ \t]+[.\w]+[ \t]+import[ \t]*+(?:\((?:[^)\n]*+\n(?!from\b|import\b)){0,80}[^)\n]*+\)?|[\w*][^\n]*)"
    r"|import[ \t]+[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[^\n]*)?[ \t]*(?=[#;\r\n]|\Z)",
    starts="acdfi",
    first=r"#!.*\bpython|#.*coding[:=][ \t]*[-\w.]+.*\n(?:import|from|\"\"\")",
)

_RUBY = Language(
    "ruby",
    comments="hash",
    hints=".each .new( attr_ &.",
    words="require require_relative module class def end attr_accessor attr_reader attr_writer include extend if unless"
    " elsif else case when do begin rescue ensure yield puts raise return private protected alias it describe context"
    " assert_equal task gem source group spec s let before expect",
    signs=(
        (4, r"require(?:_relative)?[ \t]*\(?['\"][^'\"\n]+['\"]\)?" + _END),
        (4, r"(?:class|module)[ \t]+[A-Z][\w:]*(?:[ \t]*<[ \t]*[\w:.]+(?:\([^\n]*\))?)?(?:[ \t]*;[ \t]*end)?" + _END),
        (4, r"def[ \t]+(?:self\.)?[\w]+[?!=]?[ \t]*(?:\([^\n]*\)|[a-z_&*][^\n:(]*)?" + _END),
        (4, r"attr_(?:accessor|reader|writer)[ \t]+:\w"),
        (3, r"[^\n]*[ \t](?:do|\{)[ \t]*\|[^|\n]+\|" + _END),
        (3, r"[^\n{;]*[^\n{;:][ \t]do" + _END),
        (2, r"(?:unless|elsif|rescue|ensure|when)\b[^\n{;]*[^{;:\s]\r?$|(?:ensure|rescue)\r?$"),
        (2, r"end(?:[.)][^\n]*|[ \t]+(?:if|unless|while)[^\n]*)?" + _END),
        (3, r"(?:include|extend|prepend)[ \t]+[A-Z][\w:]*" + _END),
        (3, r"(?:puts|raise|yield|private|protected|alias_method)(?:[ \t]+[^\n;]*)?" + _END),
        (3, r"@{1,2}\w+[ \t]*(?:\|\|)?=|[a-z_]+[ \t]+:\w+(?:,|" + _END + ")"),
        (2, r"(?:if|while)[ \t][^\n{;:]*[^{;:,\s]\r?$"),
        (2, r"(?:it|describe|context|task|namespace|gem|source|group)[ \t]+['\":]\w"),
        (1, r"[a-z_][\w.]*[ \t]*\|?\|?=[ \t]*[^\n;{]*[^;{\s]\r?$"),
        (1, r"[a-z_][\w.]*[ \t]+['\":@][^\n;]*[^;\s]\r?$"),
        (-2, r"[^\n]*;[ \t]*\r?$|(?:function|local|then|var|let|const|fi|done|import)\b"),
    ),
    symbols=r"(?:[ ]{2}|\t)?(?:class|module)[ \t]+[A-Z<][^\n]*|def[ \t]+\w[^\n]*",
    members=r"(?:[ ]{2,6}+|\t{1,3}+)(?![ \t\r\n}/*#])(?:def|attr_\w+)[ \t]+[^\n]*",
    imports=r"(?:require|require_relative|load|gem)[ \t]*\(?[ \t]*['\"][^\n]*",
    first=r"#!.*\bruby|#[ \t]*frozen_string_literal|#.*-\*-[ \t]*ruby",
)

_PERL = Language(
    "perl",
    comments="perl",
    hints="$_ ->{ <<'END' =~ @_ $self @{",
    words="use my our sub package return if elsif else unless foreach for while print die push shift local require"
    " no BEGIN __END__ __PACKAGE__ open close sprintf printf eval last next"
    " warn delete $self is ok like plan done_testing $",
    signs=(
        (
            4,
            r"(?:use|no)[ \t]+(?:strict|warnings|vars|utf8|parent|base|constant|lib|overload|feature"
            r"|[A-Z]\w*(?:::\w+)*|v?5[\d._]*)\b[^\n]*;",
        ),
        (4, r"(?:my|our|local|state)[ \t]*\(?[ \t]*[$@%][\w{]"),
        (4, r"sub[ \t]+[\w:]+[ \t]*(?:\([^)\n]*\)[ \t]*)?(?:\{[^\n]*|;|:[ \t]*\w+[^\n]*|)" + _END),
        (4, r"package[ \t]+[\w:]+(?:[ \t]+v?[\d._]+)?[ \t]*[;{]|return[ \t]*<<"),
        (3, r"[$@%]\{?\$?[A-Za-z_]\w*(?:::\w+)*\}?(?:->|[ \t]*(?:[.|&+*/-]|\|\||//)?=(?![=>])|\[|\{|[ \t]*=~)"),
        (3, r"\}?[ \t]*(?:els)?if[ \t]*\([ \t]*(?:!|not|\()*[ \t]*[$@%]"),
        (3, r"(?:foreach|for|while|unless)[ \t]*(?:my[ \t]+)?(?:\$\w+[ \t]*)?\([ \t]*(?:!|\()*[ \t]*[$@%\w<]"),
        (
            3,
            r"(?:push|unshift|shift|pop|splice|keys|die|print|printf|warn|delete|chomp|return|join|open"
            r"|close)\b[ \t(]*[^\n]*[$@%]\w[^\n]*;",
        ),
        (2, r"(?:return|die|print|next|last|redo|warn|exit)\b[^\n]*(?:;|\bif\b|\bunless\b)"),
        (2, r"__(?:END|DATA|PACKAGE)__"),
        (1, r"[\w:]+(?:->\w+)+[^\n]*;|[^\n]*=>[^\n]*,\r?$|[^\n]*[$@%][\w{]+[^\n]*[;{(,]\r?$"),
        (1, r"(?:ok|is|like|isnt|is_deeply|plan|done_testing|eval|BEGIN)\b[^\n]*[;{(,]\r?$"),
        (-3, r"(?:function|var|const|let|then|fi|done|esac|elif|def|import|public|private|namespace|echo)\b"),
    ),
    symbols=r"(?:sub[ \t]+[\w:]+|package[ \t]+[\w:]+|(?:BEGIN|END|INIT)[ \t]*\{)[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])sub[ \t]+\w[^\n]*",
    imports=r"(?:use|require)[ \t]+(?:[A-Z]\w*(?:::\w+)*|parent|base|lib)\b[^\n]*",
    first=r"#!.*\bperl|.*-\*-[ \t]*(?:mode:[ \t]*)?c?perl",
)

_PHP = Language(
    "php",
    comments="php",
    hints="<?php $this-> ->get",
    words="<?php namespace use class function public private protected return if foreach final abstract interface trait"
    " echo throw $this $ declare require require_once include static const try catch elseif parent self ?> case",
    signs=(
        (6, r"<\?php\b"),
        (4, r"namespace[ \t]+\w+(?:\\\w+)*[ \t]*[;{]"),
        (4, r"use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?\w+(?:\\\w+)+[^\n]*[;{]"),
        (
            4,
            r"(?:(?:abstract|final|static|public|private"
            r"|protected)[ \t]+)*function[ \t]+&?\w+[ \t]*\([^\n]*(?:\$\w"
            r"|\)[ \t]*(?::[ \t]*\??[\w\\|]+)?[ \t]*[{;]?\r?$)",
        ),
        (
            4,
            r"(?:public|private|protected|var|static)[ \t]+(?:static[ \t]+|readonly[ \t]+)*(?:\??[\w\\|]+[ \t]+)?\$\w+",
        ),
        (4, r"\$this->\w+|(?:return|throw|yield|echo|print)\b[^\n]*\$\w+[^\n]*;"),
        (3, r"\$\w+(?:->\w+|\[[^\]\n]*\])*[ \t]*(?:[.+|?-]*=|->|\(|\+\+)[^\n]*"),
        (3, r"\}?[ \t]*(?:if|elseif|foreach|while|for|switch|catch)[ \t]*\([^\n]*\$\w+"),
        (
            3,
            r"(?:require|include)(?:_once)?\b[^\n]*;|declare\(strict_types|(?:return[ \t]+)?(?:self|static"
            r"|parent)::\$?\w+",
        ),
        (2, r"(?:(?:final|abstract|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+\w+[^\n;=(]*\r?$"),
        (2, r"(?:\?>|echo\b[^\n]*;|return[ \t]+new[ \t]+\w|throw[ \t]+new[ \t]+\\?\w)"),
        (1, r"(?:['\"][^'\"\n]*['\"][ \t]*=>|return\b|const[ \t]+[A-Z_]+[ \t]*=|case[ \t])"),
        (-3, r"(?:my|our|local|sub|fi|done|then|esac|let|def|import|fn|pub)\b"),
    ),
    symbols=r"(?:(?:abstract|final|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+\w[^\n]*"
    r"|function[ \t]+&?\w[^\n]*|namespace[ \t]+\w[^\n]*",
    members=r"(?:[ ]{2,8}+|\t{1,2}+)(?![ \t\r\n}/*#])(?:(?:abstract|final|static|public|private"
    r"|protected)[ \t]+)*+function[ \t]+&?\w[^\n]*",
    imports=r"use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?\w++(?:\\\w++)*+[^\n]*;"
    r"|(?:require|include)(?:_once)?\b[^\n]*;",
    first=r"<\?php\b|#!.*\bphp",
)

_LUA = Language(
    "lua",
    comments="dash",
    hints="~=",
    words="local function end return if elseif else for while repeat until require then do self",
    signs=(
        (4, r"local[ \t]+function[ \t]+\w+[ \t]*\("),
        (4, r"local[ \t]+[\w, \t]+=[ \t]*(?:require\b|[^\n;]+)" + r"[ \t]*(?:--[^\n]*)?\r?$"),
        (3, r"local[ \t]+[a-zA-Z_][\w, \t]*\r?$"),
        (3, r"function[ \t]+[\w.:]+[ \t]*\([^\n){]*\)[ \t]*(?:[^\n{]*\bend)?[ \t]*(?:--[^\n]*)?\r?$"),
        (4, r"(?:if|elseif)\b[^\n]*\bthen\b(?!;)[^\n]*"),
        (3, r"for[ \t]+[\w, \t]+(?:=|in\b)[^\n;]*\bdo\b|while\b[^\n]*\bdo\r?$|repeat\r?$|until\b"),
        (2, r"end[ \t]*[),;}]*[ \t]*(?:--[^\n]*)?\r?$|return[ \t]+[^\n;]*;?\r?$|else\r?$"),
        (3, r"[\w.]+[ \t]*=[ \t]*function[ \t]*\("),
        (2, r"[\w.]+:\w+[ \t]*[({\"']|[^\n]*\bnil\b|[^\n]*~=|[^\n]*[^.]\.\.[^.]"),
        (1, r"[\w.\[\]\"]+[ \t]*=[ \t]*[^=\n;$][^\n;]*\r?$|[\w.]+\([^\n;]*\)\r?$"),
        (-3, r"(?:fi|done|esac|def|class|import|var|let|const|my|sub|begin|unless|elif|echo|export|set|call)\b|[$@#]"),
    ),
    symbols=r"(?:local[ \t]+)?function[ \t]+\w[^\n]*|(?:local[ \t]+)?[\w.]+[ \t]*=[ \t]*function\b[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:(?:local[ \t]+)?function[ \t]+\w"
    r"|[\w.]+[ \t]*=[ \t]*function\b)[^\n]*",
    imports=r"(?:local[ \t]+[\w, \t]+=[ \t]*)?require\b[ \t]*\(?['\"][^\n]*",
    first=r"#!.*\blua",
)

_R = Language(
    "r",
    comments="hash",
    hints="<- %>% ggproto( c(",
    words="library require function if for else return while stopifnot source test_that expect_equal setMethod setClass"
    " UseMethod NextMethod stop cat print data plot par x ggplot",
    signs=(
        (5, r"(?:['\"`][^'\"`\n]+['\"`]|[\w.]+)[ \t]*(?:<-|=)[ \t]*function[ \t]*\("),
        (4, r"[A-Za-z.][\w.$\[\]\"@,: \t()]*[ \t]*<<?-[ \t]*[^\n-]"),
        (3, r"(?:library|require|suppressPackageStartupMessages|requireNamespace)\([\w.\"'()]+[^\n]*\)" + _END),
        (
            4,
            r"(?:test_that|expect_\w+|setMethod|setClass|setGeneric|UseMethod|NextMethod|stopifnot"
            r"|devAskNewPage|tibble)\(",
        ),
        (3, r"[^\n]*(?:%>%|%in%|\|>|%\w*%)"),
        (2, r"[^\n]*\b(?:TRUE|FALSE|NULL|NA|is\.null|is\.na|c\()"),
        (2, r"(?:else[ \t]+)?if[ \t]*\([^\n]*\)[ \t]*(?:\{|[^\n;]*)\r?$|for[ \t]*\(\w+[ \t]+in[ \t]"),
        (1, r"[\w.]+\([^\n;]*\)?[ \t]*[,+]?\r?$|[\w.]+[ \t]*=[ \t]*[^\n;]+,\r?$|#'"),
        (-2, r"[^\n]*;[ \t]*\r?$|(?:def|class|import|var|let|const|my|sub|fi|done|local|end|func|fn|export)\b"),
    ),
    symbols=r"(?:['\"`][^'\"`\n]+['\"`]|[\w.]+)[ \t]*(?:<-|=)[ \t]*(?:function\b|R6Class|ggproto)[^\n]*"
    r"|set(?:Method|Class|Generic)\([^\n]*|test_that\([^\n]*",
    members=r"[A-Za-z.][\w.$]*[ \t]*<-[ \t]*[^\n]*",
    imports=r"(?:library|require|source)\([^\n]*",
    first=r"#!.*\bRscript",
)

_JULIA = Language(
    "julia",
    comments="hash",
    words="using import module function end struct mutable abstract macro if elseif for while return const export begin"
    " let println @test @testset include",
    signs=(
        (4, r"using[ \t]+[.]*[A-Z][\w.]*(?:[ \t]*[,:][^\n;]*)?" + _END),
        (4, r"(?:mutable[ \t]+)?struct[ \t]+[A-Z]\w*(?:\{[^\n]*\})?(?:[ \t]*<:[^\n]*)?" + _END),
        (4, r"function[ \t]+[\w.!]+(?:\{[^}\n]*\})?\([^\n]*\)[^\n{;]*" + _END),
        (4, r"abstract[ \t]+type[ \t]+\w|macro[ \t]+\w+\(|@(?:test|testset|inline|assert|show|time|info)\b"),
        (4, r"[\w.!]+\([^\n=]*(?:::[\w{},. ]+)[^\n=]*\)[^\n=]*=[ \t]*[^\n;]+" + _END),
        (2, r"module[ \t]+[A-Z]\w*" + _END + r"|export[ \t]+[a-zA-Z@][\w!]*(?:,[^\n;]*)?" + _END),
        (
            2,
            r"(?:end|begin|else)"
            + _END
            + r"|(?:if|elseif|while|for)\b[^\n{;:]*[^{;:\s]\r?$|\w+::[A-Z]\w*(?:\{[^\n]*\})?"
            + _END,
        ),
        (2, r"println\([^\n;]*\)\r?$|\w+!\("),
        (1, r"[\w.\[\]]+[ \t]*[-+*/.]?=[ \t]*[^=\n;{]+\r?$|return\b[^\n;]*\r?$"),
        (-3, r"[^\n]*;[ \t]*\r?$|(?:def|class|local|then|fi|done|require|var|my|sub|do|attr_\w+|puts|fn|unless)\b|[$]"),
    ),
    symbols=r"(?:function|macro|(?:mutable[ \t]+)?struct|abstract[ \t]+type|module|const)[ \t]+\w[^\n]*"
    r"|\w+!?\([^\n=]*\)[ \t]*=[^=\n][^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:function|macro|struct)[ \t]+\w[^\n]*",
    imports=r"(?:using|import)[ \t]+[.A-Z][^\n]*",
    first=r"#!.*\bjulia",
)

_ELIXIR = Language(
    "elixir",
    comments="hash",
    words="defmodule def defp defmacro defstruct alias import use require @moduledoc @doc @spec @type end do"
    " test assert"
    " case cond with config describe defdelegate @impl |",
    signs=(
        (6, r"defmodule[ \t]+[A-Z][\w.]*[ \t]+do\r?$"),
        (5, r"(?:defp?|defmacrop?|defguard|defdelegate)[ \t]+[\w?!]+[^\n]*(?:\bdo:?|,|\))[^\n]*\r?$"),
        (4, r"@(?:moduledoc|doc|spec|type|impl|callback|behaviour|typedoc|opaque)\b"),
        (4, r"(?:alias|import|use|require)[ \t]+[A-Z][\w.]*(?:\.\{[^\n]*|,[^\n]*)?" + _END),
        (4, r"\|>[ \t]*\w|(?:test|describe)[ \t]+\"[^\n]*\bdo\r?$|[^\n]*\bfn\b[^\n]*->"),
        (3, r"(?:\{:|%\{|:\w+[ \t]*->|defstruct\b|config[ \t]+:|_[ \t]*->)"),
        (2, r"[^\n]*[ \t]do\r?$|end[)\],]*\r?$|[^\n]*[ \t]->[^\n]*"),
        (1, r"assert(?:_raise)?[ \t]+|\w+[ \t]*=[ \t]*[^\n;{]+\r?$"),
        (-2, r"[^\n]*;[ \t]*\r?$|(?:class|function|local|var|let|const|my|sub|fi|done|attr_\w+|puts|elsif|then)\b"),
    ),
    symbols=r"(?:[ ]{2})?(?:defmodule|defprotocol|defimpl)[ \t]+\w[^\n]*|def\w*[ \t]+[\w][^\n]*",
    members=r"[ ]{2,4}(?:defp?|defmacrop?|defguard|defdelegate|test|describe)[ \t]+[\w\"][^\n]*",
    imports=r"[ ]{0,4}(?:alias|import|use|require)[ \t]+[A-Z][^\n]*",
    first=r"#!.*\belixir",
)

_TCL = Language(
    "tcl",
    comments="hash",
    hints="[list ::tk $w [string",
    words="proc set puts if else elseif foreach while return namespace package variable global lappend incr expr switch"
    " source catch test upvar array string bind pack wm",
    signs=(
        (5, r"proc[ \t]+[\w:.-]+[ \t]+(?:\{[^\n]*|\w+[ \t]*\{)"),
        (4, r"package[ \t]+(?:require|provide|ifneeded)[ \t]"),
        (4, r"namespace[ \t]+(?:eval|export|import|ensemble|current)\b|(?:upvar|uplevel)[ \t]+[\d#$]"),
        (3, r"set[ \t]+[\w:()$,.-]+[ \t]+(?:[\[\"{$\d-]|\w+" + _END + ")"),
        (
            4,
            r"(?:\}[ \t]*else)?if[ \t]+\{[^\n]*\}[ \t]*(?:\{|then|\\)?|foreach[ \t]+(?:\w+"
            r"|\{[^\n}]*\})[ \t]+[\[${\w]|while[ \t]+\{",
        ),
        (
            3,
            r"(?:lappend|incr|puts|variable|global|unset|append|switch|catch|array|string|dict"
            r"|return)\b[ \t]+[^\n;(=]*\r?$",
        ),
        (2, r"\}[ \t]*(?:else|elseif)\b[^\n]*\{\r?$|(?:bind|pack|grid|wm|ttk::\w+|msgcat::\w+|::\w[\w:]*)\b[ \t]"),
        (1, r"[^\n]*\[[a-z:]+[ \t]+[^\]\n]*\]|\}\r?$"),
        (-1, r"[^\n]*[;(,][ \t]*\r?$"),
        (-2, r"(?:function|var|let|const|my|sub|fi|done|then|def|import|class|echo|export)\b"),
    ),
    evidence=r"[^\n]*(?:\$\w|\[[a-z]|\{)|[ \t]*+(?:proc|package|namespace)[ \t]",
    symbols=r"(?:proc|oo::class|namespace[ \t]+eval|method)[ \t]+[\w:][^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:proc|method)[ \t]+[\w:][^\n]*",
    imports=r"(?:package[ \t]+require|source)[ \t]+[^\n]*",
    first=r"#!.*\b(?:tclsh|wish|expect)",
)

_AWK = Language(
    "awk",
    comments="hash",
    words="BEGIN END function print printf if for while next getline split gsub sub",
    signs=(
        (5, r"(?:BEGIN|END)[ \t]*\{"),
        (4, r"(?:/[^\n/]+/|\$\d+[ \t]*[~=!<>]|NR[ \t]*[=><%]|NF\b|!?\(?\$\w+)[^\n]*\{"),
        (3, r"function[ \t]+\w+[ \t]*\([\w, \t]*\)[ \t]*\{?" + _END),
        (3, r"[^\n]*\$(?:\d|NF|i\b|\()|[^\n]*\b(?:NR|NF|FS|OFS|RS|ORS|FILENAME|FNR|RSTART|SUBSEP)\b"),
        (3, r"(?:printf?|next|getline|gsub|sub|split)\b[^\n]*[^\n;]\r?$"),
        (1, r"[\w\[\], \"]+[ \t]*[+-]?=[^\n]*|for[ \t]*\(\w+[ \t]+in[ \t]|if[ \t]*\(|\}"),
        (-3, r"(?:my|our|use|local|fi|done|var|let|const|def|import|class|then|echo|export|return[ \t][^\n]*;)\b"),
    ),
    symbols=r"function[ \t]+\w[^\n]*|(?:BEGIN|END)[ \t]*\{?[^\n]*|/[^\n]*\{[^\n]*",
    first=r"#!.*\bg?m?n?awk",
)

_VIM = Language(
    "vim",
    comments="quote",
    hints="<SID> s: endif",
    words="let if endif function function! endfunction syn syntax hi highlight call set setlocal autocmd au command"
    " nnoremap noremap map echo execute exe finish return else elseif for endfor while endwhile try endtry"
    " runtime hi! def"
    " unlet augroup silent vim9script enddef",
    signs=(
        (5, r"(?:if|elseif)\b[^\n{;]*\b(?:exists|has)\(|let[ \t]+[bgswlav]:\w+|unlet!?[ \t]+[bgslw]:|finish\r?$"),
        (
            5,
            r"(?:fu(?:n(?:ction)?)?!?|endf(?:unction|unc)?|def|export[ \t]+def|enddef)[ \t]+(?:<SID>|s:|g:"
            r"|[A-Z]|\w+#)|endf(?:u|unction|unc)\r?$",
        ),
        (5, r"(?:syn(?:tax)?)[ \t]+(?:match|region|keyword|cluster|case|sync|on|off|clear|include)\b"),
        (5, r"(?:hi(?:ghlight)?!?)[ \t]+(?:def(?:ault)?\b|link\b|clear\b|\w+[ \t]+(?:gui|cterm|term))|HiLink[ \t]"),
        (4, r"(?:[nvxioc]?(?:nore)?map!?|[nvxio]unmap)[ \t]+<"),
        (4, r"(?:setlocal|set)[ \t]+(?:no)?[a-z]+(?:[-+^]?=[^\n]*|!|&\w*|<|[ \t][^\n=]*)?\r?$"),
        (4, r"au(?:tocmd|group)?!?[ \t]+[A-Z*]|com(?:mand)?!?[ \t]+-|runtime!?[ \t]|CompilerSet[ \t]"),
        (3, r"(?:let|const|var)[ \t]+[&@$\w.:\[\]'#]+[ \t]*[.+-]?=(?!=)[^\n;{]*[^;\n{]\r?$|call[ \t]+[\w:#.<>]+\("),
        (3, r"(?:endif|endfor|endwhile|endtry|endwhile|endfunc|augroup[ \t]+END|catch\b|else)\r?$"),
        (2, r"exe(?:cute)?[ \t]+['\"]|echo(?:msg|err|hl)?[ \t]|norm(?:al)?!?[ \t]|silent!?[ \t]|\\[ \t]"),
        (1, r"(?:if|elseif|while|for|return)\b[^\n{;]*[^\n{;]\r?$"),
        (-3, r"[^\n]*[;][ \t]*\r?$|(?:fi|done|esac|my|sub|import[ \t]+\w+\r?$|class|elif|then|local)\b"),
    ),
    symbols=r"(?:export[ \t]+)?(?:fu(?:n(?:ction)?)?!?|def!?|com(?:mand)?!?|aug(?:roup)?)[ \t]+(?!END\b)[\w:<#-][^\n]*",
    members=r"(?:syn(?:tax)?|hi(?:ghlight)?!?|let)[ \t]+\w[^\n]*",
    imports=r"(?:runtime!?|source|so|import(?:[ \t]+autoload)?)[ \t]+[^\n]*",
    first=r"\"[^\n]*\bVim\b[^\n]*|vim9script|UseVimball",
)

SCRIPTING = (_PYTHON, _RUBY, _PERL, _PHP, _LUA, _R, _JULIA, _ELIXIR, _TCL, _AWK, _VIM)
