"""Workers kept alive: one that dies is started again, at once the first time, then with a growing delay."""

import asyncio
import itertools
import os
import time
from collections.abc import Awaitable, Callable

from ..embedded import Child, ChildEnded

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 5.0
SETTLED_SECONDS = 10.0
FAILED_STARTS = 5
"""So often a worker may end before all have ever answered; what keeps it from starting passes by itself no more."""

StartWorker = Callable[[int, int], Awaitable[Child]]
"""Starts the worker of a slot (0, 1, ...); it writes a line to the descriptor once it answers."""


class RestartDelays:
    """How long to wait before a worker is started again. Pure."""

    def __init__(self) -> None:
        self._deaths = 0

    def after(self, alive_seconds: float) -> float:
        """The delay in seconds after a worker died that had lived so long."""
        if alive_seconds >= SETTLED_SECONDS:
            self._deaths = 0
        self._deaths += 1
        if self._deaths == 1:
            return 0.0
        # The exponent is bounded since a worker that cannot start may die for weeks.
        return min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0 ** min(self._deaths - 2, 10))


class Workers:
    """`count` slots with a worker each. `ready` is called with all process ids whenever all of them answer anew."""

    def __init__(
        self,
        count: int,
        start: StartWorker,
        *,
        ready: Callable[[list[int]], None],
        died: Callable[[Child, int, float], None],
    ) -> None:
        self._start = start
        self._ready = ready
        self._died = died
        self._children: list[Child | None] = [None] * count
        self._answering: list[int | None] = [None] * count
        self._has_answered = False

    async def run(self) -> None:
        """Keep them alive until cancelled; `stop` then ends those that live.

        Raises ChildEnded, in a group, where one ends again and again before all have ever answered.
        """
        async with asyncio.TaskGroup() as group:
            for slot in range(len(self._children)):
                group.create_task(self._keep(slot))

    async def stop(self, seconds: float) -> None:
        """SIGTERM to all at once, SIGKILL to those that have not ended within `seconds`."""
        await asyncio.gather(*(child.stop(seconds) for child in self._children if child is not None))

    async def _keep(self, slot: int) -> None:
        delays = RestartDelays()
        for lives in itertools.count(1):
            started = time.monotonic()
            child, code = await self._live(slot)
            if lives >= FAILED_STARTS and not self._has_answered:
                raise ChildEnded(child.name, code, child.log)
            delay = delays.after(time.monotonic() - started)
            self._died(child, code, delay)
            await asyncio.sleep(delay)

    async def _live(self, slot: int) -> tuple[Child, int]:
        """One worker's life, from its start to its exit code."""
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            try:
                child = await self._start(slot, writing)
            finally:
                os.close(writing)
            self._children[slot] = child
            if await _says_ready(pipe.fileno()):
                self._answering[slot] = child.pid
                self._announce()
        code = await child.wait()
        self._answering[slot] = None
        return child, code

    def _announce(self) -> None:
        pids = [pid for pid in self._answering if pid is not None]
        if len(pids) == len(self._answering):
            self._has_answered = True
            self._ready(pids)


async def _says_ready(descriptor: int) -> bool:
    """Whether anything is written before the other end closes, as it does when the worker dies."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[bool] = loop.create_future()

    def listen() -> None:
        if not heard.done():
            heard.set_result(bool(os.read(descriptor, 4096)))

    loop.add_reader(descriptor, listen)
    try:
        return await heard
    finally:
        loop.remove_reader(descriptor)
