"""Texts that are cut in the middle of a char: at the beginning of their last bytes, or at their end."""

import re

from .decoder import Decoder
from .detecting import text_encoding
from .names import UTF_8, WIDE_UNITS, sort_of

MOST_CUT_BYTES = 3
"""What is there at the most of a char that is not whole, in any encoding."""

_NEVER_INSIDE = re.compile(rb"[\x00-\x2f]")
"""In the multi-byte encodings that are understood no char goes on with one of these."""


def last_chars(data: bytes, encoding: str) -> str:
    """What is whole in the last bytes of a text in that encoding."""
    return data[_first_char(data, encoding) :].decode(encoding, "ignore")


def whole_chars(data: bytes, mime_type: str | None) -> bytes:
    """A text without what is there of a last char that was cut; what is no text, as it is."""
    encoding = text_encoding(data, mime_type)
    if encoding is None:
        return data
    decoder = Decoder(encoding)
    return data[: len(data) - decoder.unfinished] if decoder.feed(data) else data


def _first_char(data: bytes, encoding: str) -> int:
    if encoding == UTF_8:
        return next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    if encoding in WIDE_UNITS:
        return len(data) % WIDE_UNITS[encoding]
    found = _NEVER_INSIDE.search(data) if sort_of(encoding) == "multi" else None
    return 0 if found is None else found.end() - 1
