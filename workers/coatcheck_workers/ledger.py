"""The ledger of turns in COAT_LEDGER: append, compare and set, read on.

A turn's ledger is the messages under `coat-internal.ledger.SESSION.TURN.>`. An append expects the last message of the
turn to be the one up to which this worker has read it: where it is, the worker knows the whole turn at the moment of
its own entry, in one round trip. Where others came first, theirs are read. What is remembered of a turn is a prefix of
a log that never changes, so it is never wrong, only short.
"""

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from coatcheck_core.turns import Entry, ResultEntry, SettledEntry, Turn, encode_entry, read_entry
from coatcheck_schemas.events import SettledBy
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.ports import Kept, Log, Publishing
from coatcheck_workers.publishing import EXPECTED_LAST, PublishError, WrongLastSequence

log = logging.getLogger("coatcheck.ledger")

EXPECTED_LAST_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
_READ_BYTES = 4 * 1024 * 1024
_REMEMBERED_ENTRIES = 50_000
_TRIES = 50
"""Far more than as many workers need that append to one turn at once; then the message is tried again later."""
_PAUSE_SECONDS = (0.002, 0.02)
"""In a cluster an append is refused while another is on its way, and a replica may lag: both pass in a moment."""


class _Shared:
    """One turn as this worker has read it; whoever reads on or appends holds the lock."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turn = Turn()
        self.names: set[str] = set()
        self.counted = 0

    def take(self, message: Kept) -> None:
        try:
            self.turn.apply(read_entry(message.body), message.sequence, message.at)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            log.error("%r is no entry of a ledger that this version knows: passed over", message.subject)
            self.turn.sequence = max(self.turn.sequence, message.sequence)
        self.names.add(message.subject)


class Ledger:
    """The turns' ledgers, with as much of them remembered as has room."""

    def __init__(self, publisher: Publishing, stream: Log, subjects: Subjects, now: Clock = utc_now) -> None:
        self._publisher = publisher
        self._stream = stream
        self._subjects = subjects
        self._now = now
        self._turns: OrderedDict[TurnAddress, _Shared] = OrderedDict()
        self._entries = 0

    def peek(self, at: TurnAddress) -> Turn:
        """The turn as far as this worker has read it, which may be nowhere near its end."""
        shared = self._turns.get(at)
        return Turn() if shared is None else shared.turn

    async def read(self, at: TurnAddress) -> Turn:
        """The turn as the stream has it now."""
        async with self._of(at) as shared:
            await self._read_on(at, shared)
            return shared.turn

    async def read_anew(self, at: TurnAddress) -> Turn:
        """As `read`, with nothing remembered: all times in it are the stream's own."""
        shared = _Shared()
        await self._read_on(at, shared)
        return shared.turn

    async def record(self, at: TurnAddress, kind: str, name: str, entry: Entry) -> Turn:
        """Append the entry, unless one of this kind and name is there; the turn, read as far as it or further.

        The arrival of the last result that a turn waits for settles it with the same append.
        """
        async with self._of(at) as shared:
            subject = self._subjects.ledger(at, kind, name)
            for _ in range(_TRIES):
                if subject in shared.names or await self._append_next(at, shared, subject, entry):
                    return shared.turn
                await self._catch_up(at, shared)
        raise PublishError(f"{subject}: refused {_TRIES} times")

    async def settle(
        self, at: TurnAddress, settled_by: SettledBy, budget: int, is_ready: Callable[[Turn], bool]
    ) -> Turn:
        """Settle the turn if it is not, and `is_ready` at the very moment of the settling."""
        subject = self._subjects.ledger(at, "settled", EMPTY)
        async with self._of(at) as shared:
            for _ in range(_TRIES):
                if shared.turn.settled is not None or not is_ready(shared.turn):
                    return shared.turn
                entry: SettledEntry = shared.turn.settle(settled_by, budget)
                if await self._append_next(at, shared, subject, entry):
                    return shared.turn
                await self._catch_up(at, shared)
        raise PublishError(f"{subject}: refused {_TRIES} times")

    @asynccontextmanager
    async def _of(self, at: TurnAddress) -> AsyncIterator[_Shared]:
        shared = self._turns.setdefault(at, _Shared())
        self._turns.move_to_end(at)
        async with shared.lock:
            try:
                yield shared
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

    async def _append_next(self, at: TurnAddress, shared: _Shared, subject: str, entry: Entry) -> bool:
        """Append right after what has been read; false where something else came first.

        Every append to a turn has this expectation: a cluster's leader tells appends that are on their way apart by the
        subject that they name in it, and one with another subject could slip in between.
        """
        if isinstance(entry, ResultEntry):
            entry = shared.turn.completed_by(entry)
        headers = {EXPECTED_LAST: str(shared.turn.sequence), EXPECTED_LAST_SUBJECT: self._subjects.ledger_of(at)}
        try:
            sequence = await self._publisher.append(subject, encode_entry(entry), headers)
        except WrongLastSequence:
            return False
        shared.turn.apply(entry, sequence, self._now())
        shared.names.add(subject)
        return True

    async def _catch_up(self, at: TurnAddress, shared: _Shared) -> None:
        """Read what came first. In a cluster it may still be on its way, or the replica that answers may lag."""
        if not await self._read_on(at, shared):
            await asyncio.sleep(random.uniform(*_PAUSE_SECONDS))  # noqa: S311 - spreads, hides nothing

    async def _read_on(self, at: TurnAddress, shared: _Shared) -> bool:
        """Whether there was anything new."""
        before = shared.turn.sequence
        while messages := await self._stream.read(self._subjects.ledger_of(at), shared.turn.sequence, _READ_BYTES):
            for message in messages:
                shared.take(message)
        return shared.turn.sequence > before
