"""`replay`: what a session has received, from the stub stream."""

import logging
from datetime import datetime
from typing import Annotated

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import Replayed, ReplayReply, ReplayRequest
from coatcheck_workers.streams.tombstone import is_old

from .cursors import MAX_POSITION, decode_cursor, encode_cursor, question
from .filling import Filling
from .limits import check_limit, turn_segment
from .model import EventPage, LoggedEvent, Retrieval
from .telling import tell

_FAILED = "-failed"
BAD_EVENT = "event that is not JSON"

_ASKED = question("replay")
"""Not bound to a turn or session: a place in the stream is the same to all, and shows nobody what is not theirs."""


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """The sequence of the last event that was gone through."""

    seq: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)]


class _Created(msgspec.Struct, frozen=True):
    """When the result of an event came; a manifest does not say it."""

    created_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


async def replay(retrieval: Retrieval, session: str, request: ReplayRequest) -> ReplayReply:
    """Raises RequestError, InvalidId."""
    check_limit(request.limit, least=0)
    after = 0 if request.after is None else decode_cursor(request.after, _ASKED, _Position).seq
    turn = None if request.turn_id is None else turn_segment(request.turn_id)
    if request.limit == 0:
        return _reply([], has_more=False, seq=await _present(retrieval, after))
    if request.settled:
        page = await _settled(retrieval, session, turn, after)
    else:
        page = await retrieval.events.page(session, turn, after, request.limit, retrieval.max_reply_bytes)
    if not page.events and after:
        await _present(retrieval, after)
    filling: Filling[Replayed] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    for event in page.events:
        if not _is_json(event):
            passed = f"passed over an event that is not JSON: sequence {event.seq} on {event.subject}"
            tell(retrieval.troubles, BAD_EVENT, logging.ERROR, passed)
        elif _is_deleted(retrieval, session, event):
            pass  # and not purged yet
        elif not filling.take(Replayed(subject=event.subject, event=msgspec.Raw(event.data))):
            if not filling.items:
                raise _too_large(event)
            return _reply(filling.items, has_more=True, seq=after)
        after = event.seq
    return _reply(filling.items, has_more=page.has_more, seq=after)


async def _settled(retrieval: Retrieval, session: str, turn: str | None, after: int) -> EventPage:
    """The turn's manifest as a page."""
    if turn is None:
        raise RequestError(Code.INVALID_ARGUMENT, "settled asks for the manifest of one turn: give its turn_id")
    manifest = await retrieval.events.manifest(session, turn)
    found = [manifest] if manifest is not None and manifest.seq > after else []
    return EventPage(events=found, has_more=False)


async def _present(retrieval: Retrieval, after: int) -> int:
    """The stream's present end. Raises RequestError `invalid_argument` where `after` lies beyond it."""
    last = await retrieval.events.last_seq()
    if after > last:
        raise RequestError(
            Code.INVALID_ARGUMENT, "after lies beyond the events there are: the stream was made anew, begin without it"
        )
    return last


def _is_deleted(retrieval: Retrieval, session: str, event: LoggedEvent) -> bool:
    """While a deletion is being purged: whether the event is of what was deleted. One of a refusal never is."""
    name = event.subject.rpartition(".")[2]
    if not retrieval.tombstones.is_being_purged(session, name) or name.endswith(_FAILED):
        return False
    deleted_at = retrieval.tombstones.deleted_at(session, name)
    try:
        created_at = msgspec.json.decode(event.data, type=_Created).created_at
    except msgspec.ValidationError:
        created_at = None
    return deleted_at is not None and (created_at is None or is_old(created_at, deleted_at))


def _is_json(event: LoggedEvent) -> bool:
    try:
        event.data.decode()
        msgspec.json.decode(event.data, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return False
    return True


def _too_large(event: LoggedEvent) -> RequestError:
    return RequestError(
        Code.TOO_LARGE,
        "the next event is larger than one message carries; go on after the cursor in details",
        subject=event.subject,
        cursor=encode_cursor(_ASKED, _Position(event.seq)),
    )


def _reply(events: list[Replayed], *, has_more: bool, seq: int) -> ReplayReply:
    return ReplayReply(events=events, has_more=has_more, cursor=encode_cursor(_ASKED, _Position(seq)))
