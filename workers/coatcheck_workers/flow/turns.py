"""The flow of a turn: arrive, wait, settle, finish.

hold what waits -> record the arrival in the ledger -> once the ledger says so, settle (one append to the ledger, which
nothing can slip past) -> publish the manifest, once -> deliver what waited -> let go of what was held.

A crash at any point: the message in hand comes again, finds its own entry, and goes on from there. A held result falls
due at its deadline whatever happens, and is then delivered by what the ledger says; so a result is in the queue, or
held, or delivered, at every moment, and whoever meets it last finds that there is nothing left to do.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import TypeVar

import msgspec

from coatcheck_core.decision import Case
from coatcheck_core.turns import EndEntry, FailedEntry, RawEntry, ResultEntry, Turn, manifest
from coatcheck_schemas.errors import CoatcheckError, InvalidResult
from coatcheck_schemas.events import SettledBy, TurnEnd
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.finishing import Finishing
from coatcheck_workers.flow.remembering import Remembered
from coatcheck_workers.streams.arriving import Arrived, unpack
from coatcheck_workers.streams.held import TIMER, Held, HeldMessage
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.ports import Log, Publishing

log = logging.getLogger("coatcheck.turns")

T = TypeVar("T")

SOON_SECONDS = 1.0
"""When a held result that could not be delivered with its turn is tried again, by itself."""
_EARLY_SECONDS = 0.25
"""A timer may fire so much before the deadline that it is not worth another."""
_AT_A_TIME = 16
_LAG_SECONDS = (0.02, 0.1, 0.3)
"""The pauses in which a replica that lags catches up."""

Early = asyncio.Future[list[HeldMessage]]
"""What is held of a turn, asked for before it is known whether it is needed."""


class Later(CoatcheckError):
    """It is too early for this message: to be taken again after `seconds`. No failure."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn needs; `results` is the stream of what is still in the queue."""

    delivery: Delivery
    ledger: Ledger
    held: Held
    publisher: Publishing
    results: Log
    subjects: Subjects
    budget: int
    deadline_seconds: float
    max_event_bytes: int
    remembered: Remembered = msgspec.field(default_factory=Remembered)
    finishing: Finishing = msgspec.field(default_factory=Finishing)
    now: Clock = utc_now

    async def arrive(self, case: Case, arrived: Arrived) -> None:
        """Take a result of a turn, for the first time or again."""
        at, result_id = case.result.address.at_turn, case.result.result_id
        entry = await self.delivery.entry(case)
        if entry.at_once is None and not self.held.has_room(arrived):
            entry = msgspec.structs.replace(entry, may_wait=False)
        before = self.ledger.peek(at)
        if before.awaits_only(entry):
            # It will not wait itself: its message stays in hand until its stub is out. So what waits is read meanwhile.
            async with self._reading(at, before.waiting) as early:
                turn, is_again = await self.ledger.record(at, "result", result_id, entry)
                await self._recorded(at, turn, case, arrived, early, is_held=False, is_again=is_again)
        else:
            is_held = result_id not in before and await self._hold(at, before, entry, arrived)
            if is_held:
                self.remembered.add(at, case)
            turn, is_again = await self.ledger.record(at, "result", result_id, entry)
            await self._recorded(at, turn, case, arrived, None, is_held=is_held, is_again=is_again)

    async def end(self, at: TurnAddress, end: TurnEnd, sequence: int, tries: int) -> None:
        """Take the end of a turn, which the queue of results has at `sequence`. Raises Later."""
        turn, _ = await self.ledger.record(at, "end", str(sequence), EndEntry(turn_size=end.turn_size))
        if turn.settled is not None:
            await self._finish(at, turn)
        elif end.turn_size is None:
            await self._until_older_are_in(at, turn, sequence, tries)
            await self._settle(at, "end", lambda turn: True)
        elif turn.is_complete:
            await self._settle(at, "size", _is_complete)
        else:
            await self.held.arm(at, self.deadline_seconds)

    async def fail(self, at: TurnAddress, call: str, entry: FailedEntry) -> None:
        """Count a dead letter of the turn, once a call."""
        turn, is_again = await self.ledger.record(at, "failed", call, entry)
        if turn.settled is not None and is_again:
            await self._finish(at, turn)
        elif turn.is_complete:
            await self._settle(at, "size", _is_complete)

    async def may_go_raw(self, at: TurnAddress, entry: RawEntry) -> bool:
        """Whether the turn's budget has room for an offloaded result itself; asked once, the answer stands."""
        turn, _ = await self.ledger.record(at, "raw", entry.result_id, entry)
        return bool(turn.may_go_raw(entry.result_id))

    async def fall_due(self, at: TurnAddress, name: str, body: bytes, fired_at: datetime) -> None:
        """Take what was held and has fallen due: a result, or the turn's timer. Raises Later."""
        case = None
        if name != TIMER:
            arrived = _unpack(body)
            case = await self.delivery.examine(arrived)
        turn = await self.ledger.read_anew(at)
        if case is not None and name not in turn:
            await self.arrive(case, arrived)
            return
        if turn.settled is None and not turn.is_complete:
            left = turn.remaining(fired_at, self.deadline_seconds)
            if left > _EARLY_SECONDS:
                await self._wait_on(at, name, body, left, case)
                return
        if turn.settled is None:
            await self._settle_overdue(at, turn, case)
        else:
            # Whoever settled it when this fell due may have died before the manifest was out.
            await self._finish(at, turn, case)

    async def _hold(self, at: TurnAddress, turn: Turn, entry: ResultEntry, arrived: Arrived) -> bool:
        """Hold the result if it will wait, as far as this worker knows; else see that the turn has a timer."""
        size_is_known = entry.turn_size is not None or turn.waits
        if turn.settled is not None or not size_is_known:
            return False
        if entry.at_once is None and entry.may_wait:
            await self.held.hold(at, entry.result_id, arrived, self.deadline_seconds)
            return True
        await self.held.arm(at, self.deadline_seconds)
        return False

    @asynccontextmanager
    async def _reading(self, at: TurnAddress, waiting: frozenset[str]) -> AsyncIterator[Early | None]:
        """What is held of a turn, on its way while something else is; None where it is known."""
        if self.remembered.has(at, waiting):
            yield None
            return
        early = asyncio.ensure_future(self.held.read(at, 0))
        try:
            yield early
        finally:
            early.cancel()
            await asyncio.gather(early, return_exceptions=True)

    async def _recorded(
        self,
        at: TurnAddress,
        turn: Turn,
        case: Case,
        arrived: Arrived,
        early: Early | None,
        *,
        is_held: bool,
        is_again: bool,
    ) -> None:
        """Go on with a result that the ledger has: deliver it if it is decided, settle the turn if it is complete."""
        result_id = case.result.result_id
        if turn.outcome(result_id) is None and not is_held:
            # It comes again, or the turn's size became known meanwhile: who settled just now did not find it held.
            await self.held.hold(at, result_id, arrived, self.deadline_seconds)
            turn = await self.ledger.read(at)
        if turn.settled is not None and (is_again or turn.settled_with == result_id):
            await self._finish(at, turn, case, early)
            return
        if is_held and result_id in turn.waited:
            return  # whoever settled the turn found it held
        work: list[Awaitable[None]] = []
        if turn.outcome(result_id) is not None:
            work.append(self._deliver(case, turn))
            if is_held:
                work.append(self.held.drop(at, result_id))
        if turn.is_complete:
            work.append(self._settle(at, "size", _is_complete, case if turn.outcome(result_id) is None else None))
        await _all(work)

    async def _wait_on(self, at: TurnAddress, name: str, body: bytes, seconds: float, case: Case | None) -> None:
        await self.held.move(at, name, body, seconds)
        turn = await self.ledger.read(at)
        if turn.settled is not None and case is not None:
            # Whoever settled it just now looked for what was held before this was held again.
            await _all([self._deliver(case, turn), self.held.drop(at, name)])

    async def _settle_overdue(self, at: TurnAddress, judged: Turn, case: Case | None) -> None:
        """Settle the turn as it was judged; where another result has come since, it is not overdue."""

        def is_as_judged(turn: Turn) -> bool:
            return turn.sequence <= judged.sequence or turn.is_complete

        turn = await self.ledger.settle(at, "size" if judged.is_complete else "deadline", self.budget, is_as_judged)
        if turn.settled is None:
            raise Later(_EARLY_SECONDS)
        await self._finish(at, turn, case)

    async def _settle(
        self, at: TurnAddress, settled_by: SettledBy, is_ready: Callable[[Turn], bool], case: Case | None = None
    ) -> None:
        turn = await self.ledger.settle(at, settled_by, self.budget, is_ready)
        if turn.settled is not None:
            await self._finish(at, turn, case)

    async def _finish(self, at: TurnAddress, turn: Turn, case: Case | None = None, early: Early | None = None) -> None:
        """Deliver what waited and publish the manifest; `case` is one of these that is in hand."""
        mine = [] if case is None else [self._deliver(case, turn)]
        settled = at, turn.settled_sequence
        await _all([*mine, self.finishing.once(settled, lambda: self._finish_others(at, turn, case, early))])

    async def _finish_others(self, at: TurnAddress, turn: Turn, case: Case | None, early: Early | None) -> None:
        await _all([self._deliver_held(at, turn, case, early), self._publish_manifest(at, turn)])

    async def _publish_manifest(self, at: TurnAddress, turn: Turn) -> None:
        await self.publisher.once(self.subjects.settled(at), manifest(turn, at, self.max_event_bytes))

    async def _deliver_held(self, at: TurnAddress, turn: Turn, in_hand: Case | None, early: Early | None) -> None:
        """Deliver what waited, and let go of it. What cannot be delivered falls due soon, to be tried by itself."""
        seen = await self._deliver_remembered(at, turn, in_hand)
        moved: list[int] = []
        after = 0
        pauses = iter(_LAG_SECONDS)
        batch = [] if early is None else await early
        while batch or turn.waited - seen:
            batch = batch or await self.held.read(at, after)
            if not batch:
                # Delivered by others before; or a replica answered that lags.
                if (pause := next(pauses, None)) is None:
                    break
                await asyncio.sleep(pause)
                continue
            after = batch[-1].sequence
            new = [held for held in batch if held.name not in seen]
            seen.update(held.name for held in new)
            moved += await _each([partial(self._try_held, at, turn, held) for held in new])
            batch = []
        if not (turn.waited - seen or any(moved)):
            await self.held.release(at)
        elif after:
            # What is held up to there was seen, and what was moved lies behind. What was not seen falls due by itself.
            await self.held.release(at, min([after, *(place - 1 for place in moved if place)]))

    async def _deliver_remembered(self, at: TurnAddress, turn: Turn, in_hand: Case | None) -> set[str]:
        """What need not be read: what is in hand, and what this worker remembers and could deliver."""
        seen = set[str]() if in_hand is None else {in_hand.result.result_id}

        async def one(name: str, case: Case) -> int:
            try:
                await self._deliver(case, turn)
            except Exception as error:
                log.warning("%s of turn %s is tried again as it is held: %s", name, at.turn, error)
            else:
                seen.add(name)
            return 0

        known = self.remembered.take(at).items()
        await _each([partial(one, name, case) for name, case in known if name in turn.waited - seen])
        return seen

    async def _try_held(self, at: TurnAddress, turn: Turn, held: HeldMessage) -> int:
        """0, or the new place of what cannot be delivered."""
        if held.name == TIMER:
            return 0
        try:
            await self._deliver(await self.delivery.examine(_unpack(held.body)), turn)
        except Exception as error:
            log.warning("%s of turn %s is tried again by itself: %s", held.name, at.turn, error)
            return await self.held.move(at, held.name, held.body, SOON_SECONDS)
        return 0

    async def _deliver(self, case: Case, turn: Turn) -> None:
        outcome = turn.outcome(case.result.result_id)
        if outcome is not None:
            await self.delivery.deliver(case, outcome.disposition, outcome.reason)

    async def _until_older_are_in(self, at: TurnAddress, turn: Turn, sequence: int, tries: int) -> None:
        """Raises Later while an older result of the turn is open in the queue, at most until the deadline."""
        if turn.arrivals and turn.remaining(self.now(), self.deadline_seconds) <= 0:
            return
        oldest = await self.results.first(self.subjects.results_of(at))
        if oldest is not None and oldest.sequence < sequence:
            raise Later(min(1.0, 0.02 * 2 ** min(tries, 6)))


def _is_complete(turn: Turn) -> bool:
    return turn.is_complete


def _unpack(body: bytes) -> Arrived:
    try:
        return unpack(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidResult("internal", f"a held message cannot be read: {error}") from None


async def _all(work: Sequence[Awaitable[T]]) -> list[T]:
    """What came of each, once all have come to their end; raises what failed first."""
    done: list[T] = []
    for came in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(came, BaseException):
            raise came
        done.append(came)
    return done


async def _each(work: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """As `_all`, of any number, few at a time."""
    slots = asyncio.Semaphore(_AT_A_TIME)

    async def one(start: Callable[[], Awaitable[T]]) -> T:
        async with slots:
            return await start()

    return await _all([one(start) for start in work])
