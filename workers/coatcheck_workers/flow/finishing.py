"""The end of a turn's flow: deliver what waited, publish the manifest, let go of what was held.

Each step is safe to repeat, by whichever worker: a stub event and a manifest go out once, and only what was delivered,
or falls due by itself, is let go of.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from coatcheck_core.decision import Case
from coatcheck_core.turns import Turn, manifest
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.finished import Finished
from coatcheck_workers.flow.remembering import Remembered
from coatcheck_workers.flow.telling_apart import objects_of
from coatcheck_workers.process.about import ABOUT, about
from coatcheck_workers.process.side_by_side import all_of, few_at_a_time
from coatcheck_workers.streams.arriving import Arrived, unpack
from coatcheck_workers.streams.held import TIMER, Held, HeldMessage
from coatcheck_workers.streams.ports import Publishing

log = logging.getLogger("coatcheck.turns")

SOON_SECONDS = 1.0
"""When a held result that could not be delivered with its turn is tried again, by itself."""
_LAG_SECONDS = (0.02, 0.1, 0.3)
"""The pauses in which a replica that lags catches up."""

Early = asyncio.Future[list[HeldMessage]]
"""What is held of a turn, asked for before it is known whether it is needed."""


class Finishing(msgspec.Struct, frozen=True, kw_only=True):
    """What a settled turn needs."""

    delivery: Delivery
    held: Held
    publisher: Publishing
    subjects: Subjects
    max_event_bytes: int
    remembered: Remembered = msgspec.field(default_factory=Remembered)
    finished: Finished = msgspec.field(default_factory=Finished)

    async def finish(self, at: TurnAddress, turn: Turn, case: Case | None = None, early: Early | None = None) -> None:
        """Deliver what waited and publish the manifest; `case` is one of these that is in hand."""
        mine = [] if case is None else [self.deliver(case, turn)]
        settled = at, turn.settled_sequence
        await all_of([*mine, self.finished.once(settled, lambda: self._finish_others(at, turn, case, early))])

    async def deliver(self, case: Case, turn: Turn) -> None:
        """As the ledger has decided; nothing while it has not, or where the ledger has another under its id."""
        outcome = turn.outcome(case.result.result_id)
        if outcome is not None and not turn.is_anothers(case.result.result_id, objects_of(case)):
            await self.delivery.deliver(case, outcome.disposition, outcome.reason)

    @asynccontextmanager
    async def reading_ahead(self, at: TurnAddress, waiting: frozenset[str]) -> AsyncIterator[Early | None]:
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

    async def _finish_others(self, at: TurnAddress, turn: Turn, case: Case | None, early: Early | None) -> None:
        await all_of([self._deliver_held(at, turn, case, early), self._publish_manifest(at, turn)])

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
            moved += await few_at_a_time([partial(self._try_held, at, turn, held) for held in new])
            batch = []
        if not (turn.waited - seen or any(moved)):
            await self.held.release(at)
        elif after:
            # What is held up to there was seen, and what was moved lies behind. What was not seen falls due by itself.
            await self.held.release(at, min([after, *(place - 1 for place in moved if place)]))

    async def _deliver_remembered(self, at: TurnAddress, turn: Turn, in_hand: Case | None) -> set[str]:
        """What need not be read: what is in hand, and what this worker remembers and could deliver."""
        seen = set[str]() if in_hand is None else {in_hand.result.result_id}

        async def one(name: str, case: Case) -> None:
            try:
                await self.deliver(case, turn)
            except Exception as error:
                told = "%s of turn %s is tried again as it is held: %s"
                log.warning(told, name, at.turn, error, extra={ABOUT: case})
            else:
                seen.add(name)

        known = self.remembered.take(at).items()
        ours = [(name, case) for name, case in known if not turn.is_anothers(name, objects_of(case))]
        await few_at_a_time([partial(one, name, case) for name, case in ours if name in turn.waited - seen])
        return seen

    async def _try_held(self, at: TurnAddress, turn: Turn, held: HeldMessage) -> int:
        """0, or the new place of what cannot be delivered."""
        if held.name == TIMER:
            return 0
        if held.name not in turn:
            log.info("%s of turn %s was not counted when that was settled, and comes late", held.name, at.turn)
            return await self.held.move(at, held.name, held.body, SOON_SECONDS)
        try:
            await self.deliver(await self.delivery.examine(unpack_held(held.body)), turn)
        except Exception as error:
            told = "%s of turn %s is tried again by itself: %s"
            log.warning(told, held.name, at.turn, error, extra=about(self.subjects.turn_end(at)))
            return await self.held.move(at, held.name, held.body, SOON_SECONDS)
        return 0


def unpack_held(body: bytes) -> Arrived:
    try:
        return unpack(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidResult("internal", f"a held message cannot be read: {error}") from None
