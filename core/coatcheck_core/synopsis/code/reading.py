"""Source code: which language, what it imports, what it defines at its top level."""

from collections.abc import Iterator

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import CodeFacts, Synopsis

from .languages import LANGUAGES, Language

MAX_IMPORTS = 12
IMPORT_CHARS = 180
MAX_SYMBOLS = 24
SYMBOL_CHARS = 200

_PROBED_CHARS = 24_000
_PROBED_LINES = 400
_MATCHED_CHARS = 300
_LEAST_DENSITY = 0.5
_LEAST_LINES = 2
_MARK_SCORE = 3
_CERTAIN_STARTS = ("#!", "<?php")
_LINES_A_SIGN = 60
"""An indented document may hold a line that looks like a definition; code has one in so many lines at least."""
_DENSE = 0.9
_DENSE_LINES_A_SIGN = 150
_CODE_ENDS = ("{", "}", ";", ":", "(", ")", ",", "[", "]", "=", "*/", '"""', "'''", ");", "`")
_CODE_STARTS = ("//", "/*", "*", "#", "@", "}", ")", "<?", "--", "return ", "if ", "for ", "end")


def read_code(seen: Seen) -> Synopsis | None:
    """Facts where a language's definitions or imports are met and most lines have the shape of code."""
    text = seen.text
    probe = [line[:_MATCHED_CHARS] for line in text[:_PROBED_CHARS].split("\n", _PROBED_LINES)[:_PROBED_LINES]]
    language = _language(probe)
    if language is None:
        return None
    lines = text.split("\n")
    imports = list(_imports(lines, language))
    symbols = [line for line in lines if _is_top(line) and language.symbol.match(line[:_MATCHED_CHARS])]
    symbols = [line for line in symbols if not language.imports.match(line[:_MATCHED_CHARS])]
    facts = CodeFacts(
        lines=seen.measures.lines,
        imports=[clip(line.strip(), IMPORT_CHARS) for line in imports[:MAX_IMPORTS]],
        import_count=len(imports),
        symbols=[clip(line.rstrip(), SYMBOL_CHARS) for line in symbols[:MAX_SYMBOLS]],
        symbol_count=len(symbols),
    )
    return Synopsis(kind="code", format=language.name, facts=facts)


def _language(lines: list[str]) -> Language | None:
    """The language with the most definitions and imports; of equals the first."""
    filled = [line for line in _unfenced(lines) if line.strip()]
    if len(filled) < _LEAST_LINES:
        return None
    top = [line for line in filled if _is_top(line)]
    best: Language | None = None
    most, best_marked = 0, False
    for language in LANGUAGES:
        marked = language.first is not None and any(language.first.match(line) for line in filled[:3])
        score = sum(_belongs(line, language) for line in top) + _MARK_SCORE * marked
        if score > most:
            best, most, best_marked = language, score, marked
    if best is None or (best_marked and filled[0].startswith(_CERTAIN_STARTS)):
        return best
    density = _density(filled, best)
    lines_a_sign = _DENSE_LINES_A_SIGN if density >= _DENSE else _LINES_A_SIGN
    return best if density >= _LEAST_DENSITY and most * lines_a_sign >= len(filled) else None


def _unfenced(lines: list[str]) -> Iterator[str]:
    """The lines that no Markdown fence holds: code in a document does not make it code."""
    fenced = False
    for line in lines:
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield line


def _belongs(line: str, language: Language) -> bool:
    return bool(language.symbol.match(line) or language.imports.match(line))


def _density(lines: list[str], language: Language) -> float:
    """The share of lines that end, begin or are indented as code is; comments, or what may be a heading, aside."""
    telling = [line for line in lines if not line.startswith(("# ", "##", "* ", "- "))]
    shaped = sum(
        1
        for line in telling
        if line[0] in " \t"
        or line.rstrip().endswith(_CODE_ENDS)
        or line.startswith(_CODE_STARTS)
        or _belongs(line, language)
    )
    return shaped / max(len(telling), 1)


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
