"""The events: what a tool publishes, what an agent's session receives."""

from typing import Literal

import msgspec

from .synopsis import Kind, Synopsis

Disposition = Literal["inline", "offloaded", "preview_only", "failed"]
Reason = Literal[
    "single_threshold", "message_limit", "turn_budget", "binary", "source_read", "store_failure", "invalid"
]

MIN_TURN_SIZE = 1
MAX_TURN_SIZE = 1000

MESSAGE_RESERVE_BYTES = 4096
"""What a reply leaves free under the server's `max_payload`, for headers: over it the server drops the connection."""
EVENT_RESERVE_BYTES = 8192
"""What a stub event leaves free under `max_payload`, so that a `replay` reply can carry it."""


class ToolResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool's result, as JSON on `coat.results.SESSION.TURN.CALL`. Unknown fields are ignored, null is absent.

    `content` is the text, or a list of MCP content blocks, kept as they came; with `upload` it comes in pieces, which
    with `blocks` are the JSON of such a list.
    """

    tool_name: str
    content: str | list[msgspec.Raw] | None = None
    turn_size: int | None = None
    mime_type: str | None = None
    is_error: bool | None = None
    message_id: str | None = None
    agent_id: str | None = None
    produced_at: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()
    structured_content: msgspec.Raw = msgspec.Raw()
    session_id: str | None = None
    turn_id: str | None = None
    call_id: str | None = None
    source_ref: str | None = None
    retrieval: bool | None = None
    upload: str | None = None
    blocks: bool | None = None


STRUCTURED = "structured_content"
BLOCKS = "blocks"
"""The types of the parts that are no blocks."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One block of a result that came as several, in its order.

    A text block lies in the original at `start` to `end` (chars, `end` exclusive). Any other is an object of its own
    under `ref`, `bytes` long; `mime_type` says what the bytes are, `sha256` is theirs, `uri` a resource's. `type` is
    the block's; after the blocks may come `blocks`, the list itself (`coatcheck_core.block_list`), and
    `structured_content`, that field, is last.
    """

    index: int
    type: str
    ref: str | None = None
    mime_type: str | None = None
    bytes: int | None = None
    start: int | None = None
    end: int | None = None
    uri: str | None = None
    sha256: str | None = None


class StubEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's session receives in place of a result, on `coat.stubs.SESSION.TURN.RESULT_ID`.

    `content` goes into the agent's tool message as it is: the result, or the stub.
    """

    session_id: str
    turn_id: str
    call_id: str
    tool_name: str | None
    disposition: Disposition
    content: str | list[msgspec.Raw]
    ref: str | None = None
    result_id: str | None = None
    reason: Reason | None = None
    kind: Kind | None = None
    format: str | None = None
    original_chars: int | None = None
    original_bytes: int | None = None
    original_lines: int | None = None
    preview_chars: int | None = None
    sha256: str | None = None
    mime_type: str | None = None
    is_error: bool = False
    incomplete: bool = False
    error: str | None = None
    synopsis: Synopsis | None = None
    parts: list[Part] | None = None
    total_parts: int | None = None
    created_at: str


SettledBy = Literal["size", "end", "deadline"]

MAX_MANIFEST_ID_CHARS = 200


class TurnEnd(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """No more results come in this turn, on `coat.turns.SESSION.TURN.end`. Unknown fields are ignored.

    A `turn_size` replaces what the results said; without one, what is there is settled.
    """

    turn_size: int | None = None
    session_id: str | None = None
    turn_id: str | None = None


class SettledResult(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a settled turn; `inline_size` is what it takes of the context, in `budget.unit`.

    `call_id` is clipped at 200 chars, or at fewer where one message would not carry the manifest.
    """

    call_id: str
    result_id: str | None
    disposition: Disposition
    reason: Reason | None
    original_chars: int | None
    inline_size: int


class TurnSettled(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of a turn, once, on `coat.settled.SESSION.TURN`: what was decided, and all that it was decided by.

    `results` are in the order of arrival; of more than one message carries the first, `received` counts all.
    """

    session_id: str
    turn_id: str
    settled_by: SettledBy
    turn_size: int | None
    received: int
    budget: int
    inline_total: int
    results: list[SettledResult]
