"""Shell, fish, PowerShell and batch files."""

from coatcheck_core.synopsis.code.language import Language

_SHELL = Language(
    "shell",
    comments="hash",
    hints=";; $( ${ $1 ]]",
    words="if then else elif fi for do done while case esac function local export echo return exit set shift"
    " source . [ [[ test"
    " cd mkdir rm cp mv cat grep sed readonly declare trap eval exec unset printf read until break sudo"
    " apt-get git docker"
    " typeset alias complete COMPREPLY compgen shopt",
    signs=(
        (
            5,
            r"(?:el)?if[ \t]+[^\n]*;[ \t]*then\b|(?:el)?if[ \t]+(?:!|\[\[?|test|command|grep|which|type"
            r"|\$)[^\n]*|then\r?$|fi\b|esac\b|done\b|do\r?$|elif\b",
        ),
        (
            5,
            r"(?:for[ \t]+\w+[ \t]+in\b|for[ \t]*\(\(|while[ \t]+(?:read|\[|:|true|!|getopts|\(\()"
            r"|until[ \t]+|case[ \t]+[\"$]?[^\n]*[ \t]in\b)[^\n]*",
        ),
        (4, r"(?:function[ \t]+)?[\w:.-]+[ \t]*\(\)[ \t]*(?:\{[^\n]*|\(|#[^\n]*|)\r?$|function[ \t]+[\w:.-]+[ \t]*\{"),
        (
            4,
            r"(?:local|export|readonly|declare|typeset)[ \t]+(?:-\w+[ \t]+)*\w+(?:=[^\n]*[^;{\n])?\r?$"
            r"|shift(?:[ \t]+\d)?[ \t]*(?:;;)?\r?$|set[ \t]+[-+][a-zA-Z]+(?:[ \t]*[;&#]|\r?$"
            r"|[ \t]+(?:pipefail|--))|trap[ \t]|\[\[?[ \t]+[^\n]*\]\]?[ \t]*(?:&&|\|\||;|\r?$)",
        ),
        (-2, r"[^\n]*\$\([A-Z_]{2,}\)"),
        (3, r"[A-Za-z_]\w*\+?=(?![ \t]+\S)[^\n]*(?:\$[({]|`)[^;\n]*\r?$"),
        (2, r"[A-Za-z_]\w*\+?=(?:[\"'$(`/\w.-][^\n]*|)[^;\n]?\r?$|[\w*?|.\"'-]+\)[ \t]*(?:[^\n]*;;)?\r?$|;;\r?$"),
        (
            3,
            r"(?:echo|printf)\b[^\n]*[^;\n]\r?$|(?:source|\.)[ \t]+[\"$./~][^\n]*|(?:cd|mkdir|rm|cp|mv"
            r"|chmod|chown|exec|eval|sudo|apt-get|unset|grep|sed|cat)[ \t]+[-\"$./~\w][^\n]*\r?$"
            r"|exit(?:[ \t]+[\d$\"][^\n]*)?\r?$",
        ),
        (
            1,
            r"(?:awk|ln|touch|git|docker|curl|wget|tar|kill|sleep|test|make|pip|npm|find|install|return"
            r"|read|break|continue)(?:[ \t]+[^\n]*)?\r?$",
        ),
        (
            2,
            r"[^\n]*(?:\$\{?\w+[}\"/]?|\$\(|`\w[^`\n]*`|\|[ \t]*(?:grep|sed|awk|xargs|sort|head|tail|tr|cut"
            r"|wc)\b|>[ \t]*/dev/null|2>&1|<<-?['\"]?EOF|\\\r?$|&&|\|\|)[^\n]*",
        ),
        (1, r"--?\w[\w-]*[ \t]*(?:\||\))|else\r?$|\}\r?$|\{\r?$|[a-z_][\w-]*(?:[ \t]+-\w|[ \t]+[\"$])[^\n;]*\r?$"),
        (
            -3,
            r"(?:my|our|sub|use|def|class|import|var|let|const|end|endif|public|private|package|func|fn"
            r"|puts|proc|elsif|endfunction|#include|from|FROM|RUN|set[ \t]+\w+=|goto|rem|@echo)\b"
            r"|[$]\w+[ \t]*=|[^\n]*\)[ \t]*;\r?$",
        ),
    ),
    symbols=r"(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\(\))[^\n]*",
    members=r"(?:(?:export|readonly|declare|alias)[ \t]+)?[A-Za-z_]\w*=[^\n]*",
    imports=r"(?:source|\.)[ \t]+[\"'$./~\w][^\n]*",
    first=r"#!.*\b(?:ba|z|k|da|a|mk)?sh\b|#compdef\b|.*-\*-[ \t]*(?:mode:[ \t]*)?sh(?:ell-script)?\b"
    r"|#[ \t]*shellcheck[ \t]|#[ \t]*bash completion",
)

_FISH = Language(
    "fish",
    comments="hash",
    words="function end set if complete switch case test string begin",
    signs=(
        (
            5,
            r"complete[ \t]+-c[ \t]|set[ \t]+-[lgxUq]+[ \t]+\w|function[ \t]+[\w-]+(?:[ \t]+-[^\n]*"
            r"|[ \t]*)\r?$|end\r?$",
        ),
        (
            3,
            r"(?:if|and|or|not|else[ \t]+if)[ \t]+(?:test|set|not|string|type|command)\b[^\n]*[^;\n]\r?$"
            r"|string[ \t]+(?:match|replace|split)|switch[ \t]+[(\"$]",
        ),
        (1, r"case[ \t]|test[ \t]|echo[ \t]"),
        (-3, r"(?:then|fi|done|esac|def|class|local|var|let|proc|return[ \t]+[^\n\d])|[^\n]*;[ \t]*\r?$|[^\n]*[{}]"),
    ),
    symbols=r"function[ \t]+[\w-]+[^\n]*",
    members=r"complete[ \t][^\n]*|set[ \t]+-[^\n]*",
    imports=r"source[ \t][^\n]*",
    first=r"#!.*\bfish",
)

_POWERSHELL = Language(
    "powershell",
    comments="hash",
    hints="$_ -eq Write- [string] -Path",
    words="function param $ [ if else foreach try catch return Write-Host Import-Module throw Set-StrictMode"
    " Export-ModuleMember <# #> switch"
    " begin process end Param Write-Output Write-Verbose Function elseif",
    signs=(
        (
            6,
            r"(?:function|filter|Function)[ \t]+(?:global:"
            r"|script:)?[A-Za-z]+-?[A-Za-z:]*[ \t]*(?:\([^\n]*)?\{?\r?$|\[(?:CmdletBinding|Parameter"
            r"|OutputType|Validate\w+|Alias)\b|(?i:param)[ \t]*\(\r?$",
        ),
        (4, r"\$(?:script:|global:|env:|local:|PSScriptRoot|_\.|ErrorActionPreference|null\b|true\b|false\b)"),
        (4, r"[A-Z][a-z]+-[A-Z]\w+(?:[ \t]|\r?$)|[^\n]*\|[ \t]*(?:Where|ForEach|Select|Sort|Out|Format|Measure)-\w+"),
        (
            4,
            r"[^\n]*[ \t(]-(?:eq|ne|gt|lt|ge|le|and|or|not|match|like|notmatch|contains|notlike|is|join"
            r"|replace|f)\b[ \t]",
        ),
        (
            3,
            r"\$\w+(?:\.\w+|\[[^\]\n]*\])*[ \t]*\+?=[ \t]*[^\n]*[^;\n]\r?$|\[(?:string|int|bool|switch"
            r"|Parameter|System\.[\w.]+|[A-Z]\w*)(?:\[\])?\][ \t]*\$|\[[\w.]+\]::\w+",
        ),
        (
            1,
            r"(?:if|elseif|foreach|while|switch)[ \t]*\([^\n]*\$|else[ \t]*\{|try[ \t]*\{|\}\r?$|return\b"
            r"|\.[A-Z]+\b|\w+[ \t]*=[ \t]*[^\n;]+\r?$",
        ),
        (
            -3,
            r"(?:my|our|sub|use|def|import|var|let|const|fi|done|then|<\?php|echo[ \t]+\$\w+;|public"
            r"|private|namespace)\b|[^\n]*->|\$\w+[^\n]*;\r?$",
        ),
    ),
    symbols=r"(?:function|filter|Function|class|enum|configuration)[ \t]+[\w:-]+[^\n]*",
    members=r"\$[\w:]+[ \t]*=[^\n]*",
    imports=r"(?:Import-Module|using[ \t]+(?:module|namespace)|\.[ \t]+[\"$.\\])[^\n]*",
    first=r"#!.*\bpwsh|#[ \t]*(?:requires|Requires)[ \t]+-|<#\r?$",
)

_BATCH = Language(
    "batch",
    comments="rem",
    words="@echo echo set SET if IF goto rem REM call exit setlocal for @rem pause @setlocal ECHO GOTO ::"
    " endlocal CALL :",
    signs=(
        (
            6,
            r"@(?i:echo)[ \t]+(?i:off|on)\b|@?(?i:setlocal|endlocal)\b|(?i:goto)[ \t]+:?\w+[ \t]*\r?$"
            r"|@?(?i:exit)[ \t]+/[bB]|(?i:if)[ \t]+(?:/[iI][ \t]+)?(?i:not[ \t]+)?(?i:exist|errorlevel"
            r"|defined|\"?%)",
        ),
        (
            5,
            r"(?i:for)[ \t]+(?:/[a-zA-Z][ \t]+)?[^\n]*%%?\w[ \t]+(?i:in)\b"
            r"|@?(?i:set)[ \t]+(?:/[aApP][ \t]+)?\"?[A-Za-z_]\w*=|@?(?i:call)[ \t]+[:%\"\w]|@(?i:rem|if|for"
            r"|set|call)\b",
        ),
        (3, r":\w+[ \t]*\r?$|[^\n]*%(?:~\w*\d|\w+)%?|(?i:rem)\b|(?i:echo)(?:\.|[ \t])[^\n]*|(?i:pause)\r?$"),
        (1, r"\)[ \t]*(?i:else)|\)\r?$|(?:[\w.]+[ \t]+/\w)|(?i:cd|del|mkdir|copy|move)[ \t]"),
        (
            -3,
            r"(?:fi|done|then|esac|end|def|my|var|let|const|function|import|class|#\w+|local)\b"
            r"|[^\n]*[;{][ \t]*\r?$|\$",
        ),
    ),
    evidence=r"@\w|::|:\w+[ \t]*\r?$|[^\n]*%(?:~\w*\d|\w+%|%\w|\d\b)|[ \t]*+@?(?i:goto[ \t]+:?\w+[ \t]*\r?$|setlocal\b"
    r"|pause\r?$|exit[ \t]+/[bB]|rem\b|echo(?:\.|[ \t]+(?:off|on)\b)|set[ \t]+(?:/[ap][ \t]+)?\"?\w+="
    r"|call[ \t]+(?:[:%\"]|[^\n]*\.(?:bat|cmd)\b)"
    r"|if[ \t]+(?:/i[ \t]+)?(?:not[ \t]+)?(?:exist|errorlevel|defined|\"?%))",
    symbols=r":[A-Za-z_][\w-]*[^\n]*",
    members=r"(?i:set)[ \t]+\"?\w+=[^\n]*",
    imports=r"(?i:call)[ \t][^\n]*",
    first=r"@(?i:echo)[ \t]+(?i:off)|@(?i:rem|if|set|setlocal)\b",
)

SHELLS = (_SHELL, _FISH, _POWERSHELL, _BATCH)
