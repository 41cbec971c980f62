"""Requests and their replies. JSON in, JSON out; a reply is `{"ok": ...}` or `{"error": {code, message, details}}`."""

from typing import Any, Literal

import msgspec

from .errors import Code
from .events import Part
from .metadata import Metadata

ERROR_HEADER = "Nats-Service-Error"
ERROR_CODE_HEADER = "Nats-Service-Error-Code"

Unit = Literal["chars", "lines", "bytes"]

DEFAULT_LIMITS: dict[Unit, int] = {"chars": 20000, "lines": 200, "bytes": 20000}
TO_THE_END = -1


class ReadRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ref: str
    offset: int = 0
    limit: int | None = None
    unit: Unit = "chars"
    numbered: bool = False
    metadata: bool = False


class Next(msgspec.Struct, frozen=True, kw_only=True):
    """Where a read goes on."""

    unit: Unit
    offset: int


class ReadReply(msgspec.Struct, frozen=True, kw_only=True):
    content: str
    offset: int
    limit: int
    unit: Unit
    parts: list[Part] | None
    total_chars: int | None
    total_lines: int | None
    total_bytes: int
    has_more: bool
    next: Next | None
    metadata: Metadata | None = None


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: str
    ref: str | None = None
    regex: bool = False
    ignore_case: bool = False
    whole_word: bool = False
    invert: bool = False
    context_chars: int = 300
    limit: int = 20
    cursor: str | None = None


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match in an original. `offset`, `length` and `snippet_offset` are chars, `line` counts from 0."""

    ref: str
    offset: int
    line: int
    byte_offset: int
    length: int
    snippet: str
    snippet_offset: int


class SearchReply(msgspec.Struct, frozen=True, kw_only=True):
    matches: list[Match]
    total: int | None
    has_more: bool
    cursor: str | None


class ListRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tool_name: str | None = None
    kind: str | None = None
    turn_id: str | None = None
    since: str | None = None
    until: str | None = None
    order: Literal["oldest", "newest"] = "oldest"
    limit: int = 50
    cursor: str | None = None


class ListReply(msgspec.Struct, frozen=True, kw_only=True):
    tool_results: list[Metadata]
    has_more: bool
    cursor: str | None


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    turn_id: str | None = None
    after: str | None = None
    limit: int = 100


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """An event as it was published: `event` is its JSON."""

    subject: str
    event: msgspec.Raw


class ReplayReply(msgspec.Struct, frozen=True, kw_only=True):
    events: list[Replayed]
    has_more: bool
    cursor: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What an error reply carries."""

    code: Code
    message: str
    details: dict[str, Any] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Exactly one of the two."""

    ok: msgspec.Raw = msgspec.Raw()
    error: Problem | None = None
