"""How many records a table has, and which of them have another number of fields than the rest."""

from collections.abc import Iterable

import msgspec

from .quoting import Outside

MOST_UNEVEN = 8
"""With more than a few of them it is no table; a cut makes one at either end, and a tool adds a line or two."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """`records` leaves out blank lines; `uneven` are those that have not `columns` fields, by number, with theirs.

    `unclosed` says that the text ends inside a quoted field, `unclosed_lines` how many lines do; `regular` that quotes
    occur only around fields.
    """

    columns: int
    records: int
    uneven: list[tuple[int, int]]
    unclosed: bool
    unclosed_lines: int
    quoted: bool
    regular: bool


def shape(blocks: Iterable[bytes], delimiter: bytes, columns: int, *, quotes: bool = True) -> Shape | None:
    """The shape of a text, or None as soon as too many of its records have not `columns` fields.

    `quotes` False takes quotes for letters.
    """
    outside = Outside(blocks, delimiter)
    counter = _Counter(delimiter, columns)
    for block in outside if quotes else blocks:
        if block:
            counter.take(block)
        if len(counter.uneven) > MOST_UNEVEN:
            return None
    counter.end()
    if len(counter.uneven) > MOST_UNEVEN:
        return None
    return Shape(
        columns=columns,
        records=counter.records,
        uneven=counter.uneven,
        unclosed=outside.unclosed,
        unclosed_lines=outside.unclosed_lines if outside.unclosed else 0,
        quoted=outside.quoted,
        regular=outside.regular,
    )


class _Counter:
    """Takes what stands outside quotes, and compares the delimiters and line ends of blocks with what is due."""

    def __init__(self, delimiter: bytes, columns: int) -> None:
        self.records = 0
        self.uneven: list[tuple[int, int]] = []
        self._delimiter = delimiter
        self._columns = columns
        self._line = delimiter * (columns - 1) + b"\n"
        self._others = bytes(byte for byte in range(256) if byte not in delimiter + b"\n")
        self._pending = 0
        """Delimiters of the line that is not yet at its end."""
        self._has_ink = False

    def take(self, block: bytes) -> None:
        first = block.find(b"\n") + 1
        if first == 0:
            self._pending += block.count(self._delimiter)
            self._has_ink = self._has_ink or not block.isspace()
            return
        last = block.rfind(b"\n") + 1
        self._record(
            self._pending + block.count(self._delimiter, 0, first), self._has_ink or not block[:first].isspace()
        )
        if last > first:
            self._lines(block[first:last] if first or last < len(block) else block)
        self._pending = block.count(self._delimiter, last)
        self._has_ink = last < len(block) and not block[last:].isspace()

    def end(self) -> None:
        if self._pending or self._has_ink:
            self._record(self._pending, self._has_ink)

    def _lines(self, lines: bytes) -> None:
        if self._are_even(lines) or self._are_even(lines := _without_blank(lines)):
            return
        for line in lines.removesuffix(b"\n").split(b"\n"):
            self._record(line.count(self._delimiter), not (not line or line.isspace()))
            if len(self.uneven) > MOST_UNEVEN:
                break

    def _are_even(self, lines: bytes) -> bool:
        signature = lines.translate(None, self._others)
        count, rest = divmod(len(signature), len(self._line))
        if rest or signature != self._line * count:
            return False
        self.records += count
        return True

    def _record(self, delimiters: int, has_ink: bool) -> None:
        """A line without anything in it is no record; one of delimiters alone is, of empty fields."""
        if delimiters == self._columns - 1:
            self.records += 1
        elif has_ink:
            self.uneven.append((self.records, delimiters + 1))
            self.records += 1


def _without_blank(lines: bytes) -> bytes:
    """But for those of blanks."""
    lines = lines.replace(b"\r\n", b"\n")
    while b"\n\n" in lines:
        lines = lines.replace(b"\n\n", b"\n")
    return lines.removeprefix(b"\n")
