"""Three NATS servers with replicated streams: one is lost, also the one that leads, and no result is."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import nats.errors
import pytest_asyncio
from nats.aio.client import Client
from nats.js.errors import APIError
from tests.support.agents import Agent, agent
from tests.support.cluster import ELECTION_SECONDS, Cluster, nats_cluster
from tests.support.servers import STREAMS, unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_process

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import place_of, provision, verify
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.ports import Kept

RESULTS = 200
APPENDS = 15
WRONG_LAST_SEQUENCE = (10071, 10164)
"""The second where another append is on its way."""
SMALL, LARGE = "a few words", "a line of a long output\n" * 1000


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


async def test_every_stream_has_three_copies_and_nothing_is_left_to_do(cluster: Cluster, replicated: Settings) -> None:
    async with cluster.connected() as client:
        js = client.jetstream()
        assert await provision(js, place_of(replicated.storage), replicated) == []
        for name in STREAMS:
            info = await js.stream_info(Subjects(replicated.nats.prefix).stream(name))
            assert info.config.num_replicas == 3
            assert info.cluster is not None
            assert len(info.cluster.replicas or []) == 2


async def test_leader_of_the_results_is_killed_and_each_result_has_its_one_stub(
    cluster: Cluster, replicated: Settings, tmp_path: Path
) -> None:
    results = Subjects(replicated.nats.prefix).stream("results")
    lost = await cluster.leader(results)
    stays = next(server for server in cluster.servers if server is not lost)
    async with worker_process(replicated, tmp_path), agent(replicated, url=stays.url) as it:
        await _publish(it, range(RESULTS // 2))
        publishing = asyncio.create_task(_publish(it, range(RESULTS // 2, RESULTS)))
        await lost.kill()
        assert not publishing.done()
        async with cluster.connected() as client:
            await verify(client.jetstream(), replicated)
        assert await cluster.leader(results) is not lost
        await asyncio.wait_for(publishing, ELECTION_SECONDS)

        async def nothing_waits() -> bool:
            async with cluster.connected() as client:
                return (await client.jetstream().stream_info(results)).state.messages == 0

        await eventually(nothing_waits, ELECTION_SECONDS, expecting="every result to be settled")
        async with cluster.connected() as client:
            stored = await _stored(client, it.subjects.stream("stubs"), it.subjects.session_stubs("s1"))
        calls = [msgspec.json.decode(one.body, type=StubEvent).call_id for one in stored]
        assert sorted(calls) == sorted(f"c{number}" for number in range(RESULTS))
        # The stream keeps each once. A leader that dies right after storing one tells nobody: then `replay` has it.
        assert set(it.subject_counts.values()) == {1}
        large = [event for event in it.events if event.disposition == "offloaded"]
        assert large
        assert large[-1].ref is not None
        assert await it.read_all(large[-1].ref) == LARGE + large[-1].call_id


async def test_what_is_held_comes_due_though_its_leader_is_gone(cluster: Cluster, replicated: Settings) -> None:
    subjects, turn = Subjects(replicated.nats.prefix), TurnAddress("s", "t")
    held, due = subjects.held(turn, "result", "r"), subjects.due(turn, "result", "r")
    async with cluster.connected() as client:
        at = datetime.now(UTC) + timedelta(seconds=1)
        headers = {"Nats-Schedule": f"@at {at.isoformat()}", "Nats-Schedule-Target": due}
        await client.jetstream().publish(held, b"body", headers=headers)
    await (await cluster.leader(subjects.stream("held"))).kill()
    await cluster.consumer_leader(subjects.stream("held"), "workers")
    async with cluster.connected() as client:
        pull = await client.jetstream().pull_subscribe_bind("workers", subjects.stream("held"))
        (message,) = await pull.fetch(1, timeout=30)
        assert (message.subject, message.data) == (due, b"body")
        await message.ack_sync()


async def test_appends_that_expect_the_same_of_a_turn_form_one_chain(cluster: Cluster, replicated: Settings) -> None:
    """What the ledger relies on: no append slips in between another and what it was decided on.

    The server holds appends apart by the subject that they name in their expectation, so all of a turn name one.
    """
    subjects, turn = Subjects(replicated.nats.prefix), TurnAddress("s", "t")
    clients = [await nats.connect(server.url, connect_timeout=30) for server in cluster.servers]
    try:
        await asyncio.gather(*(_append(client, subjects, turn, n) for n, client in enumerate(clients * 2)))

        async def all_of_them() -> list[Kept] | None:
            found = await _stored(clients[0], subjects.stream("ledger"), subjects.ledger(turn, "*", "*"))
            return found if len(found) == 6 * APPENDS else None

        chain = await eventually(all_of_them, expecting="every entry on the copy that answers")
    finally:
        await asyncio.gather(*(client.close() for client in clients))
    assert chain is not None
    assert [int(entry.body) for entry in chain] == [0, *(entry.sequence for entry in chain[:-1])]


async def _append(client: Client, subjects: Subjects, turn: TurnAddress, writer: int) -> None:
    """Append so many entries, each with the sequence that it expects to be the turn's last as its body."""
    js = client.jetstream()
    for number in range(APPENDS):
        subject = subjects.ledger(turn, "result", f"{writer}-{number}")
        while True:
            last = await _last(client, subjects, turn)
            headers = {
                "Nats-Expected-Last-Subject-Sequence": str(last),
                "Nats-Expected-Last-Subject-Sequence-Subject": subjects.ledger(turn, "*", "*"),
            }
            try:
                await js.publish(subject, b"%d" % last, headers=headers)
                break
            except APIError as error:
                if error.err_code not in WRONG_LAST_SEQUENCE:
                    raise


async def _last(client: Client, subjects: Subjects, turn: TurnAddress) -> int:
    """The sequence of the turn's last entry, by the leader."""
    api = f"$JS.API.STREAM.MSG.GET.{subjects.stream('ledger')}"
    asking = msgspec.json.encode({"last_by_subj": subjects.ledger(turn, "*", "*")})
    reply = await client.request(api, asking, timeout=30)
    return int(msgspec.json.decode(reply.data).get("message", {}).get("seq", 0))


async def _publish(it: Agent, numbers: Iterable[int]) -> None:
    """Publish as a patient producer does: the same again, with the same id, until the stream says that it has it."""
    for number in numbers:
        call = f"c{number}"
        content = LARGE + call if number % 10 == 0 else f"{SMALL} {number}"
        body = msgspec.json.encode({"tool_name": "cat", "content": content})
        while True:
            try:
                subject = it.subjects.results(it.address(call))
                await it.client.jetstream(timeout=3).publish(subject, body, headers={"Nats-Msg-Id": call})
                break
            except (nats.errors.Error, APIError, TimeoutError):
                await asyncio.sleep(0.1)


async def _stored(client: Client, stream: str, pattern: str) -> list[Kept]:
    """All messages under a pattern; without a consumer, which may be put on the server that is gone."""
    log, found = JetStreamLog(client, stream, timeout_seconds=5), list[Kept]()
    while more := await log.read(pattern, found[-1].sequence if found else 0, max_bytes=4 * 1024 * 1024):
        found += more
    return found
