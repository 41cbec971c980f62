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


class _Search(msgspec.Struct, frozen=True):
    """`either` finds an import or a definition, `imported` tells the former."""

    either: Pattern[bytes]
    imported: Pattern[bytes] | None
    lists_imports: bool

    def is_import(self, found: bytes) -> bool:
        return self.imported is not None and self.imported.match(found) is not None

    def items(self, found: bytes) -> list[bytes]:
        """Each that such an import brings in."""
        return _listed(found) if self.lists_imports and b"(" in found else [found[1:]]


def read_outline(
    seen: Seen, language: Language, *, most_imports: int, most_symbols: int, size: int = BLOCK_BYTES
) -> Outline:
    """Of the whole text: counted exactly, so many of each to be shown."""
    imports, symbols = Hits(most_imports), Hits(most_symbols)
    either = outline_pattern(language)
    search = either and _Search(either, line_pattern(language.imports), language.lists_imports)
    line = 0
    for line, block in numbered_blocks(seen, size):
        if search is not None:
            _add(search, block, line, imports, symbols)
    return Outline(imports, symbols, line + bool(seen.data and not seen.data.endswith(b"\n")))


def _add(search: _Search, block: bytes, line: int, imports: Hits, symbols: Hits) -> None:
    found: list[bytes] = search.either.findall(block)
    importing, brought_in = _imports(search, found, is_counted=not imports.has_room)
    _show(search, block, line, (imports, importing), (symbols, len(found) - importing))
    imports.count += brought_in
    symbols.count += len(found) - importing


def _imports(search: _Search, found: list[bytes], *, is_counted: bool) -> tuple[int, int]:
    """How many of them import, and how much they bring in. To ask of all at once takes a third of the time.

    No import goes on over a blank line, or over another one, so that none is lost between them.
    """
    if search.imported is None or not found:
        return 0, 0
    if is_counted and not search.lists_imports:
        importing = len(search.imported.findall(b"\n".join(found)))
        return importing, importing
    texts = list(filter(search.imported.match, found))
    return len(texts), sum(len(search.items(text)) for text in texts)


def _show(search: _Search, block: bytes, line: int, imports: tuple[Hits, int], symbols: tuple[Hits, int]) -> None:
    """Where a hit stands is only asked up to the last one that is shown: most of a long text is just counted."""
    left = {True: imports[1], False: symbols[1]}
    hits = {True: imports[0], False: symbols[0]}
    at = 0
    matches = search.either.finditer(block)
    while any(left[which] and hits[which].has_room for which in hits):
        match = next(matches)
        line += block.count(b"\n", at, match.start())
        at = match.start()
        which = search.is_import(match[0])
        left[which] -= 1
        hits[which].show(line, search.items(match[0]) if which else [match[0][1:]])


def _listed(imported: bytes) -> list[bytes]:
    """The lines of a list between brackets that are no comments."""
    rows = imported[imported.index(b"(") + 1 : imported.rindex(b")")].split(b"\n")
    return [row for row in rows if row.strip() and not row.strip().startswith(b"//")]
