"""What a turn costs: until its stubs are out, and in the worker's CPU, beside results without a turn."""

import asyncio
import time

import msgspec
from tests.support.wait import eventually

from benchmarks.agent import KB, Agent, new_prefix, result_of
from benchmarks.deployment import Servers, consumer, cpu_seconds, deployed

SIZE = 10
_IN_FLIGHT = 64


class Settled(msgspec.Struct):
    """Seconds, of one round: a result to its stub (`plain`), and the last arrival of a turn to its last stub (`last`).

    `plain_burst` and `burst` are as many results at once, without a turn and as one, from the publish of the first to
    the last stub.
    """

    plain: list[float] = msgspec.field(default_factory=list)
    last: list[float] = msgspec.field(default_factory=list)
    plain_burst: list[float] = msgspec.field(default_factory=list)
    burst: list[float] = msgspec.field(default_factory=list)


async def settling(on: Servers, count: int) -> Settled:
    """So many of each, in turn, on one worker that does nothing else."""
    prefix = new_prefix()
    took = Settled()
    async with (
        deployed(on, prefix, _IN_FLIGHT) as (client, settings),
        Agent(client, prefix) as agent,
        consumer(on, "ours", "inline", settings),
    ):
        manage = client.jetstream()

        async def held(stream: str, messages: int) -> None:
            async def is_so() -> bool:
                return (await manage.stream_info(f"{prefix}_{stream}".upper())).state.messages == messages

            await eventually(is_so, 30)

        async def timed(results: list[tuple[str, bytes]], of: list[float], stubs: int) -> None:
            before = len(agent.times)
            started = time.perf_counter()
            await asyncio.gather(*(agent.publish(*result) for result in results))
            of.append(await agent.hears(before + stubs) - started)
            await held("HELD", 0)
            await held("RESULTS", 0)

        for number in range(count):
            await timed(_results(f"p{number}", None)[:1], took.plain, 1)
            *others, last = _results(f"t{number}", f"t{number}")
            await agent.publish_all(others)
            await held("HELD", len(others))
            await held("RESULTS", 0)
            await timed([last], took.last, SIZE)
            await timed(_results(f"q{number}", None), took.plain_burst, SIZE)
            await timed(_results(f"b{number}", f"b{number}"), took.burst, SIZE)
    return took


class Cost(msgspec.Struct, frozen=True):
    """Results a second, and CPU seconds of the worker for each; None where that cannot be read."""

    rate: float
    cpu: float | None


async def cost(on: Servers, count: int, *, turns: bool) -> Cost:
    """Of small results that wait when the worker starts: turns of ten, or results without a turn."""
    prefix = new_prefix()
    async with deployed(on, prefix, _IN_FLIGHT) as (client, settings), Agent(client, prefix) as agent:
        for number in range(count // SIZE):
            await agent.publish_all(_results(f"c{number}", f"t{number}" if turns else None))
        async with consumer(on, "ours", "inline", settings) as worker:
            used, done = cpu_seconds(worker), len(agent.times)
            await agent.hears(count, 120)
            after = cpu_seconds(worker)
    rate = (count - 1) / (agent.times[-1] - agent.times[0])
    return Cost(rate, None if used is None or after is None else (after - used) / (count - done))


def _results(name: str, turn: str | None) -> list[tuple[str, bytes]]:
    """As many as a turn has, one after the other, of calls that nothing else has."""
    size = None if turn is None else SIZE
    return [(f"s.{turn or '='}.{name}x{number}", result_of(KB, number, size)) for number in range(SIZE)]
