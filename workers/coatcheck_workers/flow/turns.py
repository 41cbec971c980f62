"""The flow of a turn: arrive, wait, settle, finish.

hold what waits -> record the arrival in the ledger -> once the ledger says so, settle (one append to the ledger, which
nothing can slip past) -> publish the manifest, once -> deliver what waited -> let go of what was held (finishing.py).

A crash at any point: the message in hand comes again, finds its own entry, and goes on from there. A held result falls
due at its deadline whatever happens, and is then delivered by what the ledger says; so a result is in the queue, or
held, or delivered, at every moment, and whoever meets it last finds that there is nothing left to do.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec

from coatcheck_core.decision import Case
from coatcheck_core.turns import FailedEntry, RawEntry, ResultEntry, Turn, end_entry
from coatcheck_schemas.events import SettledBy, TurnEnd
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.finishing import Early, Finishing, unpack_held
from coatcheck_workers.flow.telling_apart import SOON_SECONDS, IsAnothers, objects_of, under_its_other_id
from coatcheck_workers.process.side_by_side import all_of
from coatcheck_workers.streams.arriving import Arrived, pack
from coatcheck_workers.streams.held import TIMER, Held
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.ports import Log

_EARLY_SECONDS = 0.25
"""A timer may fire so much before the deadline that it is not worth another."""


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn needs; `results` is the stream of what is still in the queue."""

    delivery: Delivery
    ledger: Ledger
    held: Held
    finishing: Finishing
    results: Log
    subjects: Subjects
    budget: int
    deadline_seconds: float
    now: Clock = utc_now

    async def arrive(self, case: Case, arrived: Arrived) -> None:
        """Take a result of a turn, for the first time or again."""
        try:
            await self._arrive(case, arrived)
        except IsAnothers:
            self.finishing.remembered.drop(case.result.address.at_turn, case)
            await self._arrive(under_its_other_id(case), arrived)

    async def _arrive(self, case: Case, arrived: Arrived) -> None:
        """Raises IsAnothers."""
        at, result_id = case.result.address.at_turn, case.result.result_id
        entry = await self.delivery.entry(case)
        if entry.at_once is None and not self.held.has_room(arrived):
            entry = msgspec.structs.replace(entry, may_wait=False)
        before = self.ledger.peek(at)
        if before.awaits_only(entry):
            # It will not wait itself: its message stays in hand until its stub is out. So what waits is read meanwhile.
            async with self.finishing.reading_ahead(at, before.waiting) as early:
                turn, is_again = await self.ledger.record(at, "result", result_id, entry)
                await self._recorded(at, turn, case, arrived, early, is_held=False, is_again=is_again)
        else:
            is_held = result_id not in before and await self._hold(at, before, entry, case, arrived)
            if is_held:
                self.finishing.remembered.add(at, case)
            turn, is_again = await self.ledger.record(at, "result", result_id, entry)
            await self._recorded(at, turn, case, arrived, None, is_held=is_held, is_again=is_again)

    async def end(self, at: TurnAddress, end: TurnEnd, sequence: int, tries: int) -> None:
        """Take the end of a turn, which the queue of results has at `sequence`. Raises Later."""
        turn, _ = await self.ledger.record(at, "end", str(sequence), end_entry(at, end))
        if turn.settled is not None:
            await self.finishing.finish(at, turn)
        elif end.turn_size is None:
            await self._until_older_are_in(at, turn, sequence, tries)
            await self._settle(at, "end", lambda turn: True)
        elif turn.is_complete:
            await self._settle(at, "size", _is_complete)
        else:
            await self.held.arm(at, self.deadline_seconds)

    async def fail(self, at: TurnAddress, call: str, entry: FailedEntry) -> None:
        """Count a dead letter of the turn, once a call."""
        if entry.turn_size is not None and self.ledger.peek(at).settled is None:
            await self.held.arm(at, self.deadline_seconds)
        turn, is_again = await self.ledger.record(at, "failed", call, entry)
        if turn.settled is not None and is_again:
            await self.finishing.finish(at, turn)
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
            arrived = unpack_held(body)
            case = await self.delivery.examine(arrived)
        turn = await self.ledger.read_anew(at)
        if case is not None and name not in turn:
            await self.arrive(case, arrived)
            return
        if case is not None and turn.is_anothers(name, objects_of(case)):
            return  # it was held before it was known that the place is another's, and has one of its own
        if case is None and turn.sequence == 0 and await self.ledger.is_empty(at):
            return  # what the timer was for went with its session
        if turn.settled is None and not turn.is_complete:
            left = turn.remaining(fired_at, self.deadline_seconds)
            if left > _EARLY_SECONDS:
                await self._wait_on(at, name, body, fired_at, left, case)
                return
        if turn.settled is None:
            await self._settle_overdue(at, turn, case)
        else:
            # Whoever settled it when this fell due may have died before the manifest was out.
            await self.finishing.finish(at, turn, case)

    async def is_done(self, at: TurnAddress, name: str) -> bool:
        """Whether nothing needs what is held under the name: the turn is settled, and the result is one of it."""
        turn = await self.ledger.read_anew(at)
        return turn.settled is not None and (name == TIMER or (name in turn and turn.outcome(name) is not None))

    async def _hold(self, at: TurnAddress, turn: Turn, entry: ResultEntry, case: Case, arrived: Arrived) -> bool:
        """Hold the result if it will wait, as far as this worker knows; else see that the turn has a timer."""
        size_is_known = entry.turn_size is not None or turn.waits
        if turn.settled is not None or not size_is_known:
            return False
        if entry.at_once is None and entry.may_wait:
            await self._hold_as_own(at, case, arrived)
            return True
        await self.held.arm(at, self.deadline_seconds)
        return False

    async def _hold_as_own(self, at: TurnAddress, case: Case, arrived: Arrived) -> None:
        """Hold it in its place, which is its own by the ledger, else of whoever is held there.

        Raises IsAnothers, or Later where it has nothing to be told apart by, until the other is in the ledger.
        """
        result_id, objects = case.result.result_id, objects_of(case)
        there = await self.held.hold(at, result_id, arrived, self.deadline_seconds)
        if there is None or objects == objects_of(await self.delivery.identified(unpack_held(there))):
            return
        turn = await self.ledger.read(at)
        if result_id in turn and not turn.is_anothers(result_id, objects):
            await self.held.move(at, result_id, pack(arrived), self.deadline_seconds)
        elif objects:
            raise IsAnothers(result_id)
        elif result_id not in turn:
            raise Later(SOON_SECONDS)

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
        result_id, objects = case.result.result_id, objects_of(case)
        if turn.is_anothers(result_id, objects):
            if objects:
                raise IsAnothers(result_id)
            return  # its text has its stub, with another's media
        if turn.outcome(result_id) is None and not is_held:
            # It comes again, or the turn's size became known meanwhile: who settled just now did not find it held.
            await self._hold_as_own(at, case, arrived)
            turn = await self.ledger.read(at)
        if turn.settled is not None and (is_again or turn.settled_with == result_id):
            await self.finishing.finish(at, turn, case, early)
            return
        if is_held and result_id in turn.waited:
            return  # whoever settled the turn found it held
        work: list[Awaitable[None]] = []
        if turn.outcome(result_id) is not None:
            work.append(self.finishing.deliver(case, turn))
            if is_held:
                work.append(self.held.drop(at, result_id))
        if turn.is_complete:
            work.append(self._settle(at, "size", _is_complete, case if turn.outcome(result_id) is None else None))
        await all_of(work)

    async def _wait_on(
        self, at: TurnAddress, name: str, body: bytes, fired_at: datetime, seconds: float, case: Case | None
    ) -> None:
        await self.held.move(at, name, body, seconds, fired_at)
        turn = await self.ledger.read(at)
        if turn.settled is not None and case is not None:
            # Whoever settled it just now looked for what was held before this was held again.
            await all_of([self.finishing.deliver(case, turn), self.held.drop(at, name)])

    async def _settle_overdue(self, at: TurnAddress, judged: Turn, case: Case | None) -> None:
        """Settle the turn as it was judged; where another result has come since, it is not overdue."""

        def is_as_judged(turn: Turn) -> bool:
            return turn.sequence <= judged.sequence or turn.is_complete

        turn = await self.ledger.settle(at, "size" if judged.is_complete else "deadline", self.budget, is_as_judged)
        if turn.settled is None:
            raise Later(_EARLY_SECONDS)
        await self.finishing.finish(at, turn, case)

    async def _settle(
        self, at: TurnAddress, settled_by: SettledBy, is_ready: Callable[[Turn], bool], case: Case | None = None
    ) -> None:
        turn = await self.ledger.settle(at, settled_by, self.budget, is_ready)
        if turn.settled is not None:
            await self.finishing.finish(at, turn, case)

    async def _until_older_are_in(self, at: TurnAddress, turn: Turn, sequence: int, tries: int) -> None:
        """Raises Later while an older result of the turn is open in the queue, at most until the deadline."""
        if turn.arrivals and turn.remaining(self.now(), self.deadline_seconds) <= 0:
            return
        oldest = await self.results.first(self.subjects.results_of(at))
        if oldest is not None and oldest.sequence < sequence:
            raise Later(min(1.0, 0.02 * 2 ** min(tries, 6)))


def _is_complete(turn: Turn) -> bool:
    return turn.is_complete
