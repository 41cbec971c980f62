"""Many workers share the work; one that stops hands over; one that dies loses nothing."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
from nats.aio.msg import Msg
from tests.support.agents import agent, waiting_results
from tests.support.proxy import proxied
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here, worker_process

from coatcheck.testing import FailingStore
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.intake.request_limits import limits_of
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.storage import open_store

LARGE = "a large result\n" * 5000


async def test_four_processes_and_42_results_make_42_stubs(deployment: Settings, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(stack.enter_async_context(worker_process(deployment, tmp_path)) for _ in range(4)))
        it = await stack.enter_async_context(agent(deployment))
        await asyncio.gather(*(it.publish(f"c{i}", f"{i}{LARGE}") for i in range(42)))
        await eventually(lambda: len(it.events) >= 42, expecting="42 stubs")
        await eventually(lambda: _empty(deployment), expecting="an empty queue")
        assert len(it.events) == 42
        assert set(it.subject_counts.values()) == {1}


async def test_backlog_of_200_results_of_a_megabyte_is_worked_off(deployment: Settings) -> None:
    async with agent(deployment) as it:
        for number in range(0, 200, 10):
            await asyncio.gather(*(it.publish(f"c{i}", f"{i:04d}" + "x" * 999_000) for i in range(number, number + 10)))
        async with worker_here(deployment):
            await eventually(lambda: len(it.events) == 200, 60, expecting="200 stubs")
        assert set(it.subject_counts.values()) == {1}


async def test_killed_worker_s_results_go_to_another_after_ack_wait(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        deployed(nats_server, s3_server, worker={"ack_wait_seconds": 2}) as settings,
        proxied(s3_server.endpoint) as (proxy, endpoint),
        agent(settings) as it,
    ):
        tree = msgspec.to_builtins(settings)
        tree["storage"]["endpoint"] = endpoint
        slow = msgspec.convert(tree, Settings)
        async with worker_process(slow, tmp_path) as doomed:
            proxy.hang()
            await asyncio.gather(*(it.publish(f"c{i}", f"{i}{LARGE}") for i in range(20)))
            await eventually(lambda: proxy.connections >= 1, expecting="the worker to be in the middle")
            await doomed.kill()
        async with worker_here(settings):
            await eventually(lambda: len(it.events) == 20, expecting="20 stubs")
            for number in range(20):
                event = await it.stub(f"c{number}")
                assert await it.read_all(event.ref or "") == f"{number}{LARGE}"


async def test_stop_lets_a_running_result_finish(deployment: Settings) -> None:
    store = FailingStore(open_store(deployment.storage))
    store.hang("put", key=lambda key: key.endswith("/output"))
    async with agent(deployment) as it:
        async with worker_here(deployment, store):
            await it.publish("c1", LARGE)
            await eventually(lambda: store.calls.get("put", 0) == 1, expecting="the upload to begin")
            asyncio.get_running_loop().call_later(0.5, store.heal)
        await it.stub("c1")
        await eventually(lambda: _empty(deployment), expecting="an empty queue")
        assert [event.call_id for event in it.events] == ["c1"]


async def test_stop_hands_back_at_once_what_outlasts_the_grace_period(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    """ack_wait is minutes here: only a result that was handed back can be done in time."""
    worker = {"ack_wait_seconds": 600, "grace_seconds": 0.5}
    async with deployed(nats_server, s3_server, worker=worker) as settings, agent(settings) as it:
        store = FailingStore(open_store(settings.storage))
        store.hang("put")
        async with worker_here(settings, store):
            await it.publish("c1", LARGE)
            await eventually(lambda: store.calls.get("put", 0) == 1, expecting="the upload to begin")
        async with worker_here(settings):
            assert (await it.stub("c1")).disposition == "offloaded"


async def test_sigterm_in_the_middle_of_a_stuck_upload_ends_within_the_grace_period(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        proxied(s3_server.endpoint) as (proxy, endpoint),
        deployed(nats_server, s3_server, worker={"grace_seconds": 1}) as settings,
        agent(settings) as it,
    ):
        tree = msgspec.to_builtins(settings)
        tree["storage"]["endpoint"] = endpoint
        async with worker_process(msgspec.convert(tree, Settings), tmp_path) as worker:
            proxy.hang()
            await it.publish("c1", LARGE)
            await eventually(lambda: proxy.connections >= 1, expecting="the upload to begin")
            assert await worker.terminate() == 0
        async with worker_here(settings):
            event = await it.stub("c1")
            assert await it.read_all(event.ref or "") == LARGE


async def test_requests_that_wait_their_turn_are_answered_before_a_stop(deployment: Settings) -> None:
    let_go = asyncio.Event()
    taken: list[bytes] = []

    async def consume(message: Msg) -> None:
        taken.append(message.data)
        await let_go.wait()
        await message.respond(b"answer")

    def told(error: Exception) -> tuple[bytes, dict[str, str]]:
        return str(error).encode(), {}

    subject = f"{deployment.nats.prefix}.read.*"
    async with connected(deployment) as client, connected(deployment) as asker:
        limits = limits_of(RequestsSettings(in_flight=2), "read")
        requests = Requests(client, subject, "workers", consume, limits=limits, inbox_prefixes=["_INBOX."], refuse=told)
        await requests.start()
        await client.flush()
        asked = [asyncio.create_task(asker.request(subject[:-1] + "s", b"%d" % i, timeout=30)) for i in range(8)]
        await eventually(lambda: len(taken) == 2 and requests.waiting == 6, expecting="two in hand, six waiting")
        await requests.unsubscribe()
        let_go.set()
        await requests.finish(10)
        assert [reply.data for reply in await asyncio.gather(*asked)] == [b"answer"] * 8


async def test_sigterm_while_nats_is_away_ends_in_time_and_in_order(
    own_nats: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with deployed(own_nats, s3_server) as settings:
        async with worker_process(settings, tmp_path) as worker:
            await own_nats.kill()
            await eventually(lambda: "disconnected" in worker.text(), expecting="the worker to notice")
            assert await worker.terminate() == 0
            assert "Traceback" not in worker.text()
        await own_nats.start()


async def test_sigterm_while_nats_is_silent_ends_within_the_grace_period(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        deployed(nats_server, s3_server, worker={"grace_seconds": 1}) as settings,
        proxied(settings.nats.url) as (proxy, url),
    ):
        tree = msgspec.to_builtins(settings)
        tree["nats"]["url"] = url
        async with worker_process(msgspec.convert(tree, Settings), tmp_path) as worker:
            proxy.hang()
            assert await worker.terminate() == 0
            assert "Traceback" not in worker.text()


async def _empty(settings: Settings) -> bool:
    return await waiting_results(settings) == 0
