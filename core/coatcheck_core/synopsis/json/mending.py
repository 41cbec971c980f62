"""What other writers put into JSON and strict parsers refuse, mended without moving a byte.

Python's `json` writes NaN, Infinity and -Infinity; JavaScript may escape half of a surrogate pair.
"""

import re
from typing import cast

from coatcheck_core.synopsis.effort import Step, unhurried

NAN = b"0E0"
INFINITY = b"0E000000"
_NOT_NUMBER = re.compile(rb'(?:[^"NI]++|"(?:[^"\\]++|\\[\s\S])*+"?|(?!NaN|Infinity)[NI])*+(?:(NaN)|(Infinity)|\Z)')
"""The next one outside a string, or the end: so that a search that finds no more is not made again from each byte."""
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


def shown_number(number: str) -> str:
    """The number of a mended text as it stood in the original."""
    return _AS_IT_STOOD.get(number, number)


def _mend_numbers(data: bytes, copy: bytearray, step: Step) -> int:
    count = 0
    for found in _NOT_NUMBER.finditer(data):
        for group, number in ((1, NAN), (2, INFINITY)):
            if found[group]:
                copy[found.start(group) : found.end(group)] = number
                count += 1
        if not count & 0xFF:
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


_AS_IT_STOOD = {NAN.decode(): "NaN", INFINITY.decode(): "Infinity", "-" + INFINITY.decode(): "-Infinity"}
