"""Whether bytes are for people to read."""

from coatcheck_core.encodings.detecting import CONTROLS, MOST_CONTROLS
from coatcheck_core.magic import magic_format as magic_format

from .blocks import blocks
from .effort import Step, unhurried

_EACH_CONTROL = tuple(CONTROLS)
_MOST_REPLACED = 0.2
"""Of the bytes; the character itself has three."""
_REPLACEMENT = "\ufffd".encode()


def is_utf8(data: bytes, step: Step = unhurried) -> bool:
    """Block by block: whole, a text of 100 MB would take four times its size."""
    if data.isascii():
        return True
    try:
        for block in blocks(data, step):
            if not block.isascii():
                block.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_undecodable(data: bytes, step: Step = unhurried) -> bool:
    """Not UTF-8, or with a NUL, or with many characters that could not be decoded before it came here."""
    if b"\0" in data or not is_utf8(data, step):
        return True
    return not data.isascii() and data.count(_REPLACEMENT) * len(_REPLACEMENT) > _MOST_REPLACED * len(data)


def is_controls(data: bytes, step: Step = unhurried) -> bool:
    """With more control characters than a text has. Strict JSON has none of them: it need not be asked."""
    return sum(_controls(block) for block in blocks(data, step)) > MOST_CONTROLS * len(data)


def _controls(block: bytes) -> int:
    """How many; most texts have none, and to look for each of them is quicker than to count them all."""
    if not any(map(block.__contains__, _EACH_CONTROL)):
        return 0
    return len(block) - len(block.translate(None, CONTROLS))
