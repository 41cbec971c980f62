"""What code imports and what it defines, found in one search of each block."""

from collections.abc import Callable, Iterator
from re import Match, Pattern

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.seen import Seen

from .language import Language, outline_pattern
from .lines import Hits, numbered_blocks


class Outline(msgspec.Struct, frozen=True):
    """Those of the `lines` that import, and those that define: none is both."""

    imports: Hits
    symbols: Hits
    lines: int


def read_outline(
    seen: Seen, language: Language, *, most_imports: int, most_symbols: int, size: int = BLOCK_BYTES
) -> Outline:
    """Of the whole text: counted exactly, so many of each to be shown."""
    imports, symbols = Hits(most_imports), Hits(most_symbols)
    either = outline_pattern(language)
    items = _items if language.lists_imports else _line
    line = 0
    for line, block in numbered_blocks(seen, size):
        if either is None:
            continue
        marks: list[bytes] = either.findall(block) if either.groups else [b""] * len(either.findall(block))
        defining = marks.count(b"")
        importing = len(marks) - defining
        _show(either.finditer(block), items, (block, line), (imports, importing), (symbols, defining))
        symbols.count += defining
        imports.count += _count_listed(either, block) if importing and language.lists_imports else importing
    return Outline(imports, symbols, line + bool(seen.data and not seen.data.endswith(b"\n")))


def _show(
    matches: Iterator[Match[bytes]],
    items: Callable[[bytes], list[bytes]],
    numbered: tuple[bytes, int],
    imports: tuple[Hits, int],
    symbols: tuple[Hits, int],
) -> None:
    """Where a hit stands is only asked up to the last one that is shown: most of a long text is just counted."""
    block, line = numbered
    hits, left = [symbols[0], imports[0]], [symbols[1], imports[1]]
    at = 0
    while any(left[which] and hits[which].has_room for which in (0, 1)):
        match = next(matches)
        line += block.count(b"\n", at, match.start())
        at = match.start()
        which = match.lastindex or 0
        left[which] -= 1
        hits[which].show(line, items(match[0]) if which else _line(match[0]))


def _count_listed(either: Pattern[bytes], block: bytes) -> int:
    return sum(len(_items(match[0])) for match in either.finditer(block) if match.lastindex)


def _line(found: bytes) -> list[bytes]:
    return [found[1:]]


def _items(imported: bytes) -> list[bytes]:
    """Of a list between brackets the lines that are no comments."""
    if b"(" not in imported:
        return _line(imported)
    rows = imported[imported.index(b"(") + 1 : imported.rindex(b")")].split(b"\n")
    return [row for row in rows if row.strip() and not row.strip().startswith(b"//")]
