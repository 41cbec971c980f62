"""`metadata.json`, written last: it is what makes a result exist."""

import msgspec

from .events import Part
from .synopsis import Kind, Synopsis

OFFSET_UNIT = "unicode_code_point"


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """One stored result. Times are RFC 3339 UTC with milliseconds; counts are of the whole original."""

    tool_result_id: str
    result_id: str
    ref: str
    session_id: str
    message_id: str | None
    turn_id: str
    tool_id: str
    call_id: str
    tool_name: str
    agent_id: str | None
    created_at: str
    original_chars: int | None
    original_bytes: int
    original_lines: int | None
    preview_chars: int
    sha256: str
    mime_type: str | None
    synopsis_kind: Kind
    synopsis_format: str | None
    synopsis: Synopsis
    is_error: bool
    storage_uri: str
    output_uri: str
    offset_unit: str = OFFSET_UNIT
    parts: list[Part] | None = None
    replaced_surrogates: int = 0
    warnings: list[str] = []
