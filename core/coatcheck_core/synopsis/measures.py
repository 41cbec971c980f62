"""How long a text is, in chars, words and lines, counted block by block."""

import re

import msgspec

from .blocks import BLOCK_BYTES, blocks
from .effort import Step, unhurried

_CONTINUATION = bytes(range(0x80, 0xC0))
_SPACE = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_MARKED = bytes(0x20 if byte in _SPACE else 0x78 for byte in range(256))
"""White space as a blank, everything else as an `x`: a word begins at each ` x`."""
_WIDE_SPACES = (
    (b"\xc2", re.compile(rb"\xc2[\x85\xa0]")),
    (b"\xe1", re.compile(rb"\xe1\x9a\x80")),
    (b"\xe2", re.compile(rb"\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)")),
    (b"\xe3\x80\x80", re.compile(rb"\xe3\x80\x80")),
)
"""The white space of `str.split` that is not ASCII, in UTF-8, behind what it begins with: one byte is found fast."""


class Measures(msgspec.Struct, frozen=True):
    """`words` as `str.split` has them; a line ends at a newline alone, a last one without it counts."""

    chars: int
    words: int
    lines: int


def measure(data: bytes, step: Step = unhurried) -> Measures:
    """Of UTF-8 bytes, at most a block of them copied at a time."""
    chars = words = lines = 0
    before = b" "
    for block in blocks(data, step):
        is_ascii = block.isascii()
        chars += len(block) if is_ascii else len(block.translate(None, _CONTINUATION))
        lines += block.count(b"\n")
        marked = (block if is_ascii else _narrow(block)).translate(_MARKED)
        words += (before + marked).count(b" x")
        before = marked[-1:]
    lines += bool(data) and not data.endswith(b"\n")
    return Measures(chars, words, lines)


def _narrow(block: bytes) -> bytes:
    """Any white space that is not ASCII as a blank."""
    for lead, space in _WIDE_SPACES:
        if lead in block:
            block = space.sub(b" ", block)
    return block


def place_of(data: bytes, at: int, step: Step = unhurried) -> tuple[int, int]:
    """How many chars and how many newlines stand before that byte."""
    chars = lines = 0
    for start in range(0, at, BLOCK_BYTES):
        step()
        block = data[start : min(start + BLOCK_BYTES, at)]
        chars += len(block) if block.isascii() else len(block.translate(None, _CONTINUATION))
        lines += block.count(b"\n")
    return chars, lines
