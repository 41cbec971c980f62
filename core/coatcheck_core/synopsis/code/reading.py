"""Source code: which language, what it imports, what it defines."""

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import CodeFacts, Synopsis

from .detecting import find_language
from .language import Language, line_pattern
from .lines import Hits, numbered_blocks
from .outline import read_outline

MAX_IMPORTS = 12
IMPORT_CHARS = 180
MAX_SYMBOLS = 24
SYMBOL_CHARS = 200

_FEW_SYMBOLS = 12
"""Up to that many, there is room for what lies inside them."""

_LONG_BYTES, _PARTS, _PART_BYTES, _LEAST_DENSE_PARTS = 32 * 1024, 8, 3072, 3
_PUNCTUATION = b'{}=;<>[]()_#$@|\t&*+/\\`~^%":'
_LEAST_PUNCTUATION = 0.015
"""A short makefile had 0.022 of it, the least of all code that was looked at; licences have 0.008."""


def read_code(seen: Seen) -> Synopsis | None:
    """Facts where the text is written in a language that is known; None where it is no code.

    The counts are exact, of lines as they begin: a definition in a comment or a long string counts as well.
    """
    found = find_language(seen) if _has_punctuation(seen.data) else None
    if found is None:
        return None
    return Synopsis(kind="code", format=found.name, facts=code_facts(seen, found.language))


def _has_punctuation(data: bytes) -> bool:
    """Whether parts of a long text have as much as code has at least; prose has less, and is told so in no time."""
    if len(data) < _LONG_BYTES:
        return True
    starts = range(0, len(data) - _PART_BYTES, len(data) // _PARTS)
    return sum(_is_dense(data[at : at + _PART_BYTES]) for at in starts) >= _LEAST_DENSE_PARTS


def _is_dense(part: bytes) -> bool:
    """A part of a line that is longer than itself says nothing, and is taken for one."""
    return b"\n" not in part or len(part) - len(part.translate(None, _PUNCTUATION)) >= _LEAST_PUNCTUATION * len(part)


def code_facts(seen: Seen, language: Language) -> CodeFacts:
    """Of the whole text, in that language."""
    outline = read_outline(seen, language, most_imports=MAX_IMPORTS, most_symbols=MAX_SYMBOLS)
    imports, symbols = outline.imports, outline.symbols
    members = _members(seen, language, symbols.count)
    return CodeFacts(
        lines=outline.lines,
        imports=imports.texts(IMPORT_CHARS),
        import_count=imports.count,
        symbols=symbols.texts(SYMBOL_CHARS),
        symbol_count=symbols.count,
        symbol_lines=symbols.lines(),
        members=members.texts(SYMBOL_CHARS),
        member_count=members.count,
        member_lines=members.lines(),
    )


def _members(seen: Seen, language: Language, symbol_count: int) -> Hits:
    """What lies one level in, where the top level leaves room for it."""
    members = Hits(MAX_SYMBOLS - min(symbol_count, MAX_SYMBOLS))
    pattern = line_pattern(language.members)
    if pattern is not None and symbol_count <= _FEW_SYMBOLS:
        for line, block in numbered_blocks(seen):
            members.add(block, line, pattern)
    return members
