"""Take what was deleted out of the streams.

What a stream had of the session before the deletion goes at once, by its subjects. What came after that is looked at
one by one: the last of the old life, whose results were being handled, goes; what tells of a refusal, or is of a new
life, stays. All is safe to repeat.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from urllib.parse import unquote

import msgspec

from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.letters import REASON_HEADER, RECEIVED_HEADER, SUBJECT_HEADER
from coatcheck_schemas.refs import check_result_id
from coatcheck_schemas.segments import EMPTY, check_segment
from coatcheck_schemas.subjects import NOWHERE, Subjects, TurnAddress
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.streams.arriving import unpack
from coatcheck_workers.streams.held import LETTER, TRIES_HEADER
from coatcheck_workers.streams.letters import DELETED, STORE_FAILURE
from coatcheck_workers.streams.ports import Kept, Log, Publishing
from coatcheck_workers.streams.tombstone import is_old

_FAILED = "-failed"
_READ_BYTES = 1024 * 1024
_MOST_PLACES = 1000
"""Of one result that are told by its stub events: it came in so many turns."""
_HASH_CHARS = len("-") + 32
"""What stands after the call in a result's id."""


class Streams(msgspec.Struct, frozen=True, kw_only=True):
    """Those that may hold something of a session; what they raise is a PublishError."""

    results: Log
    stubs: Log
    dlq: Log
    chunks: Log
    held: Log
    ledger: Log


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """The subjects of a stream that go; `is_old` says it of a message that came after the deletion, None: none is.

    What `spares` names stays, whenever it came; then each message is looked at.
    """

    stream: Log
    pattern: str
    is_old: Callable[[Kept, datetime], bool] | None
    spares: Callable[[Kept], bool] | None = None


class Purging:
    """The streams of one deployment."""

    def __init__(self, streams: Streams, subjects: Subjects, publisher: Publishing) -> None:
        self._streams = streams
        self._publisher = publisher
        self._subjects = subjects

    async def ends(self, session: str, result_id: str | None) -> list[int]:
        """How far each stream is now, as far as it concerns the session: to be asked before it is buried."""
        lasts = await asyncio.gather(*(one.stream.last(one.pattern) for one in self._sweeps(session, result_id)))
        return [0 if last is None else last.sequence for last in lasts]

    async def purge(
        self, session: str, result_id: str | None, deleted_at: datetime, ends: list[int] | None = None
    ) -> None:
        """Without `ends`, of a deletion that another has begun, each message is looked at."""
        sweeps = self._sweeps(session, result_id)
        pairs = zip(sweeps, ends or [0] * len(sweeps), strict=True)
        await asyncio.gather(*(self._sweep(sweep, end, deleted_at) for sweep, end in pairs))
        if result_id is None:
            # What a turn had received and decided is of the old life as a whole: what is new begins its turns anew.
            await self._streams.ledger.purge(self._subjects.session_ledger(session))
            await self._let_fall_due(session)
        else:
            await self._try_letters(session, result_id)

    async def places(self, session: str, result_id: str) -> list[TimeEntry]:
        """Where the result stands in its session's list, by the stub events that are there still: to be asked first."""
        check_segment(session)
        pattern, after = f"{self._subjects.prefix}.stubs.{session}.*.{check_result_id(result_id)}", 0
        found: list[TimeEntry] = []
        while len(found) < _MOST_PLACES and (batch := await self._batch(self._streams.stubs, pattern, after)):
            for kept in batch:
                after = kept.sequence
                with suppress(ValueError):  # no event of ours
                    created_at = msgspec.json.decode(kept.body, type=_Event).created_at
                    turn = turn_hash(kept.subject.split(".")[3])
                    found.append(TimeEntry(to_milliseconds(created_at), turn, result_id))
        return found

    async def is_in_hand(self, session: str, result_id: str | None, deleted_at: datetime) -> bool:
        """Whether a worker may still be at work on what came before the deletion: it acknowledges when it is done."""
        check_segment(session)
        call = "*" if result_id is None else check_result_id(result_id)[:-_HASH_CHARS]
        patterns = [f"{self._subjects.prefix}.results.{session}.*.{call}"]
        if result_id is None:
            patterns.append(f"{self._subjects.prefix}.turns.{session}.*.end")
        for pattern in patterns:
            oldest = await self._streams.results.first(pattern)
            if oldest is not None and is_old(oldest.at, deleted_at):
                return True
        return result_id is None and await self._is_due(session, deleted_at)

    async def _is_due(self, session: str, deleted_at: datetime) -> bool:
        """What has fallen due is not purged, since a worker may have it in hand: the flow refuses it."""
        due = await self._batch(self._streams.held, f"{self._subjects.prefix}-internal.due.{session}.>", 0)
        return any(_is_old_result(kept, deleted_at) or (not kept.body and is_old(kept.at, deleted_at)) for kept in due)

    def _sweeps(self, session: str, result_id: str | None) -> list[Sweep]:
        check_segment(session)  # a wildcard would purge what is other sessions'
        prefix, streams = self._subjects.prefix, self._streams
        if result_id is not None:
            check_result_id(result_id)
            return [Sweep(stream=streams.stubs, pattern=f"{prefix}.stubs.{session}.*.{result_id}", is_old=_is_old_stub)]
        return [
            Sweep(stream=streams.stubs, pattern=f"{prefix}.stubs.{session}.>", is_old=_is_old_stub),
            Sweep(stream=streams.stubs, pattern=f"{prefix}.settled.{session}.>", is_old=_is_old_manifest),
            Sweep(
                stream=streams.dlq,
                pattern=f"{prefix}.dlq.{session}.>",
                is_old=_is_old_letter,
                spares=self._is_of_nowhere if session == EMPTY else None,
            ),
            Sweep(stream=streams.chunks, pattern=f"{prefix}.chunks.{session}.>", is_old=None),
            Sweep(stream=streams.held, pattern=f"{prefix}-internal.held.{session}.>", is_old=_is_old_result),
        ]

    async def _try_letters(self, session: str, result_id: str) -> None:
        """Of one that could not be stored yet: whoever tries it now finds it deleted, and drops the letter."""
        stream, pattern = self._streams.dlq, f"{self._subjects.prefix}.dlq.{session}.*.{result_id[:-_HASH_CHARS]}"
        newest, after = await stream.last(pattern), 0
        while newest is not None and after < newest.sequence:
            batch = await self._batch(stream, pattern, after)
            if not batch:
                return
            for kept in batch:
                after = kept.sequence
                if _header(kept, REASON_HEADER) == STORE_FAILURE:
                    at = TurnAddress(session, kept.subject.split(".")[3])
                    await self._publisher.append(self._subjects.due(at, LETTER, str(kept.sequence)), b"", {})

    def _is_of_nowhere(self, kept: Kept) -> bool:
        """Where the letters of a session without an id lie, those of messages lie as well that name no session."""
        return kept.subject == self._subjects.dlq(NOWHERE) and unquote(_header(kept, SUBJECT_HEADER)) not in (
            self._subjects.results(NOWHERE),
            self._subjects.turn_end(NOWHERE.at_turn),
        )

    async def _let_fall_due(self, session: str) -> None:
        """What is held still is of the new life, of a worker that had not heard yet: its entry went with the ledger.

        At once, so that it is taken anew; else another result could settle its turn without it.
        """
        held, pattern, after = self._streams.held, f"{self._subjects.prefix}-internal.held.{session}.>", 0
        while (kept := await held.first(pattern, after)) is not None:
            after = kept.sequence
            headers = {name: value for name, value in kept.headers.items() if name.lower() == TRIES_HEADER.lower()}
            await self._publisher.append(self._subjects.due_of(kept.subject), kept.body, headers)
            await held.purge(kept.subject, kept.sequence)

    async def _sweep(self, sweep: Sweep, end: int, deleted_at: datetime) -> None:
        if sweep.spares is not None:
            end = 0
        elif end:
            await sweep.stream.purge(sweep.pattern, end)
        await self._look_through(sweep, end, deleted_at)

    async def _look_through(self, sweep: Sweep, after: int, deleted_at: datetime) -> None:
        """Up to what is there now: refusals go on coming, and what is not of the old life comes later anyway."""
        newest = await sweep.stream.last(sweep.pattern)
        while newest is not None and after < newest.sequence:
            batch = await self._batch(sweep.stream, sweep.pattern, after)
            if not batch:
                return
            for kept in batch:
                after = kept.sequence
                if self._goes(sweep, kept, deleted_at):
                    await sweep.stream.purge(kept.subject, kept.sequence)

    async def _batch(self, stream: Log, pattern: str, after: int) -> list[Kept]:
        """A replica that lags may have none: the leader has the next, if there is one."""
        batch = await stream.read(pattern, after, _READ_BYTES)
        if batch:
            return batch
        following = await stream.first(pattern, after)
        return [] if following is None else [following]

    def _goes(self, sweep: Sweep, kept: Kept, deleted_at: datetime) -> bool:
        if sweep.spares is not None and sweep.spares(kept):
            return False
        return is_old(kept.at, deleted_at) or (sweep.is_old is not None and sweep.is_old(kept, deleted_at))


class _Event(msgspec.Struct, frozen=True):
    created_at: datetime


def _is_old_stub(kept: Kept, deleted_at: datetime) -> bool:
    """By the arrival of its result; what cannot be read is nobody's. That of a refusal tells what became of a call."""
    if kept.subject.endswith(_FAILED):
        return False
    try:
        return is_old(msgspec.json.decode(kept.body, type=_Event).created_at, deleted_at)
    except ValueError:  # msgspec's errors are ValueErrors, as is a time without a zone
        return True


def _is_old_manifest(kept: Kept, deleted_at: datetime) -> bool:
    """No turn of the new life settles before the purging is over."""
    return True


def _is_old_letter(kept: Kept, deleted_at: datetime) -> bool:
    if _header(kept, REASON_HEADER) == DELETED:
        return False
    try:
        return is_old(datetime.fromisoformat(_header(kept, RECEIVED_HEADER)), deleted_at)
    except ValueError:
        return False


def _is_old_result(kept: Kept, deleted_at: datetime) -> bool:
    """A timer, or what another version holds, stays: with nothing to settle nothing comes of it."""
    try:
        return is_old(unpack(kept.body).received_at, deleted_at)
    except (ValueError, UnicodeDecodeError):
        return False


def _header(kept: Kept, name: str) -> str:
    return next((value for given, value in kept.headers.items() if given.lower() == name.lower()), "")
