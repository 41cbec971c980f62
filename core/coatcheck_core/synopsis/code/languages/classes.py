"""Java, C#, Kotlin, Scala, Dart, Groovy and Solidity: whose definitions lie one level in."""

from coatcheck_core.synopsis.code.language import Language

_NO_CALL = (
    r"(?!(?:return|new|else|throw|if|for|while|switch|catch|case|await|yield|using|lock|do|try|package|import)\b)"
)

_JAVA = Language(
    "java",
    comments="c",
    hints="@Override new String( .get( throws",
    words="package import public private protected class interface enum return if for while @Override @Test"
    " static final abstract"
    " void int String boolean throw try catch switch case new this super synchronized @Deprecated"
    " @Nullable else @SuppressWarnings"
    " long assertEquals assertThat default record",
    signs=(
        (4, r"package[ \t]+[a-z_][\w.]*;"),
        (5, r"import[ \t]+(?:static[ \t]+)?[a-z_]\w*(?:\.\w+)+(?:\.\*)?;"),
        (
            5,
            r"(?:(?:public|private|protected|abstract|final|static|sealed|non-sealed"
            r"|strictfp)[ \t]+)*(?:class|interface|enum|record"
            r"|@interface)[ \t]+[A-Z]\w*(?:<[^\n]*>)?(?:\([^\n]*\))?(?:[ \t]+(?:extends|implements"
            r"|permits)[ \t][^\n]*)?[ \t]*(?:\{|\r?$)",
        ),
        (
            4,
            r"(?:public|private|protected)[ \t]+(?:(?:static|final|abstract|synchronized|native|transient"
            r"|volatile)[ \t]+)*(?:<[^\n]*>[ \t]*)?[\w.]+(?:<[^\n]*>)?(?:\[\])*[ \t]+\w+[ \t]*(?:[;=]"
            r"|\([^\n]*)",
        ),
        (
            4,
            r"@(?:Override|Test|Deprecated|SuppressWarnings|Nullable|NonNull|NotNull|Autowired|Inject"
            r"|Before|After|GuardedBy|Beta|GwtCompatible|CanIgnoreReturnValue|DoNotStrip|ReactMethod"
            r"|ReactProp|VisibleForTesting|Component|Entity)\b",
        ),
        (
            3,
            r"(?:final[ \t]+)?(?:String|int|long|boolean|double|byte|char|float|List<[^\n]*>|Map<[^\n]*>"
            r"|Set<[^\n]*>|Object|[A-Z]\w*(?:<[^\n;=]*>)?)(?:\[\])*[ \t]+\w+[ \t]*(?:=[^\n]*|;)\r?$",
        ),
        (
            3,
            r"(?:static|final|abstract|synchronized|default"
            r"|native)[ \t]+(?:[\w<>\[\],.?]+[ \t]+)+\w+[ \t]*[(=;]|(?:throw[ \t]+)?new[ \t]+[A-Z]\w*"
            r"|\}?[ \t]*catch[ \t]*\([\w |.]+[ \t]+\w+\)",
        ),
        (
            2,
            r"(?:System\.(?:out|err|arraycopy|currentTime)|super\(|this\.\w+[ \t]*="
            r"|for[ \t]*\((?:final[ \t]+)?[\w<>\[\]?,. ]+[ \t]+\w+[ \t]*[:=]|synchronized[ \t]*\()",
        ),
        (
            1,
            r"return\b[^\n]*;|if[ \t]*\(|[\w.]+\([^\n]*\);\r?$|[\w.\[\]]+[ \t]*[-+|]?=[ \t]*[^\n]*;?\r?$"
            r"|\}[);]*\r?$|case\b[^\n]*:|\.\w+\(",
        ),
        (
            -3,
            r"(?:using[ \t]|namespace[ \t]|#[ \t]*\w+|fun[ \t]|val[ \t]|let[ \t]|def[ \t]|func[ \t]|fn[ \t]"
            r"|function\b|export[ \t]|import[ \t]+[{'\"*]|const[ \t]+\w+[ \t]*=|internal[ \t]|override[ \t]"
            r"|[^\n]*\{[ \t]*get;|std::|virtual[ \t]|template[ \t]*<|unsigned[ \t])",
        ),
    ),
    symbols=r"(?:(?:public|private|protected|abstract|final|static|sealed|non-sealed|strictfp)[ \t]+)*+(?:class"
    r"|interface|enum|record|@interface)[ \t]+\w[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:(?:(?:public|protected|private|static|final|abstract|synchronized"
    r"|default|native)[ \t]++)++[\w<>\[\],.? &@]*+[({][^\n]*"
    r"|" + _NO_CALL + r"[A-Za-z][\w<>\[\],.?]*+[ \t]+\w++\([^\n;=]*(?:\{|\);)[^\n]*)",
    imports=r"import[ \t]+[^\n]*",
    first=r"package[ \t]+[a-z]\w*(?:\.\w+)+;|package[ \t]+[a-z]\w*;\s+(?:import|public|final|abstract|class"
    r"|interface|enum|@|/\*)",
    starts="a-z@",
)

_CSHARP = Language(
    "csharp",
    comments="c",
    hints="{get; namespace .cs get; get;}",
    words="using namespace public private internal protected class interface struct enum return if for foreach"
    " while var static"
    " async override sealed abstract readonly get set [ #region #endregion await string int void partial #nullable #if",
    signs=(
        (5, r"(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?[A-Z]\w*(?:\.\w+)*(?:[ \t]*=[ \t]*[^\n]*)?;"),
        (4, r"namespace[ \t]+[A-Z]\w*(?:\.\w+)*[ \t]*(?:[;{]|\r?$)|#(?:region|endregion|nullable)\b"),
        (
            4,
            r"(?:(?:public|private|internal|protected|abstract|sealed|static|partial|readonly|unsafe"
            r"|ref)[ \t]+)+(?:class|interface|struct|enum|record|delegate)\b[ \t]+\w[^\n;]*(?:;|\{|\r?$)",
        ),
        (
            5,
            r"[^\n]*\{[ \t]*(?:(?:private|internal|protected)[ \t]+)?(?:get|set|init)\b[^\n]*[;}]|(?:get"
            r"|set|init)[ \t]*(?:;|=>|\{|\r?$)",
        ),
        (
            4,
            r"(?:(?:public|private|internal|protected)[ \t]+)(?:(?:static|async|override|virtual|readonly"
            r"|const|abstract|unsafe|extern|new|partial|event)[ \t]+)+[\w.<>\[\]?, ]+[ \t]+\w+[ \t]*[(;={<]?",
        ),
        (
            3,
            r"internal[ \t]+\w|(?:public|private"
            r"|protected)[ \t]+[\w.]+(?:<[^\n]*>)?(?:\[\])*\??[ \t]+[A-Z_]\w*[ \t]*(?:\([^\n]*|=>[^\n]*"
            r"|\r?$)",
        ),
        (
            4,
            r"foreach[ \t]*\((?:var|[\w<>]+)[ \t]+\w+[ \t]+in\b|\[(?:Fact|Test|Serializable|DllImport"
            r"|Theory|JSExport|TestMethod|Obsolete|Attribute\w*|assembly:"
            r"|[A-Z]\w*(?:\([^\n]*\))?)\][ \t]*\r?$",
        ),
        (
            3,
            r"var[ \t]+\w+[ \t]*=[ \t]*(?:await|new|[A-Z])[^\n]*|(?:string|bool|int|object|Task"
            r"|IEnumerable<[^\n]*>|List<[^\n]*>|IntPtr)\??(?:\[\])?[ \t]+\w+[ \t]*[=;(,)]"
            r"|await[ \t]+[A-Z_\w.]+\(",
        ),
        (2, r"\{\r?$|\}\r?$|(?:Console|Debug|Assert|Task|String|Math)\.[A-Z]\w+|throw[ \t]+new[ \t]+\w+"),
        (
            1,
            r"return\b[^\n]*;|if[ \t]*\(|[\w.]+\([^\n]*\);\r?$|[\w.\[\]]+[ \t]*[-+|]?=[ \t]*[^\n]*;?\r?$"
            r"|case\b[^\n]*:|\.[A-Z]\w*\(",
        ),
        (
            -4,
            r"(?:package[ \t]|import[ \t]|#[ \t]*(?:include|define[ \t]+\w+[ \t(]|ifn?def|import)|fun[ \t]"
            r"|val[ \t]|let[ \t]|def[ \t]|func[ \t]|fn[ \t]|function\b|export[ \t]"
            r"|const[ \t]+\w+[ \t]*=[ \t]*(?:require|\()|@Override|@\w+\r?$|std::|[\w:]+::\w|virtual[ \t]+~"
            r"|template[ \t]*<|(?:public|private|protected)[ \t]*:)",
        ),
    ),
    symbols=r"(?:[ ]{4}|[ ]{2}|\t)?(?:(?:public|private|internal|protected|abstract|sealed|static|partial|readonly"
    r"|unsafe|ref|file)[ \t]+)*(?:class|interface|struct|enum|record|delegate)[ \t]+\w[^\n]*"
    r"|namespace[ \t]+\w[^\n]*",
    members=r"(?:[ ]{2,8}+|\t{1,2}+)(?![ \t\r\n}/*#])(?:(?:public|private|internal|protected|static|async|override"
    r"|virtual|abstract|sealed|extern|unsafe|new|partial)[ \t]+)++(?!(?:class|interface|struct|enum|record"
    r"|delegate)\b)[\w.<>\[\]?,(][^\n=;{(]*+(?:[({]|=>|(?=\n))[^\n]*",
    imports=r"(?:[ ]{4})?(?:global[ \t]+)?using[ \t]+(?![^\n]*\()[^\n]*;",
)

_KOTLIN_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|open|abstract|final|override|suspend|inline|data|sealed|enum"
    r"|annotation|const|lateinit|operator|infix|companion|expect|actual|external|tailrec|value|inner"
    r"|fun)[ \t]+)*+"
)
_KOTLIN = Language(
    "kotlin",
    comments="c",
    hints="?. ?: !!",
    words="package import fun val var class object interface override private internal data sealed enum"
    " companion return if when for"
    " while suspend inline @Test open abstract lateinit init throw try public plugins dependencies @file"
    " @Composable is else",
    signs=(
        (3, r"package[ \t]+[a-z_][\w.]*[ \t]*\r?$|import[ \t]+[a-z_]\w*(?:\.[\w`*]+)+(?:[ \t]+as[ \t]+\w+)?[ \t]*\r?$"),
        (
            6,
            r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:public|private|protected|internal|open|abstract|final"
            r"|override|suspend|inline|operator|infix|expect|actual|external"
            r"|tailrec)[ \t]+)*fun[ \t]+(?:<[^\n]*>[ \t]*)?(?:[\w.<>?*, ]+\.)?[\w`]+[ \t]*\(",
        ),
        (
            5,
            r"(?:(?:public|private|protected|internal|override|const|lateinit|open|abstract)[ \t]+)*(?:val"
            r"|var)[ \t]+(?:\w+|\([^\n)]*\))[ \t]*(?::[ \t]*[A-Z(][^\n;]*|=[^\n;]*|by[ \t][^\n;]*|)\r?$",
        ),
        (
            5,
            r"(?:(?:public|private|protected|internal)[ \t]+)?(?:data|sealed|enum|annotation|value|inner"
            r"|open)[ \t]+(?:class|interface|object)[ \t]|companion[ \t]+object\b|(?:private[ \t]+"
            r"|internal[ \t]+)?object[ \t]+[A-Z]\w*|@file:",
        ),
        (
            3,
            r"(?:(?:public|private|internal|abstract)[ \t]+)*(?:class"
            r"|interface)[ \t]+[A-Z]\w*(?:<[^\n]*>)?[ \t]*(?:private[ \t]+constructor"
            r"|internal[ \t]+constructor)?(?:\(|:|\{)?[^\n;]*\r?$",
        ),
        (
            4,
            r"when[ \t]*(?:\([^\n]*\))?[ \t]*\{|(?:is[ \t]+[A-Z][\w.]*|else|[\w.]+)[ \t]*->|(?:private"
            r"|protected|internal)[ \t]+(?:set|get)\b|init[ \t]*\{",
        ),
        (
            2,
            r"[^\n]*(?:\?:|\?\.\w|!!|\blistOf\(|\bmapOf\(|->[ \t]*\r?$|\{[ \t]*\w+[ \t]*->|\bit\.\w|::class"
            r"|\bas\?)[^\n;]*\r?$",
        ),
        (
            1,
            r"if[ \t]*\([^\n;]*\r?$|return\b[^\n;]*\r?$|[\w.]+\([^\n;]*\r?$|[\w.]+[ \t]*=[ \t]*[^\n;]+\r?$"
            r"|\}\)?\r?$|\.\w+[({][^\n;]*\r?$|@[A-Z]\w*(?:\([^\n]*\))?\r?$|\w+[ \t]*\{\r?$",
        ),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:using|namespace|#\w+|func|fn|let|def|function|export"
            r"|const[ \t]+\w+[ \t]*=|end|local|case[ \t]+(?:class|object)|trait|extension|guard|implicit)\b",
        ),
    ),
    symbols=r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"
    + _KOTLIN_MODIFIERS
    + r"(?:fun|class|interface|object|val|var|typealias)[ \t]+[\w<`(][^\n]*|"
    + _KOTLIN_MODIFIERS
    + r"fun[ \t]+[\w<`(][^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:public|private|protected"
    r"|internal|open|abstract|final|override|suspend|inline|operator|data|sealed|enum|companion"
    r"|inner)[ \t]+)*(?:fun|class|interface|object)\b[ \t]*[^\n]*",
    imports=r"import[ \t]+[^\n]*",
    first=r"#!.*\bkotlin|@file:",
)

_SCALA_MODIFIERS = (
    r"(?:(?:private|protected|final|sealed|abstract|implicit|lazy|override|inline|case|open"
    r"|transparent)(?:\[\w+\])?[ \t]+)*+"
)
_SCALA = Language(
    "scala",
    comments="c",
    hints="[A] _. =>",
    words="package import object class trait def val var case override private implicit sealed lazy extends if"
    " for match yield protected"
    " final @inline @tailrec with given new abstract type else throw",
    signs=(
        (2, r"package[ \t]+[a-z_][\w.]*[ \t]*\{?\r?$"),
        (5, r"import[ \t]+[a-z_]\w*(?:\.\w+)*\.(?:\{[^\n]*\}?|_|\*|given)[ \t]*\r?$|import[ \t]+[A-Z]\w*\._\r?$"),
        (2, r"import[ \t]+[a-z_]\w*(?:\.\w+)+[ \t]*\r?$"),
        (
            6,
            r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:override|private|protected|final|implicit|inline|lazy"
            r"|abstract)(?:\[\w+\])?[ \t]+)*def[ \t]+[^\s(\[:=]+[ \t]*(?:\[[^\n]*|\([^\n]*"
            r"|:[ \t]*[A-Z][^\n]*|=)[^\n:;]*(?:=[^\n;]*|\{|\r?$)",
        ),
        (
            5,
            r"(?:(?:private|sealed|abstract|final|implicit"
            r"|protected)(?:\[\w+\])?[ \t]+)*(?:trait[ \t]+[A-Z]|(?:case[ \t]+)?object[ \t]+\w"
            r"|case[ \t]+class[ \t]+\w|package[ \t]+object[ \t])",
        ),
        (
            4,
            r"(?:(?:override|private|protected|final|implicit"
            r"|lazy)(?:\[\w+\])?[ \t]+)*va[lr][ \t]+\w+[ \t]*(?::[ \t]*[A-Z][^\n;]*)?=[^\n;]*\r?$"
            r"|implicit[ \t]+\w|given[ \t]+\w|@(?:inline|tailrec|specialized|deprecated)\b",
        ),
        (
            4,
            r"case[ \t]+[^\n]*=>|[^\n]*\bmatch[ \t]*\{|(?:private|protected)\[\w+\][ \t]|[^\n]*\byield\b"
            r"|for[ \t]*[({]?[^\n]*<-",
        ),
        (
            2,
            r"[^\n]*(?:\bextends[ \t]+[A-Z]\w*(?:\[[^\n]*\])?(?:[ \t]+with\b)?|=>[ \t]*\r?$|\[[A-Z]\w*\]"
            r"|\b_\.\w|<-)[^\n;]*\r?$|(?:abstract[ \t]+|final[ \t]+)?class[ \t]+[A-Z]",
        ),
        (1, r"if[ \t]*\([^\n;]*\r?$|else\b|[\w.]+\([^\n;]*\r?$|[\w.]+[ \t]*=[ \t]*[^\n;]+\r?$|\}\)?\r?$|@\w+"),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:using[ \t]+[A-Z]|namespace|#\w+|func|fn|fun|let|function|export|end\r?$"
            r"|local|companion|data[ \t]+class|return[ \t][^\n]*;|public|static)\b",
        ),
    ),
    symbols=_SCALA_MODIFIERS
    + r"(?:package[ \t]+object|class|trait|object|enum|def|val|var|type|given|extension)[ \t]+[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"
    + _SCALA_MODIFIERS
    + r"(?:def|class|trait|object|type)[ \t]+[^\n]*",
    imports=r"import[ \t]+[^\n]*",
)

_DART = Language(
    "dart",
    comments="c",
    words="import export library part class extends void final var const return if for Widget @override abstract"
    " mixin Future static"
    " String int bool late await typedef enum factory",
    signs=(
        (
            6,
            r"(?:import|export|part)[ \t]+(?:of[ \t]+)?['\"](?:package:|dart:|[\w./-]+\.dart)[^\n]*"
            r"|library[ \t]+\w[\w.]*;|part[ \t]+of[ \t]",
        ),
        (
            5,
            r"@override\b|(?:Widget|Future(?:<[^\n]*>)?|Stream<[^\n]*>)[ \t]+\w+\(|(?:abstract[ \t]+"
            r"|sealed[ \t]+|base[ \t]+|final[ \t]+)?(?:mixin|class"
            r"|extension)[ \t]+\w+(?:<[^\n]*>)?[ \t]+(?:extends|with|implements|on)[ \t]",
        ),
        (
            3,
            r"(?:late[ \t]+)?final[ \t]+(?:[\w<>?, ]+[ \t]+)?\w+(?:[ \t]*=[^\n]*)?;|(?:void|String|int|bool"
            r"|double|dynamic|num|List<[^\n]*>|Map<[^\n]*>)\??[ \t]+\w+[^\n]*(?:\{|=>|;|\basync\b)"
            r"|const[ \t]+[A-Z]\w*\(\{|factory[ \t]+[A-Z]",
        ),
        (
            3,
            r"void[ \t]+main\(|[^\n]*(?:\brequired[ \t]+this\.|\(\)[ \t]*async[ \t]*\{|child:|children:"
            r"|\.\.\w)[^\n]*|required[ \t]+",
        ),
        (
            1,
            r"return\b[^\n]*;|if[ \t]*\(|[\w.]+\([^\n]*\)[;,]?\r?$|\}[);,]*\r?$|class[ \t]+\w"
            r"|var[ \t]+\w+[ \t]*=|\w+:[ \t][^\n]*,\r?$",
        ),
        (
            -3,
            r"(?:package|using|namespace|#\w+|func|fn|fun|let|function|def|import[ \t]+[\w{*]"
            r"|export[ \t]+(?:default|const|function)|public|private|protected|interface)\b",
        ),
    ),
    symbols=r"(?:(?:abstract|sealed|base|final|interface)[ \t]+)*(?:class|mixin|enum|extension|typedef)[ \t]+\w[^\n]*|"
    + _NO_CALL
    + r"[A-Za-z][\w<>?,]*+[ \t][\w<>?, ]*+\([^\n;]*(?:\{|=>)[^\n]*",
    members=r"[ ]{2}"
    + _NO_CALL
    + r"(?:(?:static|factory|external|const)[ \t]+)*(?:[A-Za-z][\w<>?,.]*[ \t]+)?(?:get[ \t]+\w+"
    r"|\w+\([^\n;]*)(?:\{|=>)[^\n]*",
    imports=r"(?:import|export|part)[ \t]+[^\n]*",
)

_GROOVY = Language(
    "groovy",
    comments="c",
    words="apply plugins dependencies implementation android buildscript repositories task def import ext"
    " compileOnly testImplementation"
    " allprojects pipeline stage steps maven google mavenCentral classpath id compileSdkVersion",
    signs=(
        (
            5,
            r"apply[ \t]+(?:plugin|from)[ \t]*:|(?:plugins|dependencies|android|buildscript|repositories"
            r"|allprojects|subprojects|ext|pipeline|publishing)[ \t]*\{|id[ \t]*\(?['\"][\w.-]+['\"]",
        ),
        (
            4,
            r"(?:implementation|api|compileOnly|testImplementation|androidTestImplementation|classpath"
            r"|compile|testCompile|runtimeOnly)[ \t]*\(?[ \t]*['\"\w]|(?:google|mavenCentral|mavenLocal"
            r"|jcenter)\(\)|task[ \t]+\w+|stage[ \t]*\(",
        ),
        (
            3,
            r"def[ \t]+\w+[ \t]*=[ \t]*[^\n;]+\r?$|def[ \t]+\w+\([^\n]*\)[ \t]*\{|(?:minSdkVersion"
            r"|targetSdkVersion|compileSdkVersion|versionCode|versionName|applicationId|namespace"
            r"|sourceCompatibility)\b|maven[ \t]*\{|rootProject\.",
        ),
        (1, r"\w+[ \t]*\{\r?$|\}\r?$|\w+[ \t]+['\"\w][^\n;=]*\r?$|[\w.]+[ \t]*=[ \t]*[^\n;]+\r?$|if[ \t]*\("),
        (-3, r"(?:fun|val|var|let|const|function|func|fn|using|end|fi|done|local|export|from|#\w+)\b"),
    ),
    symbols=r"(?:(?:plugins|dependencies|android|buildscript|repositories|allprojects|subprojects|ext"
    r"|pipeline)[ \t]*\{|task[ \t]+\w|def[ \t]+\w|class[ \t]+\w)[^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:implementation|api|compileOnly|testImplementation|classpath|id"
    r"|stage)\b[^\n]*",
    imports=r"(?:import[ \t]|apply[ \t])[^\n]*",
    first=r"#!.*\bgroovy",
)

_SOLIDITY = Language(
    "solidity",
    comments="c",
    words="pragma contract import function library interface mapping event modifier using require emit"
    " constructor uint256 address return error",
    signs=(
        (8, r"pragma[ \t]+solidity\b|(?:abstract[ \t]+)?contract[ \t]+\w+[^\n;]*\{|mapping[ \t]*\("),
        (
            5,
            r"function[ \t]+\w+\([^\n]*\)[^\n]*\b(?:public|external|internal|private|view|pure|virtual"
            r"|override|payable)\b|event[ \t]+\w+\([^\n]*;|modifier[ \t]+\w+|emit[ \t]+\w+\("
            r"|using[ \t]+\w+[ \t]+for[ \t]|error[ \t]+\w+\([^\n]*;",
        ),
        (
            3,
            r"(?:uint\d*|int\d+|address|bytes\d*|bool|string)(?:[ \t]+(?:public|private|internal|constant"
            r"|immutable|memory|calldata|storage|payable))*[ \t]+\w+|(?:library"
            r"|interface)[ \t]+\w+[^\n;]*\{|require\(|unchecked[ \t]*\{|assembly[ \t]*[({]",
        ),
        (
            1,
            r"return\b[^\n]*;|import[ \t]+[{\"]|if[ \t]*\(|\}|[\w.]+\([^\n]*\);|function\b"
            r"|\)[^\n]*(?:returns|virtual|view)\b",
        ),
        (-3, r"(?:package|namespace|#\w+|func|fn|fun|let|def|const|export|class|static)\b"),
    ),
    symbols=r"(?:abstract[ \t]+)?(?:contract|library|interface)[ \t]+\w[^\n]*|(?:function|struct|enum"
    r"|error)[ \t]+\w[^\n]*",
    members=r"(?:[ ]{4}|\t)(?:function|modifier|event|constructor|struct|error)\b[^\n]*",
    imports=r"import[ \t]+[^\n]*",
    first=r"//[ \t]*SPDX-License-Identifier[^\n]*\npragma[ \t]+solidity|pragma[ \t]+solidity",
)

CLASSES = (_JAVA, _CSHARP, _KOTLIN, _SCALA, _DART, _GROOVY, _SOLIDITY)
