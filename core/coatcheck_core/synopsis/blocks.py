"""A long text in blocks: what is done at once is bounded in time, and copied at most a block at a time."""

from collections.abc import Iterator

from .effort import Step, unhurried

BLOCK_BYTES = 256 * 1024
"""A millisecond or so of work for a compiled search, which holds the interpreter's lock all the while."""


def blocks(data: bytes, step: Step = unhurried, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """`data` in order, about `size` bytes each: whole lines where one ends, else cut between two code points."""
    at = 0
    while at < len(data):
        step()
        end = at + size
        if end >= len(data):
            end = len(data)
        elif (newline := data.rfind(b"\n", at, end)) >= 0:
            end = newline + 1
        else:
            end = boundary(data, end)
        yield data[at:end]
        at = end


def boundary(data: bytes, at: int) -> int:
    """`at`, or up to three bytes before it, so that no code point is cut; bytes that are no UTF-8 are cut anywhere."""
    if at >= len(data):
        return len(data)
    return next((start for start in range(at, max(at - 4, -1), -1) if data[start] & 0xC0 != 0x80), at)
