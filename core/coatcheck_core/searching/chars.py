"""Where chars begin and end in bytes of UTF-8."""

MOST_CHAR_BYTES = 4
"""Of a char."""
_KIND, _WITHIN = 0xC0, 0x80
"""The two highest bits of a byte, and what they are in one that goes on with a char."""


def char_start(data: bytes, at: int) -> int:
    """Where the char begins that this byte is of; what lies outside of `data` stays as it is."""
    while 0 < at < len(data) and data[at] & _KIND == _WITHIN:
        at -= 1
    return at


def next_char(data: bytes, at: int) -> int:
    """Where the char after the one that begins here begins."""
    at += 1
    while at < len(data) and data[at] & _KIND == _WITHIN:
        at += 1
    return at
