"""A long text in blocks: what is done at once is bounded in time, and copied at most a block at a time."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .effort import Step, unhurried

BLOCK_BYTES = 256 * 1024
"""A millisecond or so of work for a compiled search, which holds the interpreter's lock all the while."""
BEHIND_BYTES = 1024
AHEAD_BYTES = 512


class Window(msgspec.Struct, frozen=True):
    """A block with what stands around it: of `text`, what begins in `start:end` is the block's own.

    The first window's `text` begins with two newlines that the text itself lacks: there too a line follows a newline,
    and a blank line.
    """

    text: bytes
    start: int
    end: int
    is_last: bool


def blocks(data: bytes, step: Step = unhurried, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """`data` in order, about `size` bytes each: whole lines where one ends, else cut between two code points."""
    at = 0
    while at < len(data):
        step()
        end = _block_end(data, at, size)
        yield data[at:end]
        at = end


def windows(data: bytes, step: Step = unhurried, size: int = BLOCK_BYTES) -> Iterator[Window]:
    """The same blocks, each with the lines around it, for a search that looks at the lines before and behind.

    A search for a newline and what follows it finds each line of the text in one window alone, if it takes what it
    finds where the newline stands in `start - 1:end - 1`: see `own`.
    """
    at = 0
    while at < len(data):
        step()
        end = _block_end(data, at, size)
        before = b"\n\n" + data[:at] if at < BEHIND_BYTES else data[at - BEHIND_BYTES : at]
        yield Window(before + data[at : end + AHEAD_BYTES], len(before), len(before) + end - at, end == len(data))
        at = end


def own(window: Window, newline: int) -> bool:
    """Whether the line behind that newline begins in the window's own block."""
    return window.start <= newline + 1 < window.end


def found_in(window: Window, pattern: re.Pattern[bytes]) -> list[Any]:
    """What `findall` gives of the lines that begin in the window's own block, whole even where one goes on behind it.

    For patterns that begin with a newline, or stay within a line.
    """
    if window.is_last or window.text[window.end - 1] == 0x0A:
        return pattern.findall(window.text, window.start - 1, window.end)
    matches = (match for match in pattern.finditer(window.text, window.start - 1) if own(window, match.start()))
    return [match.groups(b"") if pattern.groups > 1 else match[pattern.groups] for match in matches]


def boundary(data: bytes, at: int) -> int:
    """`at`, or up to three bytes before it, so that no code point is cut; bytes that are no UTF-8 are cut anywhere."""
    if at >= len(data):
        return len(data)
    return next((start for start in range(at, max(at - 4, -1), -1) if data[start] & 0xC0 != 0x80), at)


def _block_end(data: bytes, at: int, size: int) -> int:
    end = at + size
    if end >= len(data):
        return len(data)
    newline = data.rfind(b"\n", at, end)
    return newline + 1 if newline >= 0 else boundary(data, end)
