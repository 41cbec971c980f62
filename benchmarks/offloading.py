"""Results in, stubs out: how many a second, and how long one takes."""

import time
from collections.abc import Awaitable, Callable
from statistics import median

from benchmarks.agent import Agent, new_prefix, result_of
from benchmarks.deployment import Servers, consumer, deployed

Figure = Callable[..., Awaitable[float]]


async def throughput(who: str, on: Servers, mode: str, size: int, count: int, in_flight: int) -> float:
    """Stub events a second, from the first to the last of `count` results that wait when the consumer starts."""
    prefix = new_prefix()
    async with deployed(on, prefix, in_flight) as (client, settings), Agent(client, prefix) as agent:
        await agent.publish_all([(f"s.=.c{number}", result_of(size, number)) for number in range(count)])
        async with consumer(on, who, mode, settings):
            await agent.hears(count, 120)
    return (count - 1) / (agent.times[-1] - agent.times[0])


async def latency(who: str, on: Servers, mode: str, size: int, count: int, in_flight: int) -> float:
    """Median seconds from a result's publish to its stub event, one at a time."""
    prefix = new_prefix()
    async with (
        deployed(on, prefix, in_flight) as (client, settings),
        Agent(client, prefix) as agent,
        consumer(on, who, mode, settings),
    ):
        times = []
        for number in range(count):
            started = time.perf_counter()
            await agent.publish(f"s.=.c{number}", result_of(size, number))
            times.append(await agent.hears(number + 1) - started)
    return median(times)
