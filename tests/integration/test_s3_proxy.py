"""The proxy that the tests of a failing store stand on: it does as told, and is no fault itself."""

import asyncio
import time

import msgspec
import pytest
from tests.support.s3_proxy import s3_proxied
from tests.support.wait import eventually

from coatcheck.testing import check_store
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.store import Store
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.storage import open_store

LARGE = bytes(range(256)) * 40_000


def through(storage: StorageSettings, endpoint: str, seconds: float = 10) -> Store:
    return open_store(msgspec.structs.replace(storage, endpoint=endpoint, timeout_seconds=seconds))


async def test_store_through_it_is_the_store(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        await check_store(lambda: through(deployment.storage, endpoint))
        assert proxy.requests > 100


async def test_large_objects_pass_both_ways_at_once(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (_, endpoint):
        store = through(deployment.storage, endpoint)
        keys = [f"{deployment.storage.prefix}/large{number}" for number in range(3)]
        await asyncio.gather(*(store.put(key, LARGE) for key in keys))
        assert all(data == LARGE for data in await asyncio.gather(*map(store.get, keys)))


async def test_each_request_is_delayed_and_all_of_them_at_once(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        store = through(deployment.storage, endpoint)
        proxy.delay_seconds = 0.3
        started = time.monotonic()
        await asyncio.gather(*(store.put(f"{deployment.storage.prefix}/d{number}", b"x") for number in range(20)))
        assert time.monotonic() - started >= 0.3
        assert proxy.requests == 20


async def test_share_of_requests_is_answered_503_and_the_connections_live_on(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint, seed=7) as (proxy, endpoint):
        store = through(deployment.storage, endpoint)
        proxy.fail(1 / 3)
        outcomes = await asyncio.gather(
            *(store.put(f"{deployment.storage.prefix}/f{number}", LARGE[:100_000]) for number in range(100)),
            return_exceptions=True,
        )
        assert {type(outcome) for outcome in outcomes} <= {type(None), StoreUnavailable}
        assert 0.2 < proxy.failed / proxy.requests < 0.45
        proxy.heal()
        before = proxy.failed
        await store.put(f"{deployment.storage.prefix}/after", b"x")
        assert proxy.failed == before


async def test_failing_every_request_says_unavailable_for_each_operation(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        store = through(deployment.storage, endpoint)
        proxy.fail(1)
        for request in (store.put("k", b"x"), store.get("k"), store.get_range("k", 0, 0), store.delete("k")):
            with pytest.raises(StoreUnavailable):
                await request


async def test_hanging_request_goes_through_once_it_is_healed(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        store = through(deployment.storage, endpoint, 30)
        key = f"{deployment.storage.prefix}/hung"
        await store.put(key, b"before")
        proxy.hang()
        putting = [asyncio.create_task(store.put(f"{key}{number}", LARGE)) for number in range(3)]
        await eventually(lambda: len(proxy.links) >= 3, expecting="a connection for each")
        assert not any(task.done() for task in putting)
        proxy.heal()
        await asyncio.gather(*putting)
        assert await store.get(f"{key}2") == LARGE


async def test_hang_is_ended_by_the_store_s_own_limit(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        store = through(deployment.storage, endpoint, 0.3)
        proxy.hang()
        with pytest.raises(StoreUnavailable):
            await store.put("k", b"x")


async def test_refusing_ends_what_is_under_way_and_lets_none_in_until_healed(deployment: Settings) -> None:
    async with s3_proxied(deployment.storage.endpoint) as (proxy, endpoint):
        store = through(deployment.storage, endpoint)
        key = f"{deployment.storage.prefix}/refused"
        proxy.delay_seconds = 30
        putting = asyncio.create_task(store.put(key, b"x"))
        await eventually(lambda: proxy.requests == 1, expecting="the request")
        proxy.refuse()
        with pytest.raises(StoreUnavailable):
            await putting
        proxy.delay_seconds = 0
        with pytest.raises(StoreUnavailable):
            await store.put(key, b"x")
        proxy.heal()
        await store.put(key, b"x")


async def test_server_that_is_away_looks_away(own_s3: S3Server, deployment: Settings) -> None:
    async with s3_proxied(own_s3.endpoint) as (_, endpoint):
        await own_s3.kill()
        with pytest.raises(StoreUnavailable):
            await through(deployment.storage, endpoint).put("k", b"x")
