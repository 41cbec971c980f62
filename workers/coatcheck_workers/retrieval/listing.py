"""`list`: a session's results in the order of their arrival, by the by-time entries."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, get_args

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import ListReply, ListRequest
from coatcheck_schemas.synopsis import Kind
from coatcheck_workers.clock import utc_now

from .cursors import decode_cursor, encode_cursor, question
from .filling import Filling
from .fitting import with_fitting_parts
from .limits import check_limit, turn_segment
from .model import Retrieval
from .newest import Range, newest_entries
from .originals import load_metadata
from .session_entries import fetched, read_time_entry, time_entries

_AHEAD = 16
_SHORT_CHARS = 200
_PARTS_BYTES = 16 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MILLISECOND = timedelta(milliseconds=1)
_NO_NAME = ":"
"""Greater than all names of entries, which begin with a digit."""
_MAX_MILLISECONDS = 10**13 - 1


class _Position(msgspec.Struct, frozen=True, array_like=True):
    entry: Annotated[str, msgspec.Meta(max_length=200)]


class _Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted: by an entry's name (times in microseconds since 1970), by its metadata."""

    turn_hash: str | None
    since: int | None
    until: int | None
    tool_name: str | None
    kind: str | None

    def wants_entry(self, entry: TimeEntry) -> bool:
        return (self.turn_hash is None or entry.turn_hash == self.turn_hash) and (
            self.since is None or entry.milliseconds * 1000 >= self.since
        )

    def wants(self, metadata: Metadata) -> bool:
        return self.tool_name in (None, metadata.tool_name) and self.kind in (None, metadata.synopsis_kind)

    @property
    def after(self) -> str:
        """The name before which no wanted entry lies."""
        return f"{self.floor:013d}" if self.floor else ""

    @property
    def floor(self) -> int:
        """No wanted entry is older, in milliseconds."""
        return 0 if self.since is None else min(max(0, self.since // 1000), _MAX_MILLISECONDS)

    @property
    def below(self) -> str:
        """The name from which on no wanted entry lies."""
        if self.until is None or self.until > _MAX_MILLISECONDS * 1000:
            return ""
        return f"{max(0, -(-self.until // 1000)):013d}"


async def list_results(retrieval: Retrieval, session: str, request: ListRequest) -> ListReply:
    """Raises RequestError, InvalidId, StoreError. It answers with what it has after the time of a search."""
    wanted = _filter(request)
    fields = (request.tool_name, request.kind, request.turn_id, request.since, request.until, request.order)
    asked = question("list", session, *fields)
    last = _resume(request.cursor, asked)
    walk = _walk(retrieval, session, request, wanted, last)
    clock = asyncio.get_running_loop().time
    deadline = clock() + retrieval.settings.requests.search_seconds
    filling: Filling[Metadata] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)

    async def fetch(result_id: str) -> Metadata | None:
        try:
            return await load_metadata(retrieval, session, result_id)
        except RequestError:  # damaged and logged: one such must not hide all the others
            return None

    def start(entry: TimeEntry) -> Coroutine[Any, Any, Metadata | None] | None:
        return fetch(entry.result_id) if wanted.wants_entry(entry) else None

    async with aclosing(fetched(walk, start, ahead=_AHEAD)) as found:
        async for entry, metadata in found:
            if metadata is not None and wanted.wants(metadata) and not _take(filling, metadata):
                return _reply(filling, asked, last)
            last = str(entry)
            if clock() >= deadline:
                return _reply(filling, asked, last)
    return _reply(filling, asked, None)


def _filter(request: ListRequest) -> _Filter:
    check_limit(request.limit)
    if request.kind is not None and request.kind not in get_args(Kind):
        raise RequestError(Code.INVALID_ARGUMENT, f"kind must be one of {', '.join(get_args(Kind))}")
    return _Filter(
        turn_hash=None if request.turn_id is None else turn_hash(turn_segment(request.turn_id)),
        since=_microseconds("since", request.since),
        until=_microseconds("until", request.until),
        tool_name=request.tool_name,
        kind=request.kind,
    )


def _microseconds(field: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        moment: datetime = msgspec.convert(text, Annotated[datetime, msgspec.Meta(tz=True)])
    except msgspec.ValidationError:
        raise RequestError(
            Code.INVALID_ARGUMENT, f"{field} must be an RFC 3339 time with its zone, as 2026-01-31T23:59:59Z"
        ) from None
    return (moment - _EPOCH) // _MICROSECOND


def _resume(cursor: str | None, asked: str) -> str:
    """The last entry that was gone through, or `""`."""
    if cursor is None:
        return ""
    entry = decode_cursor(cursor, asked, _Position).entry
    if entry and read_time_entry(entry) is None:
        raise RequestError(Code.INVALID_ARGUMENT, "cursor is malformed: pass one as a reply gave it, or none to begin")
    return entry


def _walk(
    retrieval: Retrieval, session: str, request: ListRequest, wanted: _Filter, last: str
) -> AsyncGenerator[TimeEntry, None]:
    """The entries in the time asked for, after the one that was listed last."""
    if request.order == "oldest":
        return time_entries(retrieval, session, after=max(last, wanted.after), below=wanted.below)
    below = min(last or _NO_NAME, wanted.below or _NO_NAME)
    within = Range(floor=wanted.floor, below="" if below == _NO_NAME else below)
    now = (utc_now() - _EPOCH) // _MILLISECOND
    return newest_entries(retrieval, session, within, now=now, aim=request.limit + _AHEAD)


def _take(filling: Filling[Metadata], metadata: Metadata) -> bool:
    """One that no message carries is listed in short: it must not end the list for good.

    Of many parts the first are listed, so that a page holds more than a few results.
    """
    metadata = with_fitting_parts(metadata, _PARTS_BYTES)
    if filling.take(metadata):
        return True
    if filling.items:
        return False
    short = msgspec.structs.replace(
        metadata,
        tool_name=metadata.tool_name[:_SHORT_CHARS],
        message_id=(metadata.message_id or "")[:_SHORT_CHARS] or None,
        agent_id=(metadata.agent_id or "")[:_SHORT_CHARS] or None,
        mime_type=(metadata.mime_type or "")[:_SHORT_CHARS] or None,
        parts=None,
        warnings=["too long for one message: parts are left out, names are cut"],
    )
    if not filling.take(short):
        raise RequestError(Code.TOO_LARGE, f"one message has no room for the metadata of {metadata.result_id}")
    return True


def _reply(filling: Filling[Metadata], asked: str, last: str | None) -> ListReply:
    cursor = None if last is None else encode_cursor(asked, _Position(last))
    return ListReply(tool_results=filling.items, has_more=cursor is not None, cursor=cursor)
