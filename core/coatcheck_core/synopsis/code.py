"""Source code: which language, what it imports, what it defines at its top level."""

from collections.abc import Iterator

import msgspec

from coatcheck_schemas.synopsis import CodeFacts

from .bounds import clip
from .languages import LANGUAGES, Language
from .seen import count_lines

MAX_IMPORTS = 12
IMPORT_CHARS = 180
MAX_SYMBOLS = 24
SYMBOL_CHARS = 200

_PROBED_CHARS = 24_000
_PROBED_LINES = 400
_MATCHED_CHARS = 300
_LEAST_DENSITY = 0.5
_CODE_ENDS = ("{", "}", ";", ":", "(", ")", ",", "[", "]", "=", "*/", '"""', "'''", ");", "`")
_CODE_STARTS = ("//", "/*", "*", "#", "@", "}", ")", "<?", "--", "return ", "if ", "for ", "end")


class Code(msgspec.Struct, frozen=True):
    facts: CodeFacts
    language: str


def read_code(text: str) -> Code | None:
    """Facts where a language's definitions or imports are met and most lines have the shape of code."""
    probe = [line[:_MATCHED_CHARS] for line in text[:_PROBED_CHARS].split("\n", _PROBED_LINES)[:_PROBED_LINES]]
    language = _language(probe)
    if language is None:
        return None
    lines = text.split("\n")
    imports = list(_imports(lines, language))
    symbols = [line for line in lines if _is_top(line) and language.symbol.match(line[:_MATCHED_CHARS])]
    symbols = [line for line in symbols if not language.imports.match(line[:_MATCHED_CHARS])]
    facts = CodeFacts(
        lines=count_lines(text),
        imports=[clip(line.strip(), IMPORT_CHARS) for line in imports[:MAX_IMPORTS]],
        import_count=len(imports),
        symbols=[clip(line.rstrip(), SYMBOL_CHARS) for line in symbols[:MAX_SYMBOLS]],
        symbol_count=len(symbols),
    )
    return Code(facts, language.name)


def _language(lines: list[str]) -> Language | None:
    """The language with the most definitions and imports; of equals the first, which is the more particular one."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return None
    top = [line for line in filled if _is_top(line)]
    best: Language | None = None
    most = 0
    for language in LANGUAGES:
        marked = language.first is not None and any(language.first.match(line) for line in filled[:3])
        score = sum(1 for line in top if language.symbol.match(line) or language.imports.match(line)) + 3 * marked
        if score > most:
            best, most = language, score
    if most >= 3 and any(language.first and language.first.match(filled[0]) for language in LANGUAGES):
        return best
    return best if most and len(filled) > 1 and _density(filled) >= _LEAST_DENSITY else None


def _density(lines: list[str]) -> float:
    """The share of lines that end, begin or are indented as code is."""
    shaped = sum(
        1
        for line in lines
        if line[0] in " \t" or line.rstrip().endswith(_CODE_ENDS) or line.startswith(_CODE_STARTS) or _is_import(line)
    )
    return shaped / len(lines)


def _is_import(line: str) -> bool:
    return line.startswith(("import ", "from ", "use ", "using ", "require", "package "))


def _is_top(line: str) -> bool:
    return line != "" and line[0] not in " \t}\r"


def _imports(lines: list[str], language: Language) -> Iterator[str]:
    inside = False
    for line in lines:
        if inside:
            inside = not line.startswith(")")
            if inside and language.inner_import and language.inner_import.match(line[:_MATCHED_CHARS]):
                yield line
        elif _is_top(line):
            inside = language.inner_import is not None and line.rstrip() == "import ("
            if not inside and language.imports.match(line[:_MATCHED_CHARS]):
                yield line
