"""NATS, an object store and some workers on simulated time: the real flow, from `Flow.join` down, on fakes.

Between any two effects of a worker its plan may strike: see `simulated_fates`. A worker that dies loses all it
remembers; what it had in hand comes again after `ack_wait`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar, cast

from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeout
from tests.support.simulation.fates import Fate, Plan
from tests.support.simulation.streams import Stream, fires_at
from tests.support.simulation.time import SimulatedLoop

from coatcheck.testing import MemoryStore
from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.flow.joining import Flow
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.tombstone import Stage
from coatcheck_workers.uploads.taking import SPOOL_BYTES

T = TypeVar("T")

ACK_WAIT_SECONDS = 10.0
RESTART_SECONDS = 1.0
ANSWER_SECONDS = 5.0
"""After this a worker gives up waiting for an answer."""
LATE_SECONDS = 30.0
_SOONEST_SECONDS = 0.2

_LOOK_SECONDS = 2.0
MOST_EFFECTS = 20_000

Away = tuple[str, float, float]
"""What does not answer (a stream's name, `store`), from a second to a second."""


class World:
    """Streams, store, workers and what happened; `problems` is what no simulation may see."""

    def __init__(
        self,
        loop: SimulatedLoop,
        settings: Settings,
        plan: Plan,
        *,
        workers: int = 2,
        away: tuple[Away, ...] = (),
        spool_bytes: int = SPOOL_BYTES,
    ) -> None:
        self.loop = loop
        self.settings = settings
        self.plan = plan
        self.subjects = Subjects(settings.nats.prefix)
        self.keys = Keys(settings.storage.prefix)
        self.store = MemoryStore()
        self.streams = {name: self._stream(name) for name in ("results", "chunks", "ledger", "held", "stubs", "dlq")}
        self.away = away
        self.spool_bytes = spool_bytes
        self.multiparts: set[str] = set()
        """The keys of streams that the store has begun to take."""
        self.effects: list[str] = []
        self.crashes = 0
        self.faults = 0
        self.problems: list[str] = []
        self.late = 0
        self.had_late = False
        self.store_failed: list[float] = []
        """When the store failed somebody."""
        self.publishing: Counter[str] = Counter()
        self.deleted: dict[str, tuple[datetime, Stage]] = {}
        """The sessions that were deleted, when, and how far that is."""
        self._in_hand: dict[tuple[str, int], SimulatedMessage] = {}
        self._deliveries = 0
        self.workers = [SimulatedWorker(self) for _ in range(workers)]
        self.streams["results"].on_stored = lambda kept: self._soon(kept, self.streams["results"])
        self.streams["held"].on_stored = self._on_held

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is left to do."""
        waiting = any(self.streams[name].messages for name in ("results", "held"))
        return not (waiting or self.late or any(worker.tasks for worker in self.workers))

    async def until_quiet(self, seconds: float) -> None:
        """Wait until nothing is left to do, or what may not happen has, for so long at the most."""
        end = self.loop.time() + seconds
        await asyncio.sleep(_LOOK_SECONDS)
        while not self.is_quiet and not self.problems and self.loop.time() < end:  # noqa: ASYNC110 - looking costs nothing here
            await asyncio.sleep(_LOOK_SECONDS)

    def publish(self, subject: str, body: bytes, headers: dict[str, str]) -> None:
        """As a tool does."""
        stream = "chunks" if subject.startswith(f"{self.settings.nats.prefix}.chunks.") else "results"
        self.streams[stream].publish(subject, body, headers, self.loop.now())

    def is_result(self, subject: str) -> bool:
        """Whether it is a result's: no piece, and no end of a turn."""
        return subject.startswith(f"{self.settings.nats.prefix}.results.")

    def is_away(self, what: str) -> bool:
        now = self.loop.time()
        return any(name == what and start <= now < end for name, start, end in self.away)

    async def effect(
        self,
        worker: "SimulatedWorker",
        label: str,
        do: Callable[[], T],
        error: Callable[[str], Exception],
        *,
        away: str = "",
    ) -> T:
        """Do it, or what the plan says; `error` makes what the worker gets to see where it fails."""
        _check_alive(worker)
        fate = self.plan.fate(len(self.effects), label, self.loop.time())
        self.effects.append(label)
        self.faults += fate is not Fate.GO
        if len(self.effects) > MOST_EFFECTS:
            raise RuntimeError("this goes round and round")
        await asyncio.sleep(self.plan.delay())
        _check_alive(worker)
        if fate is Fate.CRASH_BEFORE:
            worker.kill()
        if fate is Fate.REFUSED or self.is_away(away):
            raise error(f"{label}: refused, as the plan says")
        if fate is Fate.LATE:
            self._do_late(do)
            await asyncio.sleep(ANSWER_SECONDS)
            raise error(f"{label}: on its way, as the plan says")
        done = do()
        if fate is Fate.CRASH_AFTER:
            worker.kill()
        await asyncio.sleep(ANSWER_SECONDS if fate is Fate.LOST else self.plan.delay())
        _check_alive(worker)
        if fate is Fate.LOST:
            raise error(f"{label}: its answer is lost, as the plan says")
        return done

    def restart(self, dead: "SimulatedWorker") -> None:
        self.workers[self.workers.index(dead)] = SimulatedWorker(self)

    def hand_out(self, stream: Stream, sequence: int, count: int) -> None:
        """Deliver a message, for the `count`th time, to a worker that lives."""
        kept = stream.messages.get(sequence)
        if kept is None:
            return
        living = [worker for worker in self.workers if worker.is_alive]
        if not living:
            self.loop.call_later(RESTART_SECONDS / 2, self.hand_out, stream, sequence, count)
            return
        worker = self.plan.pick(living, self._deliveries)
        self._deliveries += 1
        message = SimulatedMessage(self, worker, stream, kept, count)
        self._in_hand[stream.name, sequence] = message
        message.task = worker.take(message)
        self.loop.call_later(ACK_WAIT_SECONDS, self._overdue, message)

    def again(self, message: "SimulatedMessage", seconds: float) -> None:
        """Deliver it again after a while, whatever becomes of its other deliveries."""
        self._in_hand.pop(message.key, None)
        self.loop.call_later(seconds, self.hand_out, message.stream, message.kept.sequence, message.count + 1)

    def _overdue(self, message: "SimulatedMessage") -> None:
        if self._in_hand.get(message.key) is not message:
            return
        works = message.worker.is_alive and message.task is not None and not message.task.done()
        if works and not self.plan.loses_progress():
            self.loop.call_later(ACK_WAIT_SECONDS, self._overdue, message)
        else:
            self.hand_out(message.stream, message.kept.sequence, message.count + 1)

    def _do_late(self, do: Callable[[], Any]) -> None:
        def now() -> None:
            self.late -= 1
            try:
                do()
            except Exception:
                return  # nobody waits for it any more

        self.late += 1
        self.had_late = True
        self.loop.call_later(LATE_SECONDS * self.plan.delay(), now)

    def _stream(self, name: str) -> Stream:
        return Stream(self.subjects.stream(name), one_a_subject=name == "ledger")

    def _soon(self, kept: Kept, stream: Stream) -> None:
        self.loop.call_later(self.plan.delay(), self.hand_out, stream, kept.sequence, 1)

    def _on_held(self, kept: Kept) -> None:
        at = fires_at(kept)
        if at is None:
            self._soon(kept, self.streams["held"])
            return
        seconds = max(_SOONEST_SECONDS, (at - self.loop.now()).total_seconds())
        self.loop.call_later(seconds, lambda: self.streams["held"].fire(kept.sequence, self.loop.now()))


class SimulatedWorker:
    """One worker process: the flow, and what it remembers."""

    def __init__(self, world: World) -> None:
        from tests.support.simulation.deleting import Heard  # they need the world's types
        from tests.support.simulation.edges import edges

        self.world = world
        self.tombstones = Heard(world)
        self.is_alive = True
        self.tasks: set[asyncio.Task[None]] = set()
        self.flow = Flow.join(world.settings, edges(world, self))

    def take(self, message: "SimulatedMessage") -> "asyncio.Task[None]":
        task = self.world.loop.create_task(self._handle(message))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def kill(self) -> None:
        """Die now: nothing that this worker is at gets any further. Raises CancelledError."""
        if self.is_alive:
            self.is_alive = False
            self.world.crashes += 1
            for task in self.tasks:
                task.cancel()
            self.tasks = set()
            self.world.loop.call_later(RESTART_SECONDS, self.world.restart, self)
        raise asyncio.CancelledError

    async def _handle(self, message: "SimulatedMessage") -> None:
        handle = self.flow.on_due if message.stream is self.world.streams["held"] else self.flow.on_result
        try:
            await handle(cast(Msg, message))
        except Exception as error:
            self.world.problems.append(f"{message.subject}: {error!r} came out of its handler")


class SimulatedMessage:
    """One delivery of a message, with what the flow asks of a `Msg`."""

    def __init__(self, world: World, worker: SimulatedWorker, stream: Stream, kept: Kept, count: int) -> None:
        self._world = world
        self.worker = worker
        self.stream = stream
        self.kept = kept
        self.count = count
        self.task: asyncio.Task[None] | None = None
        self.subject = kept.subject
        self.data = kept.body
        self.headers = dict(kept.headers) or None
        self.metadata = _Metadata(stream.name, kept.sequence, kept.at, count)

    @property
    def key(self) -> tuple[str, int]:
        return self.stream.name, self.kept.sequence

    async def ack(self) -> None:
        await self._settle("ack", lambda: self.stream.messages.pop(self.kept.sequence, None))

    async def term(self) -> None:
        await self._settle("term", lambda: self.stream.messages.pop(self.kept.sequence, None))

    async def ack_sync(self, timeout: float = 1.0) -> None:  # noqa: ASYNC109 - as the client has it
        """Raises where no answer comes."""
        await self._world.effect(
            self.worker,
            f"ack {self.subject}, heard",
            lambda: self.stream.messages.pop(self.kept.sequence, None),
            lambda _: NatsTimeout(),
        )

    async def nak(self, delay: float = 0.0) -> None:
        await self._settle("nak", lambda: self._world.again(self, delay))

    async def _settle(self, what: str, do: Callable[[], Any]) -> None:
        """Nobody answers these: one that is lost on the way shows only in that the message comes again."""
        try:
            await self._world.effect(self.worker, f"{what} {self.subject}", do, _Unheard)
        except _Unheard:
            return


class _Unheard(Exception):
    """An ack went nowhere; its sender does not know."""


class _Place:
    def __init__(self, stream: int) -> None:
        self.stream = stream


class _Metadata:
    """As a `Msg.Metadata`, as far as the flow reads it."""

    def __init__(self, stream: str, sequence: int, timestamp: datetime, num_delivered: int) -> None:
        self.stream = stream
        self.sequence = _Place(sequence)
        self.timestamp = timestamp
        self.num_delivered = num_delivered


def _check_alive(worker: SimulatedWorker) -> None:
    if not worker.is_alive:
        raise asyncio.CancelledError
