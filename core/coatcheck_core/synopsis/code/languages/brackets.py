"""Go, Rust, Swift and Zig."""

from coatcheck_core.synopsis.code.language import Language

_GO = Language(
    "go",
    comments="c",
    hints=":= func( []byte struct{ interface{ nil)",
    words="package import func type var const return if for switch case default defer go select struct interface"
    " break continue"
    " else range fallthrough err t.Run t.Fatal t fmt",
    signs=(
        (3, r"package[ \t]+[a-z_]\w*[ \t]*\r?$"),
        (5, r"func[ \t]+(?:\([^)\n]*\)[ \t]*)?\w+[ \t]*(?:\[[^\]\n]*\])?\([^\n]*"),
        (5, r"type[ \t]+\w+(?:\[[^\]\n]*\])?[ \t]+(?:struct|interface|func|map|\[\]|\*|=[ \t]*\w|[\w.]+\r?$)"),
        (4, r"import[ \t]+(?:\(|(?:[\w.]+[ \t]+)?\"[^\"\n]+\"[ \t]*\r?$)|(?:var|const|type)[ \t]*\(\r?$"),
        (4, r"[\w, \t.\[\]]+:=[ \t]*[^\n]*[^\n;]\r?$|(?:if|for|switch)[ \t]+[^\n]*:=[^\n]*\{\r?$"),
        (
            4,
            r"(?:if|for)[ \t]+[^\n(][^\n;]*(?:!=|==|<|>|&&|\|\||\brange\b)[^\n]*\{\r?$"
            r"|if[ \t]+!?\w[\w.()]*[ \t]*\{\r?$|for[ \t]*\{",
        ),
        (4, r"(?:defer|go)[ \t]+\w[\w.]*\(|(?:defer|go)[ \t]+func\b|select[ \t]*\{|(?:chan|map\[)"),
        (
            3,
            r"(?:var|const)[ \t]+\w+(?:,[ \t]*\w+)*[ \t]+(?:[\w.*\[\]]+[^\n;]*|=[ \t][^\n;]*)\r?$"
            r"|[A-Z]\w*[ \t]+[\w.*\[\]{}]+(?:[ \t]*`[^`\n]*`)?\r?$",
        ),
        (
            2,
            r"(?:switch\b[^\n(]*\{|case[ \t][^\n]*:|default:|\}[ \t]*else[ \t]*(?:if[ \t][^\n(]*)?\{)\r?$"
            r"|return\b[^\n;]*[^\n;]\r?$|fallthrough\r?$",
        ),
        (2, r"[^\n]*(?:\bnil\b|\bstruct\{|\binterface\{|\[\]\w|\bfunc\([^\n]*\{|\berr\b)"),
        (
            1,
            r"[\w.]+\([^\n;]*\)?\r?$|[\w.\[\]]+[ \t]*[-+|&]?=[ \t]*[^\n;]*\r?$|\}\)?,?\r?$|\"[^\n]*,\r?$"
            r"|\{[^\n]*\},\r?$|[\w.]+:[ \t]+[^\n;]*,\r?$",
        ),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:fn|let|def|class|public|private|static|fun|val|using|#\w+|elif|local|end"
            r"|import[ \t]+\w+[^\"\n]*\r?$|self|function)\b",
        ),
    ),
    symbols=r"func[ \t]*[\w(][^\n]*|type[ \t]+[\w(][^\n]*|var[ \t]+[\w(][^\n]*|const[ \t]+[\w(][^\n]*",
    members=r"\t(?!return\b|if\b|for\b|case\b|switch\b)[A-Z]\w*(?:[ \t]+[\w.*\[\]]|\()[^\n]*",
    imports=r"import[ \t]+(?:\([^)\n]*+(?:\n(?!import\b|func\b)[^)\n]*+){0,200}\)|(?:[\w.]+[ \t]+)?\"[^\"\n]+\"[^\n]*)",
    lists_imports=True,
    starts="cfitv",
)

_RUST = Language(
    "rust",
    comments="c",
    hints="&self ::new( .unwrap() &mut Some( #[",
    words="use pub fn let impl mod struct enum trait match if for while loop return #[derive #[test #[cfg #!["
    " unsafe async extern"
    " self Some None Ok Err const static type where else macro_rules #[ assert_eq println /// crate",
    signs=(
        (
            5,
            r"(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:default[ \t]+|const[ \t]+|async[ \t]+|unsafe[ \t]+"
            r"|extern[ \t]+\"[^\"\n]*\"[ \t]+)*fn[ \t]+\w+",
        ),
        (
            5,
            r"(?:pub(?:\([^)\n]*\))?[ \t]+)?use[ \t]+(?:::)?[a-zA-Z_]\w*(?:::[^\n]*|[ \t]+as\b[^\n]*)?;?"
            r"|extern[ \t]+crate[ \t]",
        ),
        (
            5,
            r"#!?\[(?:\w|cfg|derive|test|doc|allow|inline)[^\n]*\]|(?:unsafe[ \t]+)?impl\b[ \t]*[<\w&!(]"
            r"|macro_rules![ \t]",
        ),
        (4, r"let[ \t]+(?:mut[ \t]+)?(?:[\w]+|[(&\[]|[A-Z]\w*[({])[^\n=]*(?:=|;|:)"),
        (
            4,
            r"(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:struct|enum|trait|union)[ \t]+[A-Z]\w*[ \t]*(?:<[^\n]*"
            r"|[:;{(=]|where|\r?$)|mod[ \t]+\w+[ \t]*[;{]|type[ \t]+[A-Z]\w*[^\n=]*=|(?:static"
            r"|const)[ \t]+(?:mut[ \t]+)?[A-Z_]\w*[ \t]*:)",
        ),
        (
            4,
            r"pub(?:\([^)\n]*\))?[ \t]+\w+:|match[ \t]+[^\n;]*\{\r?$|(?:Some|Ok|Err|None|Self"
            r"|[A-Z]\w*(?:::\w+)+)[^\n;]*=>|_[ \t]*=>|\w+![ \t]*[\[({]",
        ),
        (
            3,
            r"(?:if|while)[ \t]+let[ \t]|for[ \t]+[\w(&, )]+[ \t]+in[ \t][^\n]*\{|loop[ \t]*\{|where\r?$"
            r"|(?:self|Self|super|crate)(?:\.|::)\w+",
        ),
        (
            2,
            r"[^\n]*(?:&mut[ \t]|&self\b|\b\w+::<|\bunwrap\(\)|\?;|\bas[ \t]+[ui](?:8|16|32|64|size)\b"
            r"|-> [\w&<>:\[\]()', ]+[ \t]*\{|\w!\(|'(?:a|static|_)\b)",
        ),
        (
            1,
            r"if[ \t]+[^(\n][^\n]*\{\r?$|\}[ \t]*else[ \t]*\{|return\b[^\n]*;|\.\w+\([^\n]*\r?$"
            r"|[\w.]+\([^\n]*\);?\r?$|\}[);,]*\r?$|\w+:[ \t]+[^\n]*,\r?$",
        ),
        (
            -3,
            r"(?:#[ \t]*(?:include|define|ifn?def|endif)|package|import|func|def|class|public|private|var"
            r"|function|namespace|using|elif|val|end|local|my|typedef|int|void)\b",
        ),
    ),
    symbols=r"(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:default|async|unsafe|const)[ \t]+"
    r"|extern[ \t]+\"[^\"\n]*\"[ \t]+)*(?:fn|struct|enum|trait|impl|mod|type|union|static|const"
    r"|macro_rules!)(?![\w!])[^\n]*",
    members=r"[ ]{4}(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:async|unsafe|const)[ \t]+)*fn[ \t]+\w[^\n]*",
    imports=r"(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:use[ \t]+(?:[^;\n]*+\n(?!use\b|pub\b)){0,80}[^;\n]*+;"
    r"|extern[ \t]+crate[ \t][^\n]*)",
    first=r"#!\[",
    starts="a-z",
)

_SWIFT = Language(
    "swift",
    comments="c",
    hints=".package( .target( ?. self. @objc guard",
    words="import func let var class struct enum protocol extension guard if return switch case init deinit"
    " public private internal"
    " fileprivate @objc @available static override typealias throw try await self open final weak lazy"
    " @discardableResult #if"
    " #endif super defer else @escaping",
    signs=(
        (
            3,
            r"(?:@testable[ \t]+|@_\w+[ \t]+|public[ \t]+|internal[ \t]+)?import[ \t]+(?:class[ \t]+"
            r"|struct[ \t]+)?[A-Z]\w*(?:\.\w+)*[ \t]*\r?$",
        ),
        (
            5,
            r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:public|private|internal|fileprivate|open|static|class"
            r"|override|final|mutating|nonisolated|required"
            r"|convenience)(?:\(set\))?[ \t]+)*(?:func[ \t]+[\w`+=<>*/-]+[ \t]*[<(]|init[?!]?[ \t]*[<(]"
            r"|deinit[ \t]*\{|protocol[ \t]+[A-Z]|extension[ \t]+[A-Z]|subscript[ \t]*\(|actor[ \t]+[A-Z])",
        ),
        (
            4,
            r"guard[ \t]+[^\n;]*(?:\belse\b|,\r?$|\{)|if[ \t]+(?:let|var|case|#available)[ \t(]|@(?:objc"
            r"|available|discardableResult|escaping|IBOutlet|MainActor|State|Published|main)\b",
        ),
        (
            4,
            r"(?:(?:public|private|internal|fileprivate|open|static|final|weak|lazy"
            r"|override)(?:\(set\))?[ \t]+)*(?:let|var)[ \t]+\w+[ \t]*(?::[ \t]*[\[(]?[A-Z@][^\n;]*"
            r"|=[ \t]*[^\n;]*[^\n;])\r?$",
        ),
        (
            3,
            r"(?:(?:public|private|internal|fileprivate|open|final)[ \t]+)*(?:class|struct|enum"
            r"|typealias)[ \t]+[A-Z]\w*[^\n;]*[{=][^\n;]*\r?$",
        ),
        (
            3,
            r"case[ \t]+\.\w+|case[ \t]+let\b|case[ \t]+\w+(?:\([^\n]*\))?(?:[ \t]*=[ \t]*[^\n:]+)?\r?$"
            r"|switch[ \t]+[^(\n][^\n;]*\{\r?$",
        ),
        (
            1,
            r"[^\n]*(?:\bself\.\w+|\btry[?!]?[ \t]|\bnil\b|\?\.\w|\bas[?!][ \t]|->[ \t]*[\[(]?[A-Z]\w*"
            r"|\b\w+:[ \t]*[A-Z]\w*[,)]|\{[ \t]*(?:\[weak[ \t]self\]|\w+[ \t]+in)\b)[^\n;]*\r?$",
        ),
        (
            1,
            r"(?:if|while|for)[ \t]+[^(\n][^\n;]*\{\r?$|\}[ \t]*else\b[^\n]*\{|return\b[^\n;]*\r?$"
            r"|[\w.]+\([^\n;]*\r?$|[\w.]+[ \t]*=[ \t]*[^\n;]+\r?$|\}\)?\r?$|#(?:if|else|endif)\b",
        ),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:package|fun|val|def|fn|pub|impl|using|namespace|function|const|#include"
            r"|#import|my|local|end|import[ \t]+[a-z]\w*\.)\b",
        ),
    ),
    symbols=r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:public|private|internal|fileprivate|open|final|static"
    r"|indirect)[ \t]+)*(?:class|struct|enum|protocol|extension|actor|func|typealias|let|var"
    r"|precedencegroup|operator)[ \t]+[\w`][^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:public|private|internal"
    r"|fileprivate|open|final|static|class|override|mutating|convenience|required"
    r"|lazy)(?:\(set\))?[ \t]+)*(?:func[ \t]+[\w`]|init[?!]?[(<]|case[ \t]+\w|struct[ \t]|enum[ \t]"
    r"|class[ \t]+[A-Z])[^\n]*",
    imports=r"(?:@testable[ \t]+|@_\w+[ \t]+|public[ \t]+|internal[ \t]+)?import[ \t]+[^\n]*",
    first=r"#!.*\bswift|//[ \t]*swift-tools-version",
)

_ZIG = Language(
    "zig",
    comments="c",
    words="const pub fn var test try return if while switch defer errdefer comptime",
    signs=(
        (
            5,
            r"(?:pub[ \t]+)?const[ \t]+\w+[ \t]*(?::[^\n=]*)?=[ \t]*(?:@import\(|struct[ \t]*\{|enum|union"
            r"|error\{|packed|extern)",
        ),
        (
            5,
            r"(?:pub[ \t]+)?(?:inline[ \t]+|export[ \t]+"
            r"|extern[ \t]+)?fn[ \t]+\w+\([^\n]*\)[ \t]*[\w!*?\[\].]+[ \t]*\{|test[ \t]+\"[^\n]*\{"
            r"|errdefer\b|comptime\b",
        ),
        (3, r"(?:try|defer)[ \t]+[\w.@]+\(|[^\n]*(?:@\w+\(|\borelse\b|\bcatch[ \t]+\||\.\{)"),
        (1, r"(?:const|var)[ \t]+\w+[^\n]*;|return\b[^\n]*;|\}"),
        (
            -3,
            r"(?:let|use|impl|import|export[ \t]+(?:const|default|function)|function|class|func|def|#\w+"
            r"|public|private)\b",
        ),
    ),
    symbols=r"(?:pub[ \t]+)?(?:(?:inline|export|extern)[ \t]+)*(?:fn[ \t]|const[ \t]|var[ \t]|test[ \t]+[\"\w])[^\n]*",
    members=r"[ ]{4}(?:pub[ \t]+)?fn[ \t]+\w[^\n]*",
    imports=r"(?:pub[ \t]+)?const[ \t]+\w+[ \t]*=[ \t]*@import\([^\n]*",
)

BRACKETS = (_GO, _RUST, _SWIFT, _ZIG)
