"""What other writers put into JSON and strict parsers refuse, mended without moving a byte.

Python's `json` writes NaN, Infinity and -Infinity; JavaScript may escape half of a surrogate pair.
"""

import re
from typing import cast

from coatcheck_core.synopsis.effort import Step, unhurried

NAN = b"0E0"
INFINITY = b"0E000000"
# The word first: it is what a search is quick at.
_NAN = re.compile(rb"NaN(?:(?<=[\[,: \t\r\n]NaN)|(?<=\ANaN))(?=[\],} \t\r\n]|\Z)")
_INFINITY = re.compile(rb"Infinity(?:(?<=[\[,: \t\r\n-]Infinity)|(?<=\AInfinity))(?=[\],} \t\r\n]|\Z)")
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
    for word, pattern, number in ((b"NaN", _NAN, NAN), (b"Infinity", _INFINITY, INFINITY)):
        for found in pattern.finditer(data) if word in data else ():
            copy[found.start() : found.end()] = number
            count += 1
            if not count & 0xFFF:
                step()
    return count


def _mend_surrogates(data: bytes, copy: bytearray, step: Step) -> int:
    count = 0
    for found in _LONE_SURROGATE.finditer(data):
        if found[1]:
            copy[found.start() : found.end()] = _MENDED_SURROGATE
            count += 1
            if not count & 0xFF:
                step()
    return count


_AS_IT_STOOD = {NAN.decode(): "NaN", INFINITY.decode(): "Infinity"}
_MENDED_NUMBER = re.compile(r"(?:(?<=[\[,: \t\r\n-])|\A)(?:0E000000|0E0)(?=[\],} \t\r\n]|\Z)")
