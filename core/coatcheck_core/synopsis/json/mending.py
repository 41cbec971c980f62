"""What other writers put into JSON and strict parsers refuse, mended without moving a byte.

Python's `json` writes NaN, Infinity and -Infinity; JavaScript may escape half of a surrogate pair.
"""

import re
from typing import cast

from coatcheck_core.synopsis.effort import Step, unhurried

NAN = b"0E0"
INFINITY = b"0E000000"
_BLANKS = b" \t\r\n"
_NEAR = 64
_LONE_SURROGATE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])"
)
_MENDED_SURROGATE = rb"\ufffd"


def mended(data: bytes, step: Step = unhurried) -> bytes | None:
    """A copy with numbers in place of what is none, and U+FFFD for half pairs; None where there is nothing to mend."""
    has_surrogates = b"\\ud" in data or b"\\uD" in data
    if not has_surrogates and b"NaN" not in data and b"Infinity" not in data:
        return None
    copy = bytearray(data)
    count = _mend_numbers(data, copy, step)
    if has_surrogates:
        count += _mend_surrogates(data, copy, step)
    # It stays what it is, and does all that is asked of bytes here, which would be a second copy.
    return cast("bytes", copy) if count else None


def shown_scalar(scalar: str) -> str:
    """A scalar of a mended text as it stood in the original."""
    return _MENDED_NUMBER.sub(lambda found: _AS_IT_STOOD[found[0]], scalar)


def _mend_numbers(data: bytes, copy: bytearray, step: Step) -> int:
    """Wherever one stands like a value: inside a string that changes nothing but what is shown of it."""
    count = 0
    for word, number in ((b"NaN", NAN), (b"Infinity", INFINITY)):
        at = data.find(word)
        while at >= 0:
            end = at + len(word)
            if _stands_as_value(data, at, end):
                copy[at:end] = number
                count += 1
                if not count & 0xFFF:
                    step()
            at = data.find(word, end)
    return count


def _stands_as_value(data: bytes, at: int, end: int) -> bool:
    before = data[max(at - _NEAR, 0) : at].removesuffix(b"-").rstrip(_BLANKS)
    behind = data[end : end + _NEAR].lstrip(_BLANKS)
    return before[-1:] in _BEFORE and behind[:1] in _BEHIND


def _mend_surrogates(data: bytes, copy: bytearray, step: Step) -> int:
    count = 0
    for found in _LONE_SURROGATE.finditer(data):
        if found[1]:
            copy[found.start() : found.end()] = _MENDED_SURROGATE
            count += 1
            if not count & 0xFF:
                step()
    return count


_BEFORE = (b"", b"[", b",", b":")
_BEHIND = (b"", b"]", b",", b"}")
_AS_IT_STOOD = {NAN.decode(): "NaN", INFINITY.decode(): "Infinity"}
_MENDED_NUMBER = re.compile(r"(?:(?<=[\[,: \t\r\n-])|\A)(?:0E000000|0E0)(?=[\],}\s]|\Z)")
