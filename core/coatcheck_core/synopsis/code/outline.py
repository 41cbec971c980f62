"""What code imports and what it defines, found in one search of each block."""

from re import Pattern

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.seen import Seen

from .language import Language, line_pattern, outline_pattern
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
    either, imported = outline_pattern(language), line_pattern(language.imports)
    line = 0
    for line, block in numbered_blocks(seen, size):
        if either is not None:
            _add(block, line, language, either, imported, imports, symbols)
    return Outline(imports, symbols, line + bool(seen.data and not seen.data.endswith(b"\n")))


def _add(
    block: bytes,
    line: int,
    language: Language,
    either: Pattern[bytes],
    imported: Pattern[bytes] | None,
    imports: Hits,
    symbols: Hits,
) -> None:
    """Where each hit stands is only asked of the first blocks: most of a long text is just counted."""
    found: list[bytes] = either.findall(block)
    importing = [] if imported is None else list(filter(imported.match, found))
    shows = (imports.has_room and bool(importing)) or (symbols.has_room and len(found) > len(importing))
    if not shows:
        imports.count += sum(len(_items(text)) for text in importing) if language.lists_imports else len(importing)
        symbols.count += len(found) - len(importing)
        return
    at = 0
    for match in either.finditer(block):
        line += block.count(b"\n", at, match.start())
        at = match.start()
        if imported is None or not imported.match(match[0]):
            symbols.take(line, [match[0][1:]])
        else:
            imports.take(line, _items(match[0]) if language.lists_imports else [match[0][1:]])


def _items(imported: bytes) -> list[bytes]:
    """The lines of a list between brackets, without comments; or that one line."""
    if b"(" not in imported:
        return [imported[1:]]
    listed = imported[imported.index(b"(") + 1 : imported.rindex(b")")]
    return [row for row in listed.split(b"\n") if row.strip() and not row.strip().startswith(b"//")]
