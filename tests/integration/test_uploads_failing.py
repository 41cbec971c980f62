"""Results in pieces where something fails: producers that quarrel or fall silent, letters, a store that is away."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.integration.test_dlq_with_worker import retry
from tests.integration.test_store_failure_policy import failing
from tests.integration.test_uploads import MIB, a_log, all_is_tidy, chunks_left
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.servers import deployed
from tests.support.uploading import Producer, cut
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.refs import sha256_hex
from coatcheck_workers.embedded import NatsServer, S3Server

WORDS = b"word " * 100


async def test_pieces_that_nothing_opens_are_dropped(deployment: Settings) -> None:
    upload = msgspec.structs.replace(deployment.upload, idle_seconds=0.4)
    async with agent(deployment, "s") as one:
        for name in ("u1", "u2", "*"):
            await Producer(one, "c", upload=name).send(0, WORDS)
        async with worker_here(msgspec.structs.replace(deployment, upload=upload)) as worker:
            await eventually(lambda: worker.telemetry.counts.unopened == 3)
            await eventually(lambda: no_chunks(deployment))


async def no_chunks(settings: Settings) -> bool:
    return await chunks_left(settings) == 0


async def test_two_uploads_of_one_call_are_two_results(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        first, second = a_log(MIB), a_log(2 * MIB)
        await asyncio.gather(
            Producer(one, "c", upload="u1").publish(first), Producer(one, "c", upload="u2").publish(second)
        )
        await eventually(lambda: len(one.events) == 2)
        assert {event.sha256 for event in one.events} == {sha256_hex(first), sha256_hex(second)}
        await all_is_tidy(deployment)


async def test_two_producers_of_one_upload_are_a_failure_that_says_so(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        await producer.send(0, b"one")
        await producer.send(0, b"another", again=True)
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "piece 0 came twice, of 3 and of 7 bytes" in str(event.content)
        await all_is_tidy(deployment)


async def test_a_wrong_name_is_told_before_any_piece_has_come(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").open(tool="x" * 5_000)
        assert "tool_name has over" in str((await one.stub("c")).content)


@pytest.mark.parametrize("upload", ["a.b", "*", ">", "", "x y", "=41", "u" * 200, "../up"])
async def test_an_upload_id_that_is_no_segment_is_a_failure(deployment: Settings, upload: str) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        body = msgspec.json.encode({"tool_name": "cat", "upload": upload})
        await one.publish_raw(one.subjects.results(one.address("c")), body)
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "upload" in str(event.content)


async def test_pieces_of_another_session_are_never_read(deployment: Settings) -> None:
    """The same turn, call and upload id; the session is of the event's subject.

    Their message ids differ: what has one that the stream knows from the last minutes is a repetition to it.
    """
    async with worker_here(deployment), agent(deployment, "mine") as mine, agent(deployment, "theirs") as theirs:
        for one, data in ((theirs, b"a secret"), (mine, b"my own")):
            producer = Producer(one, "c")
            await producer.open()
            await producer.send(0, data, again=True)
            await producer.end([data], Nats_Msg_Id=None)
            assert (await one.stub("c")).content == data.decode()


async def test_a_call_whose_segment_is_shortened_has_its_whole_id(deployment: Settings) -> None:
    call = "call/" * 100
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, call).publish(WORDS, call_id=call)
        assert (await one.stub(call)).content == WORDS.decode()
        await all_is_tidy(deployment)


async def test_the_letter_of_a_failed_upload_is_its_event_and_a_retry_of_it_ends_clearly(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        deployed(nats_server, s3_server, upload={"idle_seconds": 1.0}) as settings,
        worker_here(settings),
        agent(settings, "s") as one,
    ):
        producer = Producer(one, "c")
        await producer.send(0, WORDS)
        await producer.end([WORDS, WORDS])
        await producer.open()
        assert "1 of 2 pieces are missing: 1" in str((await one.stub("c")).content)
        (letter,) = await eventually(lambda: dead_letters(settings))
        assert msgspec.json.decode(letter.data) == {"tool_name": "build", "upload": "u1"}
        assert letter.headers["Coat-Reason"] == "upload_idle"
        await all_is_tidy(settings)
        await retry(settings, tmp_path, letter.sequence)

        async def is_a_letter_again() -> bool:
            letters = await dead_letters(settings)
            return len(letters) == 1 and letters[0].sequence > letter.sequence

        await eventually(is_a_letter_again)
        await eventually(lambda: no_results(settings))


async def no_results(settings: Settings) -> bool:
    return await waiting_results(settings) == 0


async def test_more_uploads_than_a_worker_follows_all_come_through(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with (
        deployed(nats_server, s3_server, worker={"uploads": 4}) as settings,
        worker_here(settings),
        agent(settings, "s") as one,
    ):
        producers = [Producer(one, f"c{number}", upload=f"u{number}") for number in range(12)]
        for producer in producers:
            await producer.open()
        await one.publish("plain", "done")
        assert (await one.stub("plain")).content == "done"
        for producer in producers[4:]:
            await producer.send(0, WORDS)
            await producer.end([WORDS])
        for producer in producers[:4]:
            await producer.send(0, WORDS)
            await producer.end([WORDS])
        for number in range(12):
            assert (await one.stub(f"c{number}")).content == WORDS.decode()
        await all_is_tidy(settings)


async def test_a_producer_that_gives_up_before_its_first_byte_is_told(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        await producer.fail("no such file")
        event = await one.stub("c")
        assert (event.disposition, event.incomplete, event.error) == ("offloaded", True, "no such file")
        assert event.original_bytes == 0
        assert "no such file" in str(event.content)
        await all_is_tidy(deployment)


async def test_a_source_that_breaks_after_the_limit_keeps_what_came_and_says_why(deployment: Settings) -> None:
    """Field case 52."""
    data = a_log(5 * MIB)
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        for seq, part in enumerate(cut(data)):
            await producer.send(seq, part)
        await producer.fail("connection reset by peer")
        event = await one.stub("c")
        assert (event.incomplete, event.error) == (True, "connection reset by peer")
        assert "connection reset by peer" in str(event.content)
        assert event.sha256 == sha256_hex(data)
        assert await one.read_all(str(event.ref)) == data.decode()
        metadata = (await one.request("read", {"ref": event.ref, "limit": 1, "metadata": True}))["ok"]["metadata"]
        assert (metadata["incomplete"], metadata["error"]) == (True, "connection reset by peer")


@pytest.mark.parametrize("size", [100_000, 3 * MIB], ids=["in memory", "large"])
async def test_an_upload_that_the_store_does_not_take_is_told_of_and_stored_later(
    nats_server: NatsServer, s3_server: S3Server, size: int
) -> None:
    """Its event stays in the queue, and its pieces where they are: a letter of the event alone would lose them."""
    data = a_log(size)
    async with failing(nats_server, s3_server, "preview_only") as (settings, store, one):
        store.fail("put_stream")
        await Producer(one, "c").publish(data)
        event = await one.stub("c")
        assert (event.disposition, event.reason) == ("preview_only", "store_failure")
        assert "not stored yet" in str(event.content)
        assert event.original_bytes == len(data)
        assert await dead_letters(settings) == []
        assert await waiting_results(settings) == 1
        assert await chunks_left(settings) > 1
        store.heal()

        async def is_stored() -> bool:
            return "ok" in await one.request("read", {"ref": event.ref})

        await eventually(is_stored)
        assert await one.read_all(str(event.ref)) == data.decode()
        await eventually(lambda: no_results(settings))
        await all_is_tidy(settings)
        assert set(one.subject_counts.values()) == {1}


@pytest.mark.parametrize(("policy", "disposition"), [("reject", "failed"), ("preserve_raw", "inline")])
async def test_the_other_policies_hold_for_small_results_in_pieces(
    nats_server: NatsServer, s3_server: S3Server, policy: str, disposition: str
) -> None:
    data = a_log(100_000)
    async with failing(nats_server, s3_server, policy) as (settings, store, one):
        await Producer(one, "c").publish(data)
        event = await one.stub("c")
        assert (event.disposition, event.reason) == (disposition, "store_failure")
        if disposition == "inline":
            assert event.content == data.decode()
        store.heal()
        await eventually(lambda: no_results(settings))
        assert await one.read_all(str(event.ref)) == data.decode()
        await all_is_tidy(settings)
