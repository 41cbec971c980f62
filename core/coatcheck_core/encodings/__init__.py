"""In which encoding bytes are text: told by their first ones, counted while they pass, and made UTF-8.

An encoding's name is the one of Python's codec, as `utf-8`, `utf-16-le`, `iso8859-1`, `cp1252`, `gb18030`:
`bytes.decode` takes it, and leaves a byte order mark standing, which is a char of the text as it is in UTF-8.
"""

from .cutting import MOST_CUT_BYTES, last_chars, whole_chars
from .decoder import Decoder
from .detecting import text_encoding
from .names import UTF_8, canonical
from .recoding import as_utf8
from .sizing import TextSize, text_size

__all__ = [
    "MOST_CUT_BYTES",
    "UTF_8",
    "Decoder",
    "TextSize",
    "as_utf8",
    "canonical",
    "last_chars",
    "text_encoding",
    "text_size",
    "whole_chars",
]
