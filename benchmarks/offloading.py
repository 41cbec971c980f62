"""Results in, stubs out: how many a second, and how long one takes."""

import asyncio
import itertools
import os
import time
from collections.abc import Awaitable, Callable
from statistics import median

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg

from benchmarks.deployment import Servers, consumer, deployed

Figure = Callable[..., Awaitable[float]]

KB = 1000

_numbers = itertools.count()


async def throughput(who: str, on: Servers, mode: str, size: int, count: int, in_flight: int) -> float:
    """Stub events a second, from the first to the last of `count` results that wait when the consumer starts."""
    prefix = _prefix()
    async with deployed(on, prefix, in_flight) as (client, settings):
        await _publish(client, prefix, size, count)
        times: list[float] = []
        done = asyncio.Event()

        async def note(_: Msg) -> None:
            times.append(time.perf_counter())
            if len(times) == count:
                done.set()

        await client.subscribe(f"{prefix}.stubs.>", cb=note)
        await client.flush()
        async with consumer(on, who, mode, settings):
            await asyncio.wait_for(done.wait(), 120)
    return (count - 1) / (times[-1] - times[0])


async def latency(who: str, on: Servers, mode: str, size: int, count: int, in_flight: int) -> float:
    """Median seconds from a result's publish to its stub event, one at a time."""
    prefix = _prefix()
    async with deployed(on, prefix, in_flight) as (client, settings):
        stubs = await client.subscribe(f"{prefix}.stubs.>")
        await client.flush()
        jetstream = client.jetstream()
        async with consumer(on, who, mode, settings):
            times = []
            for number in range(count):
                body = _result(size, number)
                started = time.perf_counter()
                await jetstream.publish(f"{prefix}.results.s.t.c{number}", body)
                await stubs.next_msg(timeout=30)
                times.append(time.perf_counter() - started)
    return median(times)


async def _publish(client: Client, prefix: str, size: int, count: int) -> None:
    jetstream = client.jetstream()
    for batch in _batches(count, 32):
        await asyncio.gather(
            *(jetstream.publish(f"{prefix}.results.s.t.c{number}", _result(size, number)) for number in batch)
        )


def _batches(count: int, size: int) -> list[range]:
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _result(size: int, number: int) -> bytes:
    """A JSON document as an API answers, different each time, as the text of a JSON event."""
    record = {"id": number, "name": f"deployment-{number}", "labels": {"app": "web", "tier": "front"}, "ready": True}
    if size < 2 * KB:
        text = msgspec.json.encode(record).decode()
        return _event(text.ljust(size))
    each = len(msgspec.json.encode(record | {"id": f"{number}-000"})) + 1
    records = [record | {"id": f"{number}-{i:03}"} for i in range(-(-size // each))]
    return _event(msgspec.json.encode({"kind": "List", "items": records}).decode())


def _event(text: str) -> bytes:
    return msgspec.json.encode({"tool_name": "kubectl", "content": text})


def _prefix() -> str:
    return f"bench{os.getpid()}x{next(_numbers)}"
