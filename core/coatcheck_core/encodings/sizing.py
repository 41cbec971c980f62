"""How long bytes are as a text, where they are one."""

from typing import NamedTuple

from .decoder import Decoder
from .detecting import text_encoding


class TextSize(NamedTuple):
    """Lines as `count_lines` has them."""

    chars: int
    lines: int
    encoding: str


def text_size(data: bytes, mime_type: str | None = None) -> TextSize | None:
    """Of all of a text, in memory that does not grow with it; None where it is none."""
    encoding = text_encoding(data, mime_type)
    if encoding is None:
        return None
    decoder = Decoder(encoding)
    decoder.feed(data)
    return TextSize(decoder.chars, decoder.lines, decoder.encoding) if decoder.finish() else None
