"""The text as a person would see it: without byte order mark and terminal escape codes.

It stays bytes, for a text of 100 MB as `str` may take 400 MB: readers work on `blocks`, and decode only what they show.
"""

from collections.abc import Iterator

from coatcheck_core.once import once

from .blocks import BLOCK_BYTES, Window, blocks, boundary, windows
from .effort import Step, unhurried
from .measures import Measures, measure, place_of
from .terminal import hidden_before, leading_marks, visible

BOM = "\ufeff".encode()
_SPACE = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"


class Seen:
    """UTF-8 bytes; `original` is what chars, words and lines are counted of, `data` the same as a person sees it.

    `step` is called before each block, and raises OutOfTime where the work is to end. `is_plain` says that there is
    nothing to look through.
    """

    def __init__(self, original: bytes, step: Step = unhurried, *, is_plain: bool = False) -> None:
        self.original = original
        self.step = step
        self.data = original if is_plain else visible(original, step)
        self.is_ascii = self.data.isascii()

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """The whole of `data` in order, about `size` bytes each: whole lines, but for a line longer than that."""
        return blocks(self.data, self.step, size)

    def windows(self, size: int = BLOCK_BYTES) -> Iterator[Window]:
        """The same with the lines around each."""
        return windows(self.data, self.step, size)

    def head(self, count: int) -> str:
        """The first bytes, at most `count`, decoded; never cut inside a code point."""
        return self.data[: boundary(self.data, count)].decode()

    def tail(self, count: int) -> str:
        """The last bytes, at most `count`, decoded; never cut inside a code point."""
        return self.between(len(self.data) - count, len(self.data))

    def between(self, start: int, end: int) -> str:
        """Those bytes of `data` decoded, without the code points that the two ends cut."""
        start = max(start, 0)
        while start < len(self.data) and self.data[start] & 0xC0 == 0x80:
            start += 1
        return self.data[start : boundary(self.data, end)].decode() if start < end else ""

    @once
    def start(self) -> int:
        """Where the first character that is no white space stands in `data`; its length where there is none."""
        at = 0
        while at < len(self.data):
            self.step()
            bare = self.data[at : at + BLOCK_BYTES].lstrip(_SPACE)
            if bare:
                return min(at + BLOCK_BYTES, len(self.data)) - len(bare)
            at += BLOCK_BYTES
        return len(self.data)

    @once
    def end(self) -> int:
        """Behind the last character that is no white space; 0 where there is none."""
        at = len(self.data)
        while at > 0:
            self.step()
            bare = self.data[max(at - BLOCK_BYTES, 0) : at].rstrip(_SPACE)
            if bare:
                return max(at - BLOCK_BYTES, 0) + len(bare)
            at -= BLOCK_BYTES
        return 0

    def place(self, at: int) -> tuple[int, int]:
        """Where byte `at` of `data` stands in the original: chars before it, and its 0-based line.

        Exact but where something was struck or written over, and there the line is.
        """
        hidden = leading_marks(self.original)
        if len(self.data) + hidden < len(self.original):
            hidden = hidden_before(self.original, at)
        return place_of(self.original, min(at + hidden, len(self.original)), self.step)

    @once
    def measures(self) -> Measures:
        """Of the original."""
        return measure(self.original, self.step)

    @once
    def text(self) -> str:
        """All of it decoded: for short texts alone, since it takes up to four times the bytes."""
        return self.data.decode()
