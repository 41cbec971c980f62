"""Object storage that fails, hangs or goes away: results that need it wait, nothing is lost, the others pass."""

import asyncio
import time

import msgspec
import pytest
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.proxy import proxied
from tests.support.servers import deployed, unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.testing import FailingStore
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import StoreRejected
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.storage import open_store

LARGE = "a large result\n" * 5000


@pytest.mark.parametrize("operation", ["output", "metadata.json", "by-time"])
@pytest.mark.parametrize("after", [False, True], ids=["not done", "done, answer lost"])
async def test_failure_at_any_step_leads_to_one_stub_after_a_retry(
    deployment: Settings, operation: str, after: bool
) -> None:
    store = FailingStore(open_store(deployment.storage))
    store.fail("put", key=lambda key: operation in key, times=2, after=after)
    async with worker_here(deployment, store), agent(deployment) as it:
        event = await it.offload("c1", LARGE)
        assert await it.read_all(event.ref or "") == LARGE
        listed = (await it.request("list"))["ok"]["tool_results"]
        await it.offload("c2", "next")
        assert [e.call_id for e in it.events] == ["c1", "c2"]
        assert [entry["ref"] for entry in listed] == [event.ref]
    assert store.failures == 2
    assert await dead_letters(deployment) == []


async def test_hanging_result_never_delays_the_others(deployment: Settings) -> None:
    store = FailingStore(open_store(deployment.storage))
    store.hang("put", key=lambda key: "slow" in key)
    async with worker_here(deployment, store), agent(deployment) as it:
        await it.publish("slow", LARGE)
        for number in range(200):
            await it.publish(f"c{number}", LARGE if number % 2 else "small")
        await eventually(lambda: len(it.events) == 200, expecting="the stubs of all others")
        store.heal()
        await it.stub("slow")


async def test_slow_result_is_not_delivered_twice(nats_server: NatsServer, s3_server: S3Server) -> None:
    """The work takes over twice ack_wait: the server hears that it goes on, and no other worker gets it too."""
    async with deployed(nats_server, s3_server, worker={"ack_wait_seconds": 3}) as settings:
        stores = [FailingStore(open_store(settings.storage)) for _ in range(2)]
        for store in stores:
            store.hang("put", key=lambda key: key.endswith("/output"))
        async with worker_here(settings, stores[0]), worker_here(settings, stores[1]), agent(settings) as it:
            await it.publish("c1", LARGE)
            started = time.monotonic()
            await eventually(lambda: time.monotonic() - started > 7, expecting="over twice ack_wait")
            assert sum(store.calls.get("put", 0) for store in stores) == 1
            for store in stores:
                store.heal()
            await it.stub("c1")


async def test_storage_away_for_8_seconds_loses_nothing(nats_server: NatsServer, own_s3: S3Server) -> None:
    async with deployed(nats_server, own_s3) as settings, worker_here(settings), agent(settings) as it:
        await own_s3.kill()
        await asyncio.gather(*(it.publish(f"large{i}", f"{i}{LARGE}") for i in range(20)))
        for number in range(20):
            assert (await it.offload(f"small{number}", "small")).disposition == "inline"
        down_since = time.monotonic()
        refused = await it.request("read", {"ref": "c-" + "0" * 32})
        assert refused["error"]["code"] == "unavailable"
        await eventually(lambda: time.monotonic() - down_since > 8, expecting="8 s")
        assert len(it.events) == 20
        await own_s3.start()
        await eventually(lambda: len(it.events) == 40, 60, expecting="the stubs of what needed the store")
        for number in range(20):
            event = await it.stub(f"large{number}")
            assert await it.read_all(event.ref or "") == f"{number}{LARGE}"
        await eventually(lambda: _none_waits(settings), expecting="an empty queue")


async def test_storage_that_accepts_and_never_answers_is_given_up_in_time(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with proxied(s3_server.endpoint) as (proxy, endpoint):
        storage = {"endpoint": endpoint, "timeout_seconds": 0.5}
        async with deployed(nats_server, s3_server) as behind:
            settings = _with_storage(behind, storage)
            async with worker_here(settings), agent(settings) as it:
                await it.offload("c0", LARGE)
                proxy.hang()
                await it.publish("c1", LARGE)
                assert (await it.offload("c2", "small")).content == "small"
                answer = await it.request("read", {"ref": "c-" + "0" * 32})
                assert answer["error"]["code"] == "unavailable"
                proxy.heal()
                assert (await it.stub("c1")).disposition == "offloaded"


async def test_storage_that_denies_is_retried_until_somebody_mends_it(deployment: Settings) -> None:
    store = FailingStore(open_store(deployment.storage))
    async with agent(deployment) as it:
        async with worker_here(deployment, store):
            store.fail("put", "get", error=StoreRejected)
            await it.publish("c1", LARGE)
            assert (await it.offload("c2", "small")).content == "small"
            answer = await it.request("read", {"ref": "c-" + "0" * 32})
            assert answer["error"]["code"] == "unavailable"
        assert await waiting_results(deployment) == 1
        async with worker_here(deployment):
            event = await it.stub("c1")
            assert await it.read_all(event.ref or "") == LARGE


async def test_worker_does_not_start_with_keys_that_are_refused(deployment: Settings) -> None:
    with pytest.raises(StoreRejected, match="denies access"):
        async with worker_here(_with_storage(deployment, {"secret_key": "wrong"})):
            pass


@pytest.mark.parametrize("endpoint", ["", "localhost:9000"])
async def test_worker_does_not_start_without_a_store_s_url(deployment: Settings, endpoint: str) -> None:
    with pytest.raises(StoreRejected, match=r"storage\.endpoint"):
        async with worker_here(_with_storage(deployment, {"endpoint": endpoint})):
            pass


async def test_worker_starts_while_the_store_is_away(nats_server: NatsServer, own_s3: S3Server) -> None:
    async with deployed(nats_server, own_s3) as settings:
        await own_s3.kill()
        async with worker_here(settings), agent(settings) as it:
            await it.publish("c1", LARGE)
            assert (await it.offload("c2", "small")).content == "small"
            await own_s3.start()
            assert (await it.stub("c1")).disposition == "offloaded"


async def test_missing_bucket_is_named(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, storage={"bucket": "no-such-bucket-here"})
    store = open_store(settings.storage)
    with pytest.raises(StoreRejected, match="no-such-bucket-here"):
        await store.check()


async def _none_waits(settings: Settings) -> bool:
    return await waiting_results(settings) == 0


def _with_storage(settings: Settings, values: dict[str, object]) -> Settings:
    tree = msgspec.to_builtins(settings)
    tree["storage"] |= values
    return msgspec.convert(tree, Settings)
