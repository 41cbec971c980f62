"""The client in a cluster of three that loses the server its stubs come from: nothing that it waits for is unheard."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.cluster import Cluster, nats_cluster
from tests.support.servers import STREAMS, unprovisioned
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import place_of, provision

SESSION = "s1"
CALLS = [f"c{number}" for number in range(60)]


@pytest_asyncio.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with nats_cluster(tmp_path / "cluster") as three:
        yield three


@pytest_asyncio.fixture
async def replicated(cluster: Cluster, s3_server: S3Server) -> Settings:
    settings = unprovisioned(cluster, s3_server, nats={"replicas": 3}, worker={"ack_wait_seconds": 2})
    async with cluster.connected() as client:
        await provision(client.jetstream(), place_of(settings.storage), settings)
    for name in STREAMS:
        await cluster.healthy(Subjects(settings.nats.prefix).stream(name))
    return settings


@pytest.mark.usefixtures("patient")
async def test_submissions_a_turn_and_a_stream_of_stubs_miss_nothing(cluster: Cluster, replicated: Settings) -> None:
    prefix = replicated.nats.prefix
    lost = await cluster.leader(Subjects(prefix).stream("stubs"))
    stays = next(server for server in cluster.servers if server is not lost)
    async with (
        worker_here(replicated),
        coatcheck.connect(stays.url, prefix=prefix) as client,
        client.stubs(SESSION) as stubs,
    ):
        taking = asyncio.ensure_future(take(stubs, len(CALLS) + 10))
        in_turn = asyncio.ensure_future(gather_turn(client))
        submitting = [asyncio.ensure_future(submit(client, call)) for call in CALLS]
        await asyncio.wait(submitting[: len(CALLS) // 3])
        await lost.kill()
        assert [event.call_id for event in await asyncio.gather(*submitting)] == CALLS
        manifest, of_turn = await in_turn
        assert of_turn == [f"t{number}" for number in range(10)]
        assert manifest is not None
        assert manifest.received == 10
        assert sorted(event.call_id for event in await taking) == sorted([*CALLS, *of_turn])


async def submit(client: coatcheck.Client, call: str) -> StubEvent:
    await asyncio.sleep(int(call[1:]) * 0.02)
    return await client.submit(SESSION, call, tool_name="cat", call=call)


async def gather_turn(client: coatcheck.Client) -> tuple[coatcheck.TurnSettled | None, list[str]]:
    async with client.turn(SESSION, "t1", size=10) as turn:
        for number in range(10):
            await turn.publish(f"{number}", tool_name="cat", call=f"t{number}")
            await asyncio.sleep(0.1)
        events = await turn.stubs()
    return turn.settled, [event.call_id for event in events]


async def take(stubs: coatcheck.StubStream, count: int) -> list[StubEvent]:
    async with asyncio.timeout(60):
        return [await anext(stubs) for _ in range(count)]
