"""The text of a table by blocks, its lines ending at a newline whichever way they end in the original."""

from collections.abc import Iterator

from coatcheck_core.once import once
from coatcheck_core.synopsis.blocks import BLOCK_BYTES, blocks, boundary
from coatcheck_core.synopsis.seen import BOM, Seen

from .quoting import QUOTE

HEAD_BYTES = 64 * 1024
_LONG_HEAD_BYTES = 1024 * 1024
"""Where no line ends in a head: a line of 10,000 columns may be this long, one line of prose is no table."""


class Source:
    """Text of old Macs has carriage returns alone; in all others one before a newline belongs to the line's end."""

    def __init__(self, seen: Seen) -> None:
        self._step = seen.step
        self._old = b"\r" in seen.original[:HEAD_BYTES] and b"\n" not in seen.original
        # What a terminal shows of such a text is its last line alone: each was written over the one before.
        self._data = seen.original.removeprefix(BOM) if self._old else seen.data
        self.size = len(self._data)

    @once
    def has_quotes(self) -> bool:
        return QUOTE in self.head or QUOTE in self._data

    def blocks(self, start: int = 0, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        for block in blocks(self._data, self._step, size):
            if start < len(block):
                kept = block[start:] if start else block
                yield kept.replace(b"\r", b"\n") if self._old else kept
            start = max(start - len(block), 0)

    @once
    def head(self) -> bytes:
        """The first bytes, with one line in them at least where that is not very long."""
        head = self._first(HEAD_BYTES)
        return head if b"\n" in head else self._first(_LONG_HEAD_BYTES)

    def tail(self, count: int = HEAD_BYTES) -> bytes:
        start = max(self.size - count, 0)
        while start < self.size and self._data[start] & 0xC0 == 0x80:
            start += 1
        return self._newlines(self._data[start:])

    def _first(self, count: int) -> bytes:
        return self._newlines(self._data[: boundary(self._data, count)])

    def _newlines(self, part: bytes) -> bytes:
        return part.replace(b"\r", b"\n") if self._old else part
