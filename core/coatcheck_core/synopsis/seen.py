"""The text as a person would see it: without byte order mark and terminal escape codes.

It stays bytes, for a text of 100 MB as `str` may take 400 MB: readers work on `blocks`, and decode only what they show.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from .blocks import BLOCK_BYTES, blocks, boundary
from .effort import Step, unhurried
from .measures import Measures, measure

BOM = "\ufeff".encode()
_ESCAPE_CODES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor moves
    rb"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # window titles, links, device strings
    rb"|\x1b[ -/]+[0-~]|\x1b[0-Z\\`-~]"  # character sets and the short ones
)
_OVERSTRIKE = re.compile(rb"(?:[\xc2-\xf4][\x80-\xbf]{1,3}|[^\n\x08])\x08")
_SPACE = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"


class Seen:
    """UTF-8 bytes; `original` is what chars, words and lines are counted of, `data` the same as a person sees it.

    `step` is called before each block, and raises OutOfTime where the work is to end.
    """

    def __init__(self, original: bytes, step: Step = unhurried) -> None:
        self.original = original
        self.step = step
        self.data = visible(original, step)
        self.is_ascii = self.data.isascii()

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """The whole of `data` in order, about `size` bytes each: whole lines, but for a line longer than that."""
        return blocks(self.data, self.step, size)

    def head(self, count: int) -> str:
        """The first bytes, at most `count`, decoded; never cut inside a code point."""
        return self.data[: boundary(self.data, count)].decode()

    def tail(self, count: int) -> str:
        """The last bytes, at most `count`, decoded; never cut inside a code point."""
        start = max(len(self.data) - count, 0)
        while start < len(self.data) and self.data[start] & 0xC0 == 0x80:
            start += 1
        return self.data[start:].decode()

    @cached_property
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

    @cached_property
    def measures(self) -> Measures:
        """Of the original."""
        return measure(self.original, self.step)

    @cached_property
    def text(self) -> str:
        """All of it decoded: for short texts alone, since it takes up to four times the bytes."""
        return self.data.decode()


def visible(data: bytes, step: Step = unhurried) -> bytes:
    """The very bytes where there is nothing to look through."""
    data = data.removeprefix(BOM)
    if b"\x1b" not in data and b"\x08" not in data:
        return data
    return b"".join(_plain(block) for block in blocks(data, step)).removeprefix(BOM)


def _plain(block: bytes) -> bytes:
    if b"\x1b" in block:
        block = _ESCAPE_CODES.sub(b"", block)
    if b"\x08" in block:
        block = _OVERSTRIKE.sub(b"", block)
    return block
