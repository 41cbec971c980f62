"""How the common languages begin an import and a top-level definition. Every pattern is tried on one clipped line."""

import re
from re import Pattern

import msgspec


class Language(msgspec.Struct, frozen=True):
    """`first` marks a file by its beginning alone, `inner_import` is a line of a bracketed import list."""

    name: str
    symbol: Pattern[str]
    imports: Pattern[str]
    first: Pattern[str] | None = None
    inner_import: Pattern[str] | None = None


_C_TYPE = r"(?:(?:static|inline|extern|const|unsigned|signed|struct|constexpr|virtual|explicit)\s+){0,4}"

LANGUAGES = (
    Language(
        "python",
        symbol=re.compile(r"(?:async\s+def|def|class)\s+\w+\s*[(:\[]"),
        imports=re.compile(
            r"(?:from\s+[\w.]+\s+import\s+[\w(*]|import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*(?:#|$))"
        ),
        first=re.compile(r"#!.*\bpython"),
    ),
    Language(
        "typescript",
        symbol=re.compile(
            r"(?:export\s+)?(?:declare\s+)?(?:interface\s+\w+[^;]*\{|type\s+\w+[^=]{0,80}=|enum\s+\w+\s*\{|namespace\s+[\w.]+\s*\{"
            r"|(?:const|let|function)\s.*\)\s*:\s*\w|(?:const|let)\s+\w+\s*:\s*\w|abstract\s+class\s+\w)"
        ),
        imports=re.compile(r"import\s+type\s"),
    ),
    Language(
        "javascript",
        symbol=re.compile(
            r"(?:export\s+)?(?:default\s+)?(?:(?:async\s+)?function\b\s*\*?\s*\w*\s*\(|class\s+\w+[^;]*\{|(?:const|let|var)\s+(?:[\w$]+|\{[^}]*\}|\[[^\]]*\])\s*="
            r"|module\.exports\b|exports\.\w+\s*=)"
        ),
        imports=re.compile(r"import\s+(?:[\w*{].*\s+from\s+)?['\"]|import\s*\{\s*$|(?:const|let|var)\s.*=\s*require\("),
        first=re.compile(r"#!.*\b(?:node|deno|bun)\b|['\"]use strict['\"]"),
    ),
    Language(
        "go",
        symbol=re.compile(r"func\s+(?:\([^)]*\)\s*)?\w+\s*[(\[]|type\s+\w+[\s\[]|(?:var|const)\s+(?:\w+\s|\()"),
        imports=re.compile(r"import\s+(?:\w+\s+)?\""),
        first=re.compile(r"package\s+\w+\s*$"),
        inner_import=re.compile(r"\s+(?:[\w.]+\s+)?\"[^\"]+\"\s*$"),
    ),
    Language(
        "java",
        symbol=re.compile(
            r"(?:@interface\s+\w|(?:(?:public|private|protected|abstract|final|static|sealed)\s+){0,4}"
            r"(?:class|interface|enum|record)\s+[A-Z]\w*[^;]*\{?\s*$)"
        ),
        imports=re.compile(r"import\s+(?:static\s+)?[\w.]+(?:\.\*)?;"),
        first=re.compile(r"package\s+[\w.]+;"),
    ),
    Language(
        "csharp",
        symbol=re.compile(
            r"namespace\s+[\w.]+\s*[;{]?\s*$|(?:(?:public|private|internal|protected|abstract|sealed|static|partial)\s+){1,4}"
            r"(?:class|interface|struct|enum|record)\s+\w"
        ),
        imports=re.compile(r"using\s+(?:static\s+)?[A-Z][\w.]*;"),
    ),
    Language(
        "kotlin",
        symbol=re.compile(
            r"(?:(?:private|internal|public|override|suspend|inline|data|sealed|open|abstract)\s+){0,4}(?:fun\s+[\w<(]|object\s+\w+\s*[{:])"
        ),
        imports=re.compile(r"import\s+[a-z]\w*(?:\.\w+)+\s*$"),
    ),
    Language(
        "c",
        symbol=re.compile(
            _C_TYPE + r"[A-Za-z_][\w:<>]*[\s*&]+\**[\w:~]+\([^;]*\)\s*(?:const)?\s*\{?\s*$"
            r"|(?:typedef\s+)?(?:struct|union|enum)\s+\w*\s*\{|#define\s+\w|template\s*<|class\s+\w+[^;]*\{?\s*$|namespace\s+\w*\s*\{"
        ),
        imports=re.compile(r"#\s*include\s*[<\"]|using\s+namespace\s"),
        first=re.compile(r"#\s*(?:pragma\s+once|ifndef\s+\w+_H)"),
    ),
    Language(
        "rust",
        symbol=re.compile(
            r"(?:pub(?:\([\w: ]+\))?\s+)?(?:async\s+|unsafe\s+){0,2}"
            r"(?:fn\s+\w+|struct\s+\w+|enum\s+\w+|trait\s+\w+|impl\b.*\{|mod\s+\w+|(?:static|const)\s+\w+\s*:|const\s+fn\s|macro_rules!)"
        ),
        imports=re.compile(r"(?:pub\s+)?use\s+(?:[a-z_]\w*::|\{).*[;{]\s*$|extern\s+crate\s"),
    ),
    Language(
        "perl",
        symbol=re.compile(r"sub\s+\w+\s*(?:\{|$)|package\s+[\w:]+\s*[;{]"),
        imports=re.compile(r"(?:use|require)\s+(?:[A-Z]\w*(?:::\w+)*|strict|warnings|v?5[\d._]*|lib|parent|base)\b.*;"),
        first=re.compile(r"#!.*\bperl"),
    ),
    Language(
        "ruby",
        symbol=re.compile(r"(?:class|module)\s+[A-Z][\w:]*(?:\s*<\s*[\w:]+)?\s*$|def\s+[\w.]+[?!=]?\s*(?:\(.*\))?\s*$"),
        imports=re.compile(r"require(?:_relative)?\s*\(?['\"]"),
        first=re.compile(r"#!.*\bruby|# frozen_string_literal"),
    ),
    Language(
        "php",
        symbol=re.compile(r"(?:(?:abstract|final|readonly)\s+){0,3}(?:class|interface|trait|enum|function)\s+\w+"),
        imports=re.compile(r"use\s+[A-Z]\w*(?:\\\w+)+.*;|(?:require|include)(?:_once)?\b.*;"),
        first=re.compile(r"<\?php"),
    ),
    Language(
        "shell",
        symbol=re.compile(r"(?:function\s+)?[\w-]+\s*\(\)\s*(?:\{|$)|function\s+[\w-]+\s*\{"),
        imports=re.compile(r"(?:source|\.)\s+[\"'$./~\w]\S*\s*$"),
        first=re.compile(r"#!.*\b(?:ba|z|k|da|a)?sh\b"),
    ),
    Language(
        "sql",
        symbol=re.compile(
            r"(?:create|alter)\s+(?:or\s+replace\s+)?(?:temporary\s+|unique\s+|materialized\s+)?"
            r"(?:table|view|index|function|procedure|trigger|type|schema)\s|insert\s+into\s|select\s.*\sfrom\s",
            re.IGNORECASE,
        ),
        imports=re.compile(r"\\i\s|\\ir\s"),
    ),
)
