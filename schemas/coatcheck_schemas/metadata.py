"""`metadata.json`, written last: it is what makes a result exist."""

from typing import Literal

import msgspec

from .events import Part
from .synopsis import Kind, Synopsis

OFFSET_UNIT = "unicode_code_point"


Form = Literal["plain", "zstd"]
"""How an original lies in storage: as its bytes, or in the zstd seekable format with its index inside."""


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """One stored result. Times are RFC 3339 UTC with milliseconds; counts are of the whole original.

    `parts` are those that are no text and the first 1000 texts; `total_parts` counts all, and where these are more, the
    part of type `blocks` has them (`coatcheck_core.block_list`). `output_key` is where the original lies if that is not
    the default, below the storage's root; `stored_bytes` what it takes there. `index_bytes` is the length of its index,
    0 without one: of a plain original beside it under `.../index`, of a compressed one inside. `encoding` is the
    text's, null where the original is no text. `last_used_at` is when the same call last brought the same again, as far
    as that is noted: where results expire.
    """

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
    incomplete: bool = False
    error: str | None = None
    encoding: str | None = "utf-8"
    form: Form = "plain"
    stored_bytes: int | None = None
    index_bytes: int = 0
    output_key: str | None = None
    total_parts: int | None = None
    last_used_at: str | None = None
