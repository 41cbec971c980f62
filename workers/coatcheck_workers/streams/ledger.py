"""The ledger of turns in COAT_LEDGER: append, compare and set, read on.

A turn's ledger is the messages under `coat-internal.ledger.SESSION.TURN.>`. An append expects the last message of the
turn to be the one up to which this worker has read it: where it is, the worker knows the whole turn at the moment of
its own entry, in one round trip. Where others came first, theirs are read. What is remembered of a turn is a prefix of
a log that never changes, so it is never wrong, only short; but for what the stream has let go of by its age, which
is forgotten well before, and for what went with a session that was deleted, which is forgotten when that is known.
"""

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import msgspec

from coatcheck_core.turns import (
    Entry,
    ResultEntry,
    ResultsEntry,
    SettledEntry,
    Turn,
    encode_entry,
    is_of_another_version,
    read_entry,
)
from coatcheck_schemas.events import SettledBy
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.clock import Clock
from coatcheck_workers.streams.ports import Kept, Log, Publishing
from coatcheck_workers.streams.publishing import EXPECTED_LAST, PublishError, WrongLastSequence
from coatcheck_workers.streams.tombstone import NoTombstones

log = logging.getLogger("coatcheck.ledger")

EXPECTED_LAST_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
_READ_BYTES = 4 * 1024 * 1024
_REMEMBERED_ENTRIES = 20_000
_REMEMBERED_FOR = timedelta(days=1)
"""Without a new entry. The stream keeps entries for a week: a turn of the same name may come after that."""
_MOST_TOGETHER = 64
_MOST_TOGETHER_BYTES = 64 * 1024
_Life = tuple[datetime | None, bool]
"""When the session was deleted, and whether what it was is still being taken away."""
_TRIES = 50
"""Far more than as many workers need that append to one turn at once; then the message is tried again later."""
_PATIENT_TRIES = 3
"""In a cluster so many are in vain now and then; more are so where what is remembered is no more."""
_PAUSE_SECONDS = (0.002, 0.02)
"""In a cluster an append is refused while another is on its way, and a replica may lag: both pass in a moment."""


class _Shared:
    """One turn as this worker has read it; whoever reads on or appends holds the lock."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turn = Turn()
        self.names: set[str] = set()
        """The subjects of all that was read or appended, also of what another's append took along."""
        self.last_at: datetime | None = None
        """When the last of it came."""
        self.first = 0
        """The sequence of the first entry."""
        self.life: _Life | None = None
        """In which life of its session it was read."""
        self.arriving: dict[str, ResultEntry] = {}
        """By subject, what waits for the lock to be appended."""
        self.counted = 0

    def forget(self) -> None:
        self.turn, self.names, self.last_at, self.first = Turn(), set(), None, 0

    def live_in(self, life: "_Life") -> None:
        """What was read in another life of the session, or while that was being taken away, is no more."""
        if self.life != life:
            self.forget()
            self.life = life

    def take(self, message: Kept) -> None:
        self.last_at = message.at
        self.first = self.first or message.sequence
        try:
            entry = read_entry(message.body)
            self.turn.apply(entry, message.sequence, message.at)
            if isinstance(entry, ResultsEntry):
                head = message.subject.rpartition(".")[0]
                self.names.update(f"{head}.{result.result_id}" for result in entry.results)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            if is_of_another_version(message.body):
                raise PublishError(f"{message.subject} is an entry of a newer version: upgrade this worker") from None
            log.error("%r is no entry of a ledger: passed over", message.subject)
            self.turn.sequence = max(self.turn.sequence, message.sequence)
        self.names.add(message.subject)

    def together_with(self, subject: str, entry: ResultEntry) -> dict[str, Entry]:
        """An arrival, and others that wait: as many as one message may bear."""
        some: dict[str, Entry] = {subject: entry}
        size = len(encode_entry(entry))
        for other, waiting in self.arriving.items():
            if other == subject or other in self.names:
                continue
            size += len(encode_entry(waiting))
            if len(some) >= _MOST_TOGETHER or size > _MOST_TOGETHER_BYTES:
                break
            some[other] = waiting
        return some


class Ledger:
    """The turns' ledgers, with as much of them remembered as has room."""

    def __init__(
        self,
        publisher: Publishing,
        stream: Log,
        subjects: Subjects,
        now: Clock,
        tombstones: NoTombstones,
    ) -> None:
        self._tombstones = tombstones
        self._publisher = publisher
        self._stream = stream
        self._subjects = subjects
        self._now = now
        self._turns: OrderedDict[TurnAddress, _Shared] = OrderedDict()
        self._entries = 0

    def peek(self, at: TurnAddress) -> Turn:
        """The turn as far as this worker has read it, which may be nowhere near its end."""
        shared = self._turns.get(at)
        return Turn() if shared is None or shared.life != self._life(at.session) else shared.turn

    async def read(self, at: TurnAddress) -> Turn:
        """The turn as the stream has it now."""
        shared = self._shared(at)
        async with self._locked(at, shared):
            await self._read_on(at, shared)
            return shared.turn

    async def read_anew(self, at: TurnAddress) -> Turn:
        """As `read`, with nothing remembered: all times in it are the stream's own."""
        shared = _Shared()
        await self._read_on(at, shared)
        return shared.turn

    async def is_empty(self, at: TurnAddress) -> bool:
        """Whether the stream has nothing of the turn, as its leader knows."""
        return await self._stream.first(self._subjects.ledger_of(at)) is None

    async def record(self, at: TurnAddress, kind: str, name: str, entry: Entry) -> tuple[Turn, bool]:
        """Append the entry, unless one of this kind and name is there; the turn, read as far as it or further.

        Also whether it was there before. The arrival of the last result that a turn waits for settles it with the same
        append. Arrivals that wait for each other go together: a turn whose results all come at once takes two appends.
        """
        shared, subject = self._shared(at), self._subjects.ledger(at, kind, name)
        is_known = subject in shared.names or subject in shared.arriving
        arrival = entry if isinstance(entry, ResultEntry) and not is_known else None
        if arrival is not None:
            shared.arriving[subject] = arrival
        try:
            async with self._locked(at, shared):
                for tries in range(_TRIES):
                    if subject in shared.names:
                        return shared.turn, arrival is None or subject in shared.arriving
                    together = {subject: entry} if arrival is None else shared.together_with(subject, arrival)
                    if await self._append_next(at, shared, together):
                        return shared.turn, False
                    await self._catch_up(at, shared, tries)
                raise _hopeless(shared, subject)
        finally:
            if arrival is not None:
                shared.arriving.pop(subject, None)

    async def settle(
        self, at: TurnAddress, settled_by: SettledBy, budget: int, is_ready: Callable[[Turn], bool]
    ) -> Turn:
        """Settle the turn if it is not, and `is_ready` at the very moment of the settling."""
        subject = self._subjects.ledger(at, "settled", EMPTY)
        shared = self._shared(at)
        async with self._locked(at, shared):
            for tries in range(_TRIES):
                if shared.turn.settled is not None or not is_ready(shared.turn):
                    return shared.turn
                entry: SettledEntry = shared.turn.settle(settled_by, budget)
                if await self._append_next(at, shared, {subject: entry}):
                    return shared.turn
                await self._catch_up(at, shared, tries)
            raise _hopeless(shared, subject)

    def _shared(self, at: TurnAddress) -> _Shared:
        shared = self._turns.setdefault(at, _Shared())
        self._turns.move_to_end(at)
        return shared

    @asynccontextmanager
    async def _locked(self, at: TurnAddress, shared: _Shared) -> AsyncIterator[None]:
        async with shared.lock:
            if shared.last_at is not None and self._now() - shared.last_at > _REMEMBERED_FOR:
                shared.forget()
            shared.live_in(self._life(at.session))
            try:
                yield
            finally:
                if self._turns.get(at) is shared:
                    self._entries += len(shared.names) - shared.counted
                    shared.counted = len(shared.names)
                    self._forget()

    def _forget(self) -> None:
        """What was used longest ago, where too much is remembered."""
        while self._entries > _REMEMBERED_ENTRIES and len(self._turns) > 1:
            _, shared = self._turns.popitem(last=False)
            self._entries -= shared.counted

    async def _append_next(self, at: TurnAddress, shared: _Shared, entries: dict[str, Entry]) -> bool:
        """Append right after what has been read; false where something else came first. Of several all are arrivals.

        Every append to a turn has this expectation: a cluster's leader tells appends that are on their way apart by the
        subject that they name in it, and one with another subject could slip in between.
        """
        subject, entry = next(iter(entries.items()))
        arrivals = [entry for entry in entries.values() if isinstance(entry, ResultEntry)]
        if arrivals:
            whole = shared.turn.completed_by(arrivals)
            entry = whole[0] if len(whole) == 1 else ResultsEntry(results=tuple(whole))
        headers = {EXPECTED_LAST: str(shared.turn.sequence), EXPECTED_LAST_SUBJECT: self._subjects.ledger_of(at)}
        try:
            sequence = await self._publisher.append(subject, encode_entry(entry), headers)
        except WrongLastSequence:
            return False
        shared.last_at = self._now()
        shared.first = shared.first or sequence
        shared.turn.apply(entry, sequence, shared.last_at)
        shared.names.update(entries)
        for appended in entries:
            shared.arriving.pop(appended, None)
        return True

    async def _catch_up(self, at: TurnAddress, shared: _Shared, tries: int) -> None:
        """Read what came first. In a cluster it may still be on its way, or the replica that answers may lag."""
        if not await self._read_on(at, shared):
            if tries >= _PATIENT_TRIES:
                await self._forget_what_is_gone(at, shared)
            await asyncio.sleep(random.uniform(*_PAUSE_SECONDS))  # noqa: S311 - spreads, hides nothing

    async def _forget_what_is_gone(self, at: TurnAddress, shared: _Shared) -> None:
        """What is remembered begins elsewhere than the stream does: it was purged, or made anew."""
        first = await self._stream.first(self._subjects.ledger_of(at))
        if shared.first and (first is None or first.sequence != shared.first):
            shared.forget()

    def _life(self, session: str) -> _Life:
        return self._tombstones.deleted_at(session), self._tombstones.is_being_erased(session)

    async def _read_on(self, at: TurnAddress, shared: _Shared) -> bool:
        """Whether there was anything new."""
        before = shared.turn.sequence
        while messages := await self._stream.read(self._subjects.ledger_of(at), shared.turn.sequence, _READ_BYTES):
            for message in messages:
                shared.take(message)
        return shared.turn.sequence > before


def _hopeless(shared: _Shared, subject: str) -> PublishError:
    """What is remembered may be of a stream that was made anew since: the next try reads all again."""
    shared.forget()
    return PublishError(f"{subject}: refused {_TRIES} times")
