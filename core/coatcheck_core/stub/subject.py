"""What a stub is rendered from."""

from typing import NamedTuple

import msgspec

from coatcheck_core.synopsis.blocks import blocks, boundary
from coatcheck_schemas.events import Part, Reason
from coatcheck_schemas.synopsis import Synopsis

_MOST_BYTES_PER_CHAR = 4


class TextSize(NamedTuple):
    """Lines as `count_lines` has them."""

    chars: int
    lines: int


def text_size(data: bytes) -> TextSize | None:
    """Counted block by block; None where it is not UTF-8."""
    chars = lines = 0
    try:
        for block in blocks(data):
            chars += len(block.decode())
            lines += block.count(b"\n")
    except UnicodeDecodeError:
        return None
    return TextSize(chars, lines + (data[-1:] not in (b"", b"\n")))


class StubSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A result and how it is kept. It is its bytes: as a text it might take four times as much memory.

    `data` is the whole, or its first bytes and `end` its last, which is when `original_bytes` says more. They are text
    in UTF-8 unless `original_chars` is None; `original_lines` is None also where nobody has counted them. `error` is
    why the producer gave the result up.
    """

    tool_name: str
    ref: str
    sha256: str
    reason: Reason
    original_chars: int | None
    original_bytes: int
    data: bytes
    end: bytes = b""
    synopsis: Synopsis
    call_id: str = ""
    original_lines: int | None = None
    retrieval: bool = True
    parts: list[Part] | None = None
    is_error: bool = False
    error: str | None = None

    @property
    def is_text(self) -> bool:
        return self.original_chars is not None

    def head(self, chars: int) -> str:
        """The first chars of a text."""
        most = self.data[: _MOST_BYTES_PER_CHAR * max(chars, 0) + _MOST_BYTES_PER_CHAR]
        return most[: boundary(self.data, len(most))].decode()[: max(chars, 0)]

    def tail(self, chars: int) -> str:
        """The last chars of a text."""
        start = max(len(self.data) - _MOST_BYTES_PER_CHAR * max(chars, 0), 0)
        return self.data[boundary(self.data, start) :].decode()[-chars:] if chars > 0 else ""
