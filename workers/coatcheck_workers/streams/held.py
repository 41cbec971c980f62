"""What waits in COAT_HELD: results for their turn, turns for their deadline, dead letters for the store.

Each is a scheduled message: it fires at its time, whichever workers live then, and comes back to one of them on
`coat-internal.due...`. So nobody polls for a deadline; what could not fire is found by `flow.overdue`.
"""

from datetime import datetime, timedelta

import msgspec

from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.streams.arriving import Arrived, pack
from coatcheck_workers.streams.ports import Log, Publishing
from coatcheck_workers.streams.publishing import EXPECTED_LAST, PublishError, WrongLastSequence

TURN = "turn"
LETTER = "letter"
TRIES_HEADER = "Coat-Tries"
TIMER = EMPTY
"""In place of a result id: the turn's own timer, without a body."""
_READ_BYTES = 1024 * 1024
"""As many turns as there are messages in hand may be finished at once."""


class HeldMessage(msgspec.Struct, frozen=True):
    """A held result by its id, or the turn's timer; `sequence` is its place in the stream."""

    name: str
    body: bytes
    sequence: int


class Held:
    """Holds, gives back before the time, and lets go."""

    def __init__(
        self, publisher: Publishing, stream: Log, subjects: Subjects, max_bytes: int, now: Clock = utc_now
    ) -> None:
        self._publisher = publisher
        self._stream = stream
        self._subjects = subjects
        self._max_bytes = max_bytes
        self._now = now

    def has_room(self, arrived: Arrived) -> bool:
        """Whether one message can hold it."""
        return len(pack(arrived)) <= self._max_bytes

    async def hold(self, at: TurnAddress, result_id: str, arrived: Arrived, seconds: float) -> bytes | None:
        """Hold a result until it is released or falls due; where one is held already, its time stands, and it is given.

        None where that is this very message.
        """
        body = pack(arrived)
        try:
            await self._schedule(at, TURN, result_id, body, seconds, {EXPECTED_LAST: "0"})
        except WrongLastSequence as error:
            # In a cluster also where another publish of it is on its way, and may yet fail.
            there = await self._stream.last(self._subjects.held(at, TURN, result_id))
            if there is None:
                raise PublishError(f"{result_id}: refused, and yet it is not held") from error
            return None if there.body == body else there.body
        return None

    async def move(self, at: TurnAddress, name: str, body: bytes, seconds: float, since: datetime | None = None) -> int:
        """Let what is held, or has just fallen due, fall due so much after `since`, or now; its new place.

        `since` is a time of the stream's, so that what a wrong clock let fall due too early does so once.
        """
        return await self._schedule(at, TURN, name, body, seconds, {}, since)

    async def arm(self, at: TurnAddress, seconds: float) -> None:
        """Set the timer of a turn."""
        await self._schedule(at, TURN, TIMER, b"", seconds, {})

    async def letter(self, at: TurnAddress, sequence: int, tries: int, seconds: float) -> None:
        """Let a dead letter be tried again."""
        headers = {TRIES_HEADER: str(tries)}
        await self._schedule(at, LETTER, str(sequence), b"", seconds, headers)

    async def read(self, at: TurnAddress, after: int) -> list[HeldMessage]:
        """What is held of the turn now and has a later place than `after`, the first of it where it is much."""
        messages = await self._stream.read(self._subjects.held(at, TURN, "*"), after, _READ_BYTES)
        return [HeldMessage(message.subject.rpartition(".")[2], message.body, message.sequence) for message in messages]

    async def drop(self, at: TurnAddress, result_id: str) -> None:
        await self._stream.purge(self._subjects.held(at, TURN, result_id))

    async def release(self, at: TurnAddress, through: int | None = None) -> None:
        """Let go of all that is held of a turn, or of what has a place up to `through`."""
        await self._stream.purge(self._subjects.held(at, TURN, "*"), through)

    async def _schedule(
        self,
        at: TurnAddress,
        kind: str,
        name: str,
        body: bytes,
        seconds: float,
        headers: dict[str, str],
        since: datetime | None = None,
    ) -> int:
        due = (since or self._now()) + timedelta(seconds=max(0.0, seconds))
        schedule = {
            "Nats-Schedule": f"@at {due:%Y-%m-%dT%H:%M:%S.%f}Z",
            "Nats-Schedule-Target": self._subjects.due(at, kind, name),
        }
        return await self._publisher.append(self._subjects.held(at, kind, name), body, schedule | headers)
