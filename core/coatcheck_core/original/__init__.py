"""How a large original lies in storage, so that any range of it is read directly: plain, or as seekable zstd frames."""

from .index import Index, decode_index
from .spans import Span, block_of_char, block_of_line, span_of, span_of_bytes, span_of_chars
from .unpacking import unpacked, unpacked_blocks
from .writing import Compression, Writing, Written

__all__ = [
    "Compression",
    "Index",
    "Span",
    "Writing",
    "Written",
    "block_of_char",
    "block_of_line",
    "decode_index",
    "span_of",
    "span_of_bytes",
    "span_of_chars",
    "unpacked",
    "unpacked_blocks",
]
