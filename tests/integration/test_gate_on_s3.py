"""The gate in front of a real S3 store on its bad days."""

import asyncio
import time
from collections.abc import Callable

import msgspec
from tests.support.s3_proxy import s3_proxied
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_workers.storage import Gate, open_store

Clock = Callable[[], float]


def at_leisure() -> float:
    """As on a machine five times as fast: what is slow here for want of CPU is no store that hangs."""
    return time.monotonic() / 5


def through(settings: Settings, endpoint: str, seconds: float = 5.0, clock: Clock = time.monotonic) -> Gate:
    storage = msgspec.structs.replace(settings.storage, endpoint=endpoint, timeout_seconds=seconds)
    return Gate(open_store(storage), clock=clock)


async def put_many(gate: Gate, prefix: str, count: int, callers: int = 16) -> list[bool]:
    numbers = iter(range(count))

    async def caller() -> list[bool]:
        return [await puts(gate, f"{prefix}/{number}") for number in numbers]

    return [went for some in await asyncio.gather(*(caller() for _ in range(callers))) for went in some]


async def puts(gate: Gate, key: str) -> bool:
    try:
        await gate.put(key, b"x" * 1000)
    except StoreUnavailable:
        return False
    return True


async def recovers(gate: Gate, key: str) -> None:
    await eventually(lambda: puts(gate, key), expecting="a put that goes through")
    assert not gate.is_open
    assert all(await put_many(gate, key, 100))


async def test_store_that_answers_503_to_a_third_is_not_away(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint, seed=3) as (proxy, endpoint):
        gate = through(deployment, endpoint, seconds=60, clock=at_leisure)
        proxy.fail(1 / 3)
        went = await put_many(gate, deployment.storage.prefix, 400)
        assert gate.openings == 0
        assert sum(went) > 300
        assert proxy.failed > 100


async def test_store_that_refuses_connections_is_away_until_it_is_back(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        gate = through(deployment, endpoint)
        proxy.refuse()
        await eventually(lambda: _opens(gate), expecting="an open gate")
        refused = await asyncio.gather(*(gate.put("k", b"x") for _ in range(2)), return_exceptions=True)
        assert "next try" in str(refused[1])
        proxy.heal()
        await recovers(gate, f"{deployment.storage.prefix}/refused")


async def test_store_that_hangs_is_away_long_before_its_requests_time_out(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        gate = through(deployment, endpoint, seconds=60)
        prefix = deployment.storage.prefix
        await gate.put(f"{prefix}/before", b"x")
        proxy.hang()
        hung = [asyncio.create_task(gate.put(f"{prefix}/hung{number}", b"x")) for number in range(8)]
        asking: list[asyncio.Task[bool]] = []

        async def is_found_out() -> bool:
            asking.append(asyncio.create_task(puts(gate, f"{prefix}/asked")))
            return gate.is_open

        await eventually(is_found_out, expecting="an open gate")
        assert not any(task.done() for task in hung)
        proxy.heal()
        await asyncio.gather(*hung, *asking)
        await recovers(gate, f"{prefix}/hang")


async def _opens(gate: Gate) -> bool:
    await puts(gate, "k")
    return gate.is_open
