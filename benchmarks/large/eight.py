"""Eight large results at once on one worker: its memory, and what small results notice of it."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from tests.support.wait import eventually

from benchmarks.agent import KB, Agent, result_of
from benchmarks.deployment import Servers
from benchmarks.large.memory import MB
from benchmarks.large.running import LONGEST_SECONDS, Running, running
from benchmarks.rows import Row, compared, quantile

AT_ONCE = 8
COUNT, QUICK_COUNT = 200, 40
MOST_GROWN_MB = 256
EACH_SECONDS = 0.02
IDLE_SECONDS, QUICK_IDLE_SECONDS = 10.0, 2.0
_OVERDUE_SECONDS = 60


async def eight_at_once(on: Servers, quick: bool) -> list[Row]:
    """The floor of the small results is the same worker with nothing else to do."""
    count = QUICK_COUNT if quick else COUNT
    async with running(on, "ours", "zstd") as one:
        for number in range(AT_ONCE):
            await one.lay(f"large{number}", count, number)
        await _Small(one.agent, "warm").run(1.0)
        idle = await _Small(one.agent, "idle").run(QUICK_IDLE_SECONDS if quick else IDLE_SECONDS)
        began = time.perf_counter()
        small = _Small(one.agent, "busy")
        busy = await small.while_running(_uploads(one))
        seconds = time.perf_counter() - began
        one.memory.look()
        grown, children = one.memory.grown / MB, one.memory.grown_children / MB
    name = f"1 kB results, 50 a second, while {AT_ONCE} of {count} MB come in pieces"
    return [
        compared(f"{name}, beside the same alone, p50", "ms", [(quantile(busy, 0.5), quantile(idle, 0.5))]),
        compared(f"{name}, beside the same alone, p99", "ms", [(quantile(busy, 0.99), quantile(idle, 0.99))], "<= 3"),
        Row(
            figure=f"the worker's memory meanwhile, over idle (its children: {children:.0f} MB)",
            unit="MB",
            ours=grown,
            asked=f"< {MOST_GROWN_MB}",
        ),
        Row(figure="all eight together", unit="MB/s", ours=AT_ONCE * count / seconds),
    ]


async def _uploads(one: Running) -> None:
    calls = {f"large{number}" for number in range(AT_ONCE)}
    await asyncio.gather(*(one.open(call) for call in calls))
    await eventually(lambda: calls <= one.agent.heard.keys(), LONGEST_SECONDS, "the large results' stubs")


class _Small:
    """Small results, each published when it is due, whatever comes back."""

    def __init__(self, agent: Agent, name: str) -> None:
        self._agent = agent
        self._name = name
        self._due: dict[str, float] = {}

    async def run(self, seconds: float) -> list[float]:
        return await self.while_running(asyncio.sleep(seconds))

    async def while_running(self, other: Coroutine[Any, Any, None]) -> list[float]:
        """Until the other is done; seconds from when each was due to its stub."""
        running = asyncio.create_task(other)
        publishing: list[asyncio.Task[None]] = []
        began, number = time.perf_counter(), 0
        while not running.done():
            due = began + number * EACH_SECONDS
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            call = f"{self._name}x{number}"
            self._due[call] = due
            publishing.append(asyncio.create_task(self._agent.publish(f"s.=.{call}", result_of(KB, number))))
            number += 1
        await running
        await asyncio.gather(*publishing)
        heard = self._agent.heard
        await eventually(lambda: self._due.keys() <= heard.keys(), _OVERDUE_SECONDS, "the small results' stubs")
        return [heard[call] - due for call, due in self._due.items()]
