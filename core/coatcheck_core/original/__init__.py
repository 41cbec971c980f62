"""How a large original lies in storage, so that any range of it is read directly: plain, or as seekable zstd frames."""

from .index import Index, decode_index
from .locating import LIKELY_BYTES, enough_of_end, index_at_end
from .noting import NOTED_BLOCK_BYTES, Noting
from .spans import Span, block_of_char, block_of_line, grouped, span_from, span_of, span_of_bytes, span_of_chars
from .unpacking import proved, read_raw, unpacked, unpacked_blocks
from .whole import written_whole
from .writing import Compression, Writing, Written

__all__ = [
    "LIKELY_BYTES",
    "NOTED_BLOCK_BYTES",
    "Compression",
    "Index",
    "Noting",
    "Span",
    "Writing",
    "Written",
    "block_of_char",
    "block_of_line",
    "decode_index",
    "enough_of_end",
    "grouped",
    "index_at_end",
    "proved",
    "read_raw",
    "span_from",
    "span_of",
    "span_of_bytes",
    "span_of_chars",
    "unpacked",
    "unpacked_blocks",
    "written_whole",
]
