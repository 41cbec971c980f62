"""How long a part of a text is, in chars."""

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step, unhurried

_CONTINUATION = bytes(range(0x80, 0xC0))


def chars_between(data: bytes, start: int, end: int, step: Step = unhurried) -> int:
    """Code points; of UTF-8."""
    chars = 0
    for at in range(start, end, BLOCK_BYTES):
        step()
        block = data[at : min(at + BLOCK_BYTES, end)]
        chars += len(block) if block.isascii() else len(block.translate(None, _CONTINUATION))
    return chars
