"""What a stub is rendered from."""

import msgspec

from coatcheck_schemas.events import Part, Reason
from coatcheck_schemas.synopsis import Synopsis


class StubSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A result and how it is kept. `original_chars` and `text` are None where the bytes are not UTF-8."""

    tool_name: str
    ref: str
    sha256: str
    reason: Reason
    original_chars: int | None
    original_bytes: int
    text: str | None
    data: bytes
    synopsis: Synopsis
    retrieval: bool = True
    parts: list[Part] | None = None
    is_error: bool = False
