"""Languages that declare: SQL, Protocol Buffers, GraphQL and HCL (Terraform)."""

from coatcheck_core.synopsis.code.language import Language

_OBJECT = (
    r"(?:or[ \t]+(?:replace|alter)[ \t]+)?(?:global[ \t]+|local[ \t]+|temp(?:orary)?[ \t]+|unlogged[ \t]+"
    r"|unique[ \t]+|materialized[ \t]+|recursive[ \t]+|external[ \t]+|virtual[ \t]+|trusted[ \t]+"
    r"|constraint[ \t]+|event[ \t]+|foreign[ \t]+|clustered[ \t]+|nonclustered[ \t]+)*"
    r"(?:table|view|index|function|procedure|trigger|type|schema|database|sequence|role|user|extension"
    r"|domain|operator|policy|aggregate|cast|server|rule|collation|package|synonym|language|publication)\b"
)
_SQL = Language(
    "sql",
    comments="dash",
    hints="SELECT FROM INSERT VALUES VARCHAR",
    words="select SELECT create CREATE insert INSERT update UPDATE delete DELETE from FROM where WHERE alter"
    " ALTER drop DROP set SET"
    " begin BEGIN commit COMMIT with WITH and AND join JOIN left LEFT group GROUP order ORDER grant GRANT"
    " declare DECLARE end END"
    " comment COMMENT constraint CONSTRAINT primary PRIMARY foreign FOREIGN as AS returns RETURNS language"
    " LANGUAGE explain EXPLAIN"
    " values VALUES IF copy COPY use USE union UNION inner INNER OR having on ON foreign pragma PRAGMA LANGUAGE AS",
    signs=(
        (6, r"(?i:(?:create|alter|drop)[ \t]+" + _OBJECT + ")"),
        (
            5,
            r"(?i:insert[ \t]+(?:or[ \t]+\w+[ \t]+|ignore[ \t]+)?into[ \t]+[\w\"`\[.]"
            r"|delete[ \t]+from[ \t]+[\w\"`.]|update[ \t]+[\w\"`.]+[ \t]+set\b|truncate[ \t]+table"
            r"|merge[ \t]+into|replace[ \t]+into|copy[ \t]+[\w.\"]+[ \t(][^\n]*\bfrom\b)",
        ),
        (
            4,
            r"(?i:select\b(?:[ \t]+distinct\b)?[ \t]*(?:$|[^\n;]*?(?:\bfrom\b|,[ \t]*\r?$|\bas\b|\()[^\n]*"
            r"|[\w.*\"\[\]]+[ \t]*(?:,[^\n]*|;|\r?$)))",
        ),
        (
            4,
            r"(?i:(?:left|right|inner|outer|full|cross|natural)[ \t]+(?:outer[ \t]+)?join\b|group[ \t]+by\b"
            r"|order[ \t]+by\b|union[ \t]+(?:all|select)|primary[ \t]+key\b|foreign[ \t]+key\b"
            r"|(?:constraint|references)[ \t]+[\w\"`]+|returns[ \t]+\w|language[ \t]+'?\w+'?"
            r"|grant[ \t]+\w+[^\n]*\b(?:on|to)\b|comment[ \t]+on[ \t]"
            r"|with[ \t]+(?:recursive[ \t]+)?\w+[^\n]*\bas[ \t]*\(|explain[ \t]|on[ \t]+(?:conflict"
            r"|duplicate|delete|update)\b|pragma[ \t]+\w+|(?:un)?lock[ \t]+tables)",
        ),
        (
            3,
            r"(?i:from[ \t]+[\w\"`\[.(]+(?:[ \t]+(?:as[ \t]+)?\w+)?[ \t]*(?:[,;)(]|\r?$|where\b|join\b"
            r"|on\b)|where[ \t]+[^\n]*(?:[=<>]|\bin\b|\bis\b|\blike\b|\bexists\b)|join[ \t]+[\w\"`.(]"
            r"|values[ \t]*\(|and[ \t]+[^\n]*[=<>]|set[ \t]+(?:[\w@.]+[ \t]*(?:=|\bto\b))[^\n]*"
            r"|commit\b[^\n]*;|begin\b[^\n]*;|rollback\b|declare\b|having\b|go\r?$|end;|\$\w*\$|delimiter\b"
            r"|values\b)",
        ),
        (
            3,
            r"[\"`\[]?\w+[\"`\]]?[ \t]+(?i:(?:big|small|tiny|medium)?int(?:eger|\d)?\b|varchar|nvarchar"
            r"|text\b|char\b|character[ \t]+varying|timestamp|timestamptz|date\b|datetime|boolean|bool\b"
            r"|numeric|decimal|serial|bigserial|uuid\b|jsonb?\b|real\b|double[ \t]+precision|blob\b|bytea"
            r"|oid\b|float\b)[^\n;{=:]*,?\r?$",
        ),
        (
            2,
            r"\\(?:i|ir|c|set|echo|d\w?|pset|quit|if|endif|gset|connect)\b|(?i:(?:raise|perform|execute"
            r"|return[ \t]+(?:query|new|old)|if\b[^\n]*\bthen|end[ \t]+if|loop|end[ \t]+loop)\b)",
        ),
        (
            1,
            r"\)[^\n]{0,60};?\r?$|\(\r?$|\([^\n]*\)[,;]\r?$|'[^'\n]*'[,;)]|(?i:as|and|or|on|is|not|null"
            r"|case|when|then|else|end)\b[^\n]*",
        ),
        (
            -3,
            r"(?:def|class|import|var|let|const|function|local|public|private|#\w+|my|sub|fi|done|func|fn"
            r"|package|struct|static)\b|[^\n]*\{[ \t]*\r?$|\}|[\w.]+\([^\n]*\);\r?$",
        ),
    ),
    symbols=r"(?i:(?:create|alter|drop)[ \t]+" + _OBJECT + r"[^\n]*)",
    members=r"(?i:select|insert|update|delete|with|merge|call|copy|grant|truncate)\b[^\n]*",
    imports=r"\\ir?[ \t][^\n]*|(?i:source|use)[ \t]+[\w.`\"/-]+;?[ \t]*\r?(?=\n|\Z)",
    first=r"--[^\n]*(?:PostgreSQL database dump|MySQL dump)|PRAGMA foreign_keys|BEGIN TRANSACTION;",
)

_PROTOBUF = Language(
    "protobuf",
    comments="c",
    words="syntax package import option message enum service rpc repeated string int32 optional required oneof"
    " reserved extend map bool"
    " int64 bytes uint32 extensions",
    signs=(
        (
            8,
            r"syntax[ \t]*=[ \t]*[\"']proto[23]|edition[ \t]*=[ \t]*\"|rpc[ \t]+\w+[ \t]*\([^\n]*"
            r"|option[ \t]+\(?\w[\w.]*\)?(?:\.\w+)*[ \t]*=[^\n]*;",
        ),
        (
            6,
            r"(?:repeated|optional|required)?[ \t]*(?:\.?[A-Za-z][\w.]*"
            r"|map<[^\n>]*>)[ \t]+\w+[ \t]*=[ \t]*\d+[ \t]*(?:\[[^\n]*|;)|(?:reserved"
            r"|extensions)[ \t]+[\d\"]",
        ),
        (
            4,
            r"(?:message|service|oneof|extend)[ \t]+[\w.]+[ \t]*\{|import[ \t]+(?:public[ \t]+"
            r"|weak[ \t]+)?\"[^\"\n]+\.proto\";",
        ),
        (1, r"enum[ \t]+\w+[ \t]*\{|[A-Z_0-9]+[ \t]*=[ \t]*\d+[^\n]*;|\}|package[ \t]+[\w.]+;"),
        (-3, r"(?:public|private|static|void|const|var|let|def|class|function|return|if|for|#\w+|func|struct)\b"),
    ),
    symbols=r"(?:message|enum|service|extend)[ \t]+\w[^\n]*|package[ \t][^\n]*",
    members=r"(?:[ ]{2,4}+|\t)(?![ \t\r\n}/*#])(?:rpc|message|enum|oneof)[ \t]+\w[^\n]*",
    imports=r"import[ \t]+[^\n]*",
    first=r"syntax[ \t]*=[ \t]*[\"']proto[23]",
)

_GRAPHQL = Language(
    "graphql",
    comments="hash",
    words="type input enum interface union scalar query mutation subscription fragment schema extend directive"
    " id ID node edges",
    signs=(
        (
            5,
            r"(?:extend[ \t]+)?(?:type|input"
            r"|interface)[ \t]+[A-Z]\w*(?:[ \t]+implements[ \t][^\n]*)?[^\n=;()]*\{\r?$"
            r"|scalar[ \t]+[A-Z]\w*|directive[ \t]+@\w+|union[ \t]+\w+[ \t]*="
            r"|fragment[ \t]+\w+[ \t]+on[ \t]+\w|schema[ \t]*\{|\.\.\.[ \t]*(?:on[ \t]+)?\w",
        ),
        (4, r"(?:query|mutation|subscription)\b[ \t]*\w*[ \t]*(?:\([^\n]*\$\w+:[^\n]*)?\{?\r?$"),
        (
            4,
            r"\w+(?:\([^\n]*\))?[ \t]*:[ \t]*\[?(?:ID|String|Int|Float|Boolean"
            r"|[A-Z]\w*)!?\]?!?(?:[ \t]*(?:@|=)[^\n]*)?\r?$",
        ),
        (1, r"enum[ \t]+[A-Z]\w*[ \t]*\{|[A-Z_]+\r?$|\w+\r?$|\w+(?:\([^\n]*\))?[ \t]*\{\r?$|\}|\"\"\""),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:export|import|const|let|var|function|class|return|if|def|func|package"
            r"|public|private)\b",
        ),
    ),
    symbols=r"(?:(?:extend[ \t]+)?(?:type|input|enum|interface|union|scalar|directive|schema)|query|mutation"
    r"|subscription|fragment)\b[^\n]*",
    imports=r"#[ \t]*import[ \t][^\n]*",
)

_HCL = Language(
    "hcl",
    comments="hash",
    words="resource variable provider module output data terraform locals backend required_providers for_each"
    " lifecycle",
    signs=(
        (
            8,
            r"(?:resource|data)[ \t]+\"[\w-]+\"[ \t]+\"[\w-]+\"[ \t]*\{|(?:variable|provider|module|output"
            r"|backend|provisioner)[ \t]+\"[\w-]+\"[ \t]*\{|(?:terraform|locals|required_providers"
            r"|lifecycle|moved)[ \t]*\{\r?$",
        ),
        (
            1,
            r"[\w-]+[ \t]*=[ \t]*(?:\"[^\n]*|\[[^\n]*|\{[^\n]*|true|false|\d+|(?:var|local|module|data|each"
            r"|aws_\w+)\.[\w.\[\]*]+|\w+\([^\n]*)[^\n;]?\r?$",
        ),
        (1, r"\w+[ \t]*(?:\"[\w-]+\"[ \t]*)?\{\r?$|\}|\]|\"[^\n]*,\r?$"),
        (
            -3,
            r"[^\n]*;[ \t]*\r?$|(?:export|import[ \t]|const|let|var[ \t]|function|class|return|if|def|func"
            r"|package|public|private|\[[\w.-]+\]\r?$)\b",
        ),
    ),
    symbols=r"(?:resource|data|variable|provider|module|output|terraform|locals|moved|import)\b[^\n]*\{[^\n]*",
    imports=r"[ \t]+source[ \t]*=[^\n]*",
)

DECLARING = (_SQL, _PROTOBUF, _GRAPHQL, _HCL)
