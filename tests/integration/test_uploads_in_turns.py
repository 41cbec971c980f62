"""Results in pieces that belong to a turn: one arrives when it is complete, and counts then."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from tests.integration.test_uploads import MIB, a_log, all_is_tidy
from tests.support.agents import Agent, agent
from tests.support.servers import deployed
from tests.support.uploading import Producer, cut
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import TurnSettled
from coatcheck_schemas.subjects import TurnAddress
from coatcheck_workers.embedded import NatsServer, S3Server

TURN = "t"


@asynccontextmanager
async def manifests(one: Agent) -> AsyncIterator["asyncio.Queue[TurnSettled]"]:
    """The manifests of the agent's turn, as they come."""
    heard: asyncio.Queue[TurnSettled] = asyncio.Queue()

    async def hear(message: object) -> None:
        heard.put_nowait(msgspec.json.decode(getattr(message, "data"), type=TurnSettled))  # noqa: B009

    at = one.address("")
    subscription = await one.client.subscribe(one.subjects.settled(TurnAddress(at.session, TURN)), cb=hear)
    await one.client.flush()
    yield heard
    await subscription.unsubscribe()


async def next_of(heard: "asyncio.Queue[TurnSettled]") -> TurnSettled:
    return await asyncio.wait_for(heard.get(), 60)


async def end_turn(one: Agent, body: bytes = b"{}") -> None:
    at = one.address("")
    await one.publish_raw(one.subjects.turn_end(TurnAddress(at.session, TURN)), body)


async def test_a_turn_of_a_known_size_counts_small_and_large_results_in_pieces(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    """The small ones wait with the others; the largest gives way, though it came in pieces."""
    async with (
        deployed(nats_server, s3_server, turn={"inline_budget": 20_000}) as settings,
        worker_here(settings),
        agent(settings, "s") as one,
        manifests(one) as heard,
    ):
        await Producer(one, "small", turn=TURN).publish(b"word " * 3_000, turn_size=3)
        await Producer(one, "large", upload="u2", turn=TURN).publish(a_log(2 * MIB), turn_size=3)
        await one.publish("plain", "word " * 2_000, turn=TURN, turn_size=3)
        manifest = await next_of(heard)
        assert (manifest.settled_by, manifest.received) == ("size", 3)
        told = {result.call_id: (result.disposition, result.reason) for result in manifest.results}
        assert told == {
            "small": ("offloaded", "turn_budget"),
            "large": ("offloaded", "message_limit"),
            "plain": ("inline", None),
        }
        small = await one.stub("small", TURN)
        assert await one.read_all(str(small.ref)) == "word " * 3_000
        assert (await one.stub("large", TURN)).original_bytes == len(a_log(2 * MIB))
        await all_is_tidy(settings)


async def test_an_end_without_a_size_waits_for_an_upload_that_is_open(deployment: Settings) -> None:
    parts = cut(b"word " * 100, 200)
    async with worker_here(deployment), agent(deployment, "s") as one, manifests(one) as heard:
        producer = Producer(one, "c", turn=TURN)
        await producer.open()
        await producer.send(0, parts[0])
        await one.publish("plain", "done", turn=TURN)
        await one.stub("plain", TURN)
        await end_turn(one)
        for seq, part in enumerate(parts[1:], 1):
            await producer.send(seq, part)
        await producer.end(parts)
        manifest = await next_of(heard)
        assert (manifest.settled_by, sorted(result.call_id for result in manifest.results)) == ("end", ["c", "plain"])
        assert (await one.stub("c", TURN)).content == "word " * 100


async def test_a_deadline_does_not_wait_for_an_upload_which_is_decided_as_it_arrives(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    parts = cut(b"word " * 100, 200)
    async with (
        deployed(nats_server, s3_server, turn={"deadline_seconds": 1.0}) as settings,
        worker_here(settings),
        agent(settings, "s") as one,
        manifests(one) as heard,
    ):
        producer = Producer(one, "c", turn=TURN)
        await producer.open(turn_size=2)
        await producer.send(0, parts[0])
        await one.publish("plain", "done", turn=TURN, turn_size=2)
        manifest = await next_of(heard)
        assert (manifest.settled_by, [result.call_id for result in manifest.results]) == ("deadline", ["plain"])
        for seq, part in enumerate(parts[1:], 1):
            await producer.send(seq, part)
        await producer.end(parts)
        assert (await one.stub("c", TURN)).content == "word " * 100


async def test_an_upload_that_fails_counts_in_its_turn(deployment: Settings) -> None:
    parts = cut(b"word " * 100, 200)
    async with worker_here(deployment), agent(deployment, "s") as one, manifests(one) as heard:
        producer = Producer(one, "c", turn=TURN)
        await producer.open(turn_size=2)
        for seq, part in enumerate(parts):
            await producer.send(seq, part)
        await producer.end(parts, Coat_Sha256="0" * 64)
        await one.publish("plain", "done", turn=TURN, turn_size=2)
        manifest = await next_of(heard)
        assert (manifest.settled_by, manifest.received) == ("size", 2)
        assert (await one.stub("c", TURN)).disposition == "failed"
