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
MAX_NUMBER = 2**53 - 1
"""Offsets and limits of a read stay what a JSON number is in every language."""
MAX_LIMIT = 1000
"""The most items of one reply to search, list or replay."""
MAX_QUERY_CHARS = 10_000
MAX_CONTEXT_CHARS = 10_000
REQUEST_SECONDS = 15.0
"""So long whoever asks waits for a reply."""
DELETE_SECONDS = 60.0
"""And for that of a deletion: a session's waits for what workers have in hand of it."""


class ReadRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of an original, or with `/INDEX` after the ref of one of its parts.

    `offset` and `limit` count in `unit`; a negative offset counts from the end, a limit of -1 reads to it, absent it is
    that of `DEFAULT_LIMITS`, 0 is refused. `numbered` needs lines. A page of lines holds whole ones; before one of over
    20000 chars it ends, and where that is its first, it is that much of it and goes on in chars.
    """

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
    """`content` is base64 where `unit` is bytes.

    `offset` is absolute; `limit` is the one that applied, or what was returned where the page was cut short. The totals
    are of the whole, those of chars and lines null where it is not text. `parts` are the whole original's: null for a
    part, and as many of the first as take half of the message, with those that are no blocks; `total_parts` counts
    all. So it is in `metadata`, which has a quarter of the message for them.
    """

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
    total_parts: int | None = None


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search in one original or part, or without `ref` in all of the session's, oldest first.

    With `regex` the query is an expression of RE2, lines ending at a newline alone; no match is empty. `whole_word`
    finds what has no letter, digit, mark or `_` beside it; `invert` the lines in which no match begins. A cursor goes
    on with the same query, ref and options; `limit` (1 to 1000) and `context_chars` (0 to 10000) may change.
    """

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
    """A match in an original. `offset`, `length` and `snippet_offset` are chars, `line` counts from 0.

    `snippet` is the text from `snippet_offset` on; of a match longer than 10000 chars it shows so many and no more.
    """

    ref: str
    offset: int
    line: int
    byte_offset: int
    length: int
    snippet: str
    snippet_offset: int


class SearchReply(msgspec.Struct, frozen=True, kw_only=True):
    """`total` is null where not all was counted. A search that ran out of time has more, and may have found nothing."""

    matches: list[Match]
    total: int | None
    has_more: bool
    cursor: str | None


class ListRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The session's results by time of arrival, an entry for each turn that one came in.

    `turn_id` `""` is without a turn. `since` (inclusive) and `until` (exclusive) are RFC 3339 with a zone. A cursor
    goes on with the same filters and order; `limit` (1 to 1000) may change.
    """

    tool_name: str | None = None
    kind: str | None = None
    turn_id: str | None = None
    since: str | None = None
    until: str | None = None
    order: Literal["oldest", "newest"] = "oldest"
    limit: int = 50
    cursor: str | None = None


class ListReply(msgspec.Struct, frozen=True, kw_only=True):
    """A list that ran out of time has more, and may hold fewer than `limit`, or none."""

    tool_results: list[Metadata]
    has_more: bool
    cursor: str | None


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the session has received after the cursor `after` (absent: all that is kept), of one turn or of all.

    `limit` is 0 to 1000; with 0 the reply is the present cursor alone. `settled` asks for the turn's manifest, which is
    there once the turn is settled, in place of its stub events.
    """

    turn_id: str | None = None
    after: str | None = None
    limit: int = 100
    settled: bool = False


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """An event as it was published: `event` is its JSON."""

    subject: str
    event: msgspec.Raw


class ReplayReply(msgspec.Struct, frozen=True, kw_only=True):
    """Events in the order in which they were published; `cursor` is the place after the last of them."""

    events: list[Replayed]
    has_more: bool
    cursor: str


class DeleteRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of the two: one result by its `ref` (not a part), or with `all` the whole session."""

    ref: str | None = None
    all: bool = False


class DeleteReply(msgspec.Struct, frozen=True, kw_only=True):
    """How many results there were. Each is unreadable by now, and stays so until it comes again."""

    deleted: int


DEFAULT_LINK_SECONDS = 900
MIN_LINK_SECONDS = 1
MAX_LINK_SECONDS = 7 * 24 * 60 * 60
"""A presigned URL of S3 is valid for no longer."""


class UploadRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A URL to put one result to. `call_id` and `turn_id` are those of the event that is going to name it.

    Where `bytes` (at most 5 GiB) is given, what is put must have that length.
    """

    call_id: str | None = None
    turn_id: str | None = None
    bytes: int | None = None


class UploadReply(msgspec.Struct, frozen=True, kw_only=True):
    """PUT the bytes to `url` with `headers`, before `expires_at`; then publish the event with this `upload`."""

    upload: str
    url: str
    headers: dict[str, str]
    expires_at: str


class LinkRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A URL that gives an original's bytes, or with `/INDEX` after the ref those of a part, to whoever has it.

    `expires_seconds` is 1 to 604800, a week.
    """

    ref: str
    expires_seconds: int = DEFAULT_LINK_SECONDS


class LinkReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET `url` before `expires_at`; it needs no credentials."""

    url: str
    expires_at: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What an error reply carries."""

    code: Code
    message: str
    details: dict[str, Any] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Exactly one of the two."""

    ok: msgspec.Raw = msgspec.Raw()
    error: Problem | None = None
