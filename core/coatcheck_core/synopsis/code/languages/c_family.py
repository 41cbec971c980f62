"""C, C++, Objective-C, and what they are built upon."""

from coatcheck_core.synopsis.code.language import Dialect, Language

_NO_TYPE = (
    r"(?!(?:return|if|else|for|while|do|switch|case|goto|typedef|using|throw|delete|new|default|break"
    r"|continue|extern[ \t]+\"|import"
    r"|struct[ \t]+\w+[ \t]*\{|sizeof|assert|public|private|protected|template|namespace|class|enum|union)\b)"
)
_CPP = Dialect(
    "cpp",
    r"^[ \t]*(?:class[ \t]+(?:\w+[ \t]+)?\w+[ \t]*(?:final[ \t]*)?(?::[^\n]*|\{[^\n]*|;|\r?$)"
    r"|template[ \t]*<|(?:inline[ \t]+)?namespace\b[ \t]*[\w:]*[ \t]*(?:\{|\r?$)"
    r"|using[ \t]+(?:namespace[ \t]+)?\w[\w:]*(?:[ \t]*=|::|;)|(?:public|private|protected)[ \t]*:"
    r"|(?:virtual|explicit|friend|mutable)[ \t]+\w|#[ \t]*include[ \t]*<(?:\w+|[^>\n]*\.(?:hpp|hh|hxx))>"
    r"|[\w:]+::~?\w+\()"
    r"|\b(?:std|boost|absl)::\w|\b(?:static_cast|reinterpret_cast|const_cast|dynamic_cast)<|\bnullptr\b"
    r"|\bconstexpr\b|\bnoexcept\b|\boverride\b"
    r"|\b[A-Za-z_]\w*::[A-Za-z_~]\w*|\boperator[ \t]*(?:[-+*/=<>!\[(]|bool\b)|\bauto[ \t]*[&*]*[ \t]*\w+[ \t]*=",
    least=2,
)
_CERTAINLY_CPP = Dialect(
    "cpp",
    r"^[ \t]*(?:template[ \t]*<|namespace\b[ \t]*[\w:]*[ \t]*(?:\{|\r?$)|using[ \t]+namespace[ \t]"
    r"|class[ \t]+\w+[ \t]*(?:final[ \t]*)?[:{]"
    r"|(?:public|private|protected)[ \t]*:[ \t]*\r?$|#[ \t]*include[ \t]*<(?:c?\w+|[^>\n]*\.(?:hpp|hh"
    r"|hxx))>|[A-Z]\w*::~?\w+\()|\bstd::\w|\bstatic_cast<|\bnullptr\b",
)
_OBJECTIVE_C = Dialect(
    "objective-c",
    r"^[ \t]*(?:@(?:interface|implementation|protocol|property|end|class|import|synthesize|optional"
    r"|autoreleasepool)\b|#[ \t]*import[ \t]*[<\"]|[-+][ \t]*\([\w *<>]+\)[ \t]*\w+)"
    r"|\bNS[A-Z]\w+[ \t]*\*|@\"|\[\[?\w+[ \t]+\w+[\]:]",
    least=2,
)

_C = Language(
    "c",
    comments="c",
    hints="#include #define std:: ); ->",
    words="#include #define #if #ifdef #ifndef #endif #else #undef #pragma #import static struct typedef enum"
    " union extern int"
    " void char unsigned const return if else for while switch case break goto default class namespace"
    " template using public"
    " private virtual std inline @interface @property @implementation @end - + uint32_t size_t bool long"
    " double float auto"
    " @import { } constexpr case do",
    signs=(
        (-1, r"\"[^\"\n]*\"[ \t]*:"),
        (5, r"#[ \t]*(?:include(?:_next)?|import)[ \t]*[<\"]|# \d+ \""),
        (
            3,
            r"#[ \t]*(?:define[ \t]+\w|if(?:n?def)?[ \t(!]|endif\b|elif\b|else\b|undef[ \t]|pragma[ \t]"
            r"|error[ \t]|line[ \t])",
        ),
        (
            4,
            r"(?:typedef[ \t]+(?:struct|enum|union|unsigned|int|void|char|long|std|\w+_t|[\w:]+[ \t*])"
            r"|extern[ \t]+(?:\"C\"|\w+[ \t*])|static[ \t]+(?:inline|const|int|void|char|struct|unsigned"
            r"|bool|\w+[ \t]*\*)\b)",
        ),
        (
            4,
            r"(?:(?:static|const|inline|extern|volatile|constexpr|virtual|explicit)[ \t]+)*(?:unsigned"
            r"|signed|struct[ \t]+\w+|enum[ \t]+\w+|int|void|char|short|long|float|double|size_t|ssize_t"
            r"|u?int(?:8|16|32|64)_t|bool|std::[\w:<>]+|auto)"
            r"[ \t*&]+(?:const[ \t]+)?(?:long[ \t]+|int[ \t]+|char[ \t]+)*[*&]*[\w:~]+[ \t]*[\[;=(,)]",
        ),
        (
            4,
            r"(?:template[ \t]*<|(?:inline[ \t]+)?namespace\b[ \t]*[\w:]*[ \t]*\{"
            r"|using[ \t]+(?:namespace[ \t]+)?[\w:]+(?:[ \t]*=[^\n]*)?;|(?:public|private"
            r"|protected)[ \t]*:[ \t]*\r?$|virtual[ \t])",
        ),
        (
            4,
            r"@(?:interface|implementation|protocol|property|end|synthesize|import[ \t]+\w+;)(?![\w.])"
            r"|[-+][ \t]*\([\w *<>]+\)[ \t]*\w+",
        ),
        (3, r"(?:struct|union|enum|class)(?:[ \t]+\w+){0,2}[ \t]*(?::[^\n;]*)?(?:\{|;|\r?$)"),
        (
            3,
            r"[\w.>\[\]()-]+->\w+|\*+\w+[ \t]*[-+|&]?=|[^\n]*(?:\w->\w|&\w+[,)]|\bsizeof[ \t(]|\bNULL\b"
            r"|\bnullptr\b|\w::\w+(?:[(<;*&]|[ \t]+\w+[ \t]*[;=({]))[^\n]*",
        ),
        (
            2,
            r"(?:" + _NO_TYPE + r"[A-Za-z_][\w:<>]*[ \t]+[*&]*"
            r"|[A-Za-z_][\w:<>]*[*&]+[ \t]*)[\w:~]+[ \t]*\([^\n]*(?:\)[ \t]*(?:const[ \t]*)?[{;]?|,)\r?$",
        ),
        (
            2,
            r"(?:goto[ \t]+\w+;|case[ \t]+[\w:']+:|default:|break;|return(?:[ \t(][^\n]*)?;"
            r"|if[ \t]*\([^\n]*|for[ \t]*\([^\n]*;[^\n]*;|while[ \t]*\([^\n]*|switch[ \t]*\()",
        ),
        (
            1,
            r"[A-Za-z_][\w.>\[\]()*-]*[ \t]*(?:[-+|&^*/]|<<|>>)?=[^\n]*[;,{]\r?$|\w+[ \t]*\([^\n]*\);\r?$"
            r"|\}[^\n]{0,30};?\r?$|\{\r?$|\w+:\r?$",
        ),
        (1, r"[A-Z_][A-Z0-9_]+(?:[ \t]*=[ \t]*[^\n,]+)?,\r?$|\.\w+[ \t]*=[^\n]*,\r?$"),
        (
            -3,
            r"(?:package[ \t]+\w|import[ \t]+[\w.]+;?\r?$|def[ \t]|func[ \t]|fn[ \t]|fun[ \t]|let[ \t]"
            r"|var[ \t]|function[ \t]|using[ \t]+System|namespace[ \t]+[\w.]+\r?$|public[ \t]+\w"
            r"|private[ \t]+\w|protected[ \t]+\w|echo[ \t]|my[ \t]|local[ \t]|end\r?$|fi\r?$|done\b"
            r"|const[ \t]+\w+[ \t]*=[ \t]|impl[ \t<]|pub[ \t]|use[ \t])",
        ),
    ),
    symbols=r"(?:#[ \t]*define[ \t]+\w+\([^\n]*|(?:[@]interface|@implementation|@protocol)\b[^\n]*"
    r"|[-+][ \t]*\([\w *<>]+\)[^\n]*"
    r"|(?=[A-Za-z_])(?:(?:typedef[ \t]+)?(?:struct|union|enum"
    r"|class)\b(?:[ \t]++\w++)*+[ \t]*+(?::[^\n;{]*+)?(?:\{[^\n]*|\r?(?=\n))|typedef[ \t]+[^\n]*;"
    r"|(?:inline[ \t]+)?namespace\b[^\n;]*|template[ \t]*<[^\n]*"
    r"|" + _NO_TYPE + r"[A-Za-z_][\w:<>,~]*+(?:[ \t*&]++[A-Za-z_~][\w:<>,*& \t~]*+\([^\n]*"
    r"|[ \t]?\([\w, \t*]*\)\r?(?=\n(?:[ \t\w][^\n;{}]*;\r?\n){0,8}\{))))",
    members=r"#[ \t]*define[ \t]+\w+[ \t]+\S[^\n]*|(?:[ ]{1,4}+|\t)(?=[a-z])(?:(?:virtual|static|explicit|inline"
    r"|constexpr)[ \t]+[^\n=(]*+\([^\n]*|(?:class|struct|enum)[ \t]++\w++[^\n;(]*+(?:\{[^\n]*|(?=\n)))"
    r"|(?:extern|static|const)[ \t]+[^\n(;]*+;",
    imports=r"#[ \t]*(?:include(?:_next)?|import)[ \t]*[<\"][^\n]*|@import[ \t][^\n]*"
    r"|using[ \t]+namespace[ \t][^\n]*|import[ \t]+[\w.<>:]+;",
    first=r"#[ \t]*(?:pragma[ \t]+once|ifndef[ \t]+\w+_H)",
    starts="A-Za-z_#@+-",
    dialects=(_OBJECTIVE_C, _CERTAINLY_CPP, _CPP),
)

_REGISTER = (
    r"(?:[re]?(?:[abcd]x|[sd]i|[sb]p)|[abcd][lh]|r\d{1,2}[dwb]?|[xyz]mm\d+|[wxvqds]\d{1,2}|[ast]\d{1,2}|sp|lr|zero"
    r"|[A-D]X|[SD]I|[XYRV]\d+)\b"
)
_MARKED = r"%[a-z]\w|\$-?(?:0x|\w)|\[[a-z]\w*[^\n\]]{0,80}\]|\((?:SB|SP|FP|PC|[A-D]X|R\d+)\)"
"""Registers and immediate values, as the assemblers of x86, ARM, RISC-V, MIPS and Go have them. A bare register is
known by the comma beside it: `al` and `di` are words of many languages."""
_INSTRUCTION = r"[ \t]*+(?:[.\w$]++:[ \t]*+)?[A-Za-z][\w.]{1,11}[ \t]++"

_ASSEMBLY = Language(
    "assembly",
    comments="c",
    hints="(SB) %rax %rsp (SP) $0x .globl xmm R4,",
    words="mov movq movl push pushq pop ret call jmp je jne add sub lea leaq cmp test xor section global .text"
    " .globl .global .section"
    " .align .type .size .long .byte .cfi_startproc .file .data .ascii .string .p2align TEXT MOVQ MOVD"
    " ADDQ RET JMP CALL DATA GLOBL"
    " vmovdqu ldr str bl stp ldp b.eq cmpq addq subq movb jz jnz popq ADD XORQ BYTE MOVL PUSHQ LEAQ",
    signs=(
        (
            5,
            r"(?:TEXT|DATA|GLOBL)[ \t]+[^\n]*(?:\(SB\)|\xc2\xb7|<>)|\.(?:globl|global|text|section|cfi_\w+"
            r"|type|p2align|align|size|file|loc|long|quad|byte|word|ascii[iz]?|string|hidden|weak|macro"
            r"|endm|balign|set|equ)\b",
        ),
        (
            4,
            r"(?:mov[a-z]{0,4}|push[qlw]?|pop[qlw]?|lea[qlw]?|call[q]?|ret[q]?|jmp|j[a-z]{1,3}|add[qlwb]?"
            r"|sub[qlwb]?|cmp[qlwb]?|test[qlwb]?|xor[qlwb]?|and[qlwb]?|or[qlwb]?|shl[qlw]?|shr[qlw]?"
            r"|inc[qlw]?|dec[qlw]?|nop|int|imul[qlw]?|v?p?mov\w+|v[a-z0-9]{3,10}|ldr\w?|str\w?|stp|ldp|bl"
            r"|cbn?z|b\.\w+|adrp|ldur|stur|mul|syscall|endbr64|leave[q]?|hlt|rep)"
            r"(?:[ \t]+[%$\w\[(*.-][^\n;{=]*)?\r?$",
        ),
        (
            4,
            r"[A-Z][A-Z0-9.]{1,11}[ \t]+[^\n;{=]*(?:\$|\bR?[A-DS][XIP]\b|\bR\d+\b|\(SB\)|\(SP\)|\(FP\)"
            r"|\([A-Z]\w+\)|\bX\d+\b|\bY\d+\b|\bV\d+)[^\n]*",
        ),
        (
            2,
            r"(?:RET|NOP|[.\w$]+:)[ \t]*\r?$|#[ \t]*(?:include|define|if\w*|endif|else)\b|(?:section|global"
            r"|extern|bits|org|db|dw|dd|equ|%(?:macro|endmacro|define|include))\b",
        ),
        (1, r"(?:J[A-Z]{1,3}|CALL|JMP)[ \t]+\w+|\w+:"),
        (
            -3,
            r"[^\n]*[;{][ \t]*\r?$|(?:if|for|while|return|def|class|function|import|var|let|const|end"
            r"|struct|typedef|static)\b",
        ),
    ),
    symbols=r"(?:TEXT[ \t]+[^\n]*|[A-Za-z_$][\w.$@]*:[^\n]*|\.macro[ \t][^\n]*|(?:GLOBL|DATA)[ \t]+[^\n]*)",
    evidence=r"[ \t]*+\.(?:globl|text|section|type|align|p2align|cfi_\w+|byte|long|quad|word|asci[iz]|string|data|bss"
    r"|balign|set|equ|macro|include|loc|file)\b|[ \t]*+(?:section|SECTION)[ \t]+\.\w|%(?:macro|define|include)\b"
    r"|[.\w$]++:?[ \t]+(?:d[bwdq]|equ|res[bwdq])[ \t]+[\w'\"-]|(?:TEXT|DATA|GLOBL)[ \t]++\S+\(SB\)"
    r"|[.\w$]++:[ \t]*\r?\n[ \t]++[A-Za-z]"
    rf"|{_INSTRUCTION}(?:[^\n,;#]{{0,80}},[ \t]*+)?(?:{_MARKED})|{_INSTRUCTION}{_REGISTER}[ \t]*,"
    rf"|{_INSTRUCTION}[^\n,;#]{{1,80}},[ \t]*+{_REGISTER}[ \t]*(?:[,;#/\r\n]|\Z)"
    r"|[ \t]*+(?:push|pop)[ \t]++[re]\w\w[ \t]*\r?$",
    members=r"[ \t]*\.glob(?:a)?l[ \t][^\n]*",
    imports=r"[#%][ \t]*include[ \t][^\n]*|[ \t]*\.include[ \t][^\n]*",
)

C_FAMILY = (_C, _ASSEMBLY)
