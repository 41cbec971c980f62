"""Several workers beside one, on a store that takes its time."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

from tests.support.s3_proxy import s3_proxied

from benchmarks.agent import KB, Agent, new_prefix, result_of
from benchmarks.deployment import Servers, consumer, cpu_seconds, deployed
from benchmarks.turns import Cost
from coatcheck_workers.provisioning import DURABLE

STORE_DELAY_SECONDS = 0.02
_IN_FLIGHT = 4
_PAUSE_SECONDS = 300


async def scale(on: Servers, workers: int, count: int) -> Cost:
    """Of so many results of 30 kB, which all wait when the workers begin; the CPU is that of all workers."""
    prefix = new_prefix()
    async with AsyncExitStack() as stack:
        proxy, endpoint = await stack.enter_async_context(s3_proxied(on.s3.endpoint))
        proxy.delay_seconds = STORE_DELAY_SECONDS
        client, settings = await stack.enter_async_context(
            deployed(on, prefix, _IN_FLIGHT, storage={"endpoint": endpoint})
        )
        agent = await stack.enter_async_context(Agent(client, prefix))
        starting = [stack.enter_async_context(consumer(on, "ours", "offload", settings)) for _ in range(workers)]
        processes = [await process for process in starting]
        # All of them begin at the same moment, and none has to wait for the publisher.
        stream, manage = f"{prefix}_results".upper(), client.jetstream()
        until = datetime.now(UTC) + timedelta(seconds=_PAUSE_SECONDS)
        await manage.pause_consumer(stream, DURABLE, until.strftime("%Y-%m-%dT%H:%M:%SZ"))
        await agent.publish_all([(f"s.=.c{number}", result_of(30 * KB, number)) for number in range(count)])
        before = [cpu_seconds(process) for process in processes]
        await manage.resume_consumer(stream, DURABLE)
        await agent.hears(count, 180)
        # Once all are at it: each hears of the end of the pause when it asks again.
        first = count // 4
        rate = (count - 1 - first) / (agent.times[-1] - agent.times[first])
        used = [_less(cpu_seconds(process), was) for process, was in zip(processes, before, strict=True)]
    known = [seconds for seconds in used if seconds is not None]
    return Cost(rate, sum(known) / count if len(known) == workers else None)


def _less(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else now - before
