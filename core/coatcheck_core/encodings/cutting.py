"""The last bytes of a text as a text: they may begin in the middle of a char."""

import re

from .names import UTF_8, WIDE_UNITS, sort_of

_NEVER_INSIDE = re.compile(rb"[\x00-\x2f]")
"""In the multi-byte encodings that are understood no char goes on with one of these."""


def last_chars(data: bytes, encoding: str) -> str:
    """What is whole in the last bytes of a text in that encoding."""
    return data[_first_char(data, encoding) :].decode(encoding, "ignore")


def _first_char(data: bytes, encoding: str) -> int:
    if encoding == UTF_8:
        return next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    if encoding in WIDE_UNITS:
        return len(data) % WIDE_UNITS[encoding]
    found = _NEVER_INSIDE.search(data) if sort_of(encoding) == "multi" else None
    return 0 if found is None else found.end() - 1
