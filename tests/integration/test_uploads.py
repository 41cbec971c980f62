"""Results in pieces, published by hand, through a real worker."""

import json

import msgspec
import pytest
from tests.support.agents import Agent, agent
from tests.support.servers import connected, deployed
from tests.support.uploading import Producer, cut
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.storage import open_store

MIB = 1024 * 1024


def a_log(size: int) -> bytes:
    line = b"2026-01-01T00:00:00Z INFO step %07d of the build is done\n"
    return b"".join(line % number for number in range(size // len(line % 0)))


async def chunks_left(settings: Settings) -> int:
    async with connected(settings) as client:
        info = await client.jetstream().stream_info(f"{settings.nats.prefix}_chunks".upper())
        return int(info.state.messages)


async def all_is_tidy(settings: Settings) -> None:
    """No piece, and nothing on its way through the store."""

    async def no_chunks() -> bool:
        return await chunks_left(settings) == 0

    async def nothing_passes() -> bool:
        store = open_store(settings.storage)
        return [key async for key in store.list(Keys(settings.storage.prefix).passing())] == []

    await eventually(no_chunks)
    await eventually(nothing_passes)


@pytest.mark.parametrize("size", [300_000, 5 * MIB, 80 * MIB], ids=["in memory", "spooled", "passed on"])
async def test_a_result_in_pieces_is_stored_and_stubbed(deployment: Settings, size: int) -> None:
    data = a_log(size)
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").publish(data)
        event = await one.stub("c")
        assert (event.disposition, event.kind, event.original_bytes) == ("offloaded", "text", len(data))
        assert event.original_chars == len(data)
        assert event.original_lines == data.count(b"\n")
        assert event.sha256 == sha256_hex(data)
        assert event.result_id == result_id("c", sha256_hex(data))
        await all_is_tidy(deployment)
        end = await read(one, str(event.ref), offset=-100)
        assert end["content"] == data[-100:].decode()


async def test_a_small_result_in_pieces_goes_inline(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").publish(b"all is well\n")
        event = await one.stub("c")
        assert (event.disposition, event.content) == ("inline", "all is well\n")
        await all_is_tidy(deployment)


async def test_pieces_that_come_before_their_event_and_out_of_order(deployment: Settings) -> None:
    data = a_log(3 * MIB)
    parts = cut(data)
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.end(parts)
        for seq in reversed(range(len(parts))):
            await producer.send(seq, parts[seq])
        await producer.send(3, parts[3], again=True)
        await producer.open()
        assert (await one.stub("c")).sha256 == sha256_hex(data)
        await all_is_tidy(deployment)


async def test_a_producer_that_gives_up_leaves_an_incomplete_result(deployment: Settings) -> None:
    parts = cut(a_log(2 * MIB))
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        for seq, part in enumerate(parts):
            await producer.send(seq, part)
        await producer.fail("the disk is full: 100 %")
        event = await one.stub("c")
        assert (event.disposition, event.incomplete, event.error) == ("offloaded", True, "the disk is full: 100 %")
        assert event.reason == "single_threshold"
        assert event.original_bytes == sum(map(len, parts))
        await all_is_tidy(deployment)


@pytest.mark.parametrize(
    ("header", "value", "told"),
    [
        ("Coat_Sha256", "0" * 64, "the last message says 0000"),
        ("Coat_Count", "-1", "Coat-Count must be a whole number"),
        ("Coat_Bytes", "7", "the last message says 7"),
        ("Coat_Sha256", None, "must be 64 hex digits"),
    ],
)
async def test_a_last_message_that_does_not_hold_is_a_failure(
    deployment: Settings, header: str, value: str | None, told: str
) -> None:
    parts = cut(a_log(2 * MIB))
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        for seq, part in enumerate(parts):
            await producer.send(seq, part)
        await producer.end(parts, **{header: value})
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert told in str(event.content)
        await all_is_tidy(deployment)


async def test_a_producer_that_falls_silent_is_given_up(deployment: Settings) -> None:
    settings = msgspec.structs.replace(deployment, upload=msgspec.structs.replace(deployment.upload, idle_seconds=0.5))
    async with worker_here(settings), agent(settings, "s") as one:
        producer = Producer(one, "c")
        await producer.send(0, b"a beginning")
        await producer.open()
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "no piece has come for 0.5 s: 1 pieces have come" in str(event.content)
        await all_is_tidy(settings)


async def read(one: Agent, ref: str, **fields: object) -> dict[str, object]:
    subject = one.subjects.request("read", one.address("").session)
    reply = await one.client.request(subject, json.dumps({"ref": ref, **fields}).encode(), timeout=30)
    ok: dict[str, object] = json.loads(reply.data)["ok"]
    return ok


async def test_the_same_content_in_another_form_leaves_the_original_as_it_is(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    """Both ways, by pieces: what is there stands, and is read by its own index."""
    data = a_log(3 * MIB)
    for first, second in (("zstd", "none"), ("none", "zstd")):
        async with deployed(nats_server, s3_server, storage={"compression": first}) as settings:
            other = msgspec.structs.replace(
                settings, storage=msgspec.structs.replace(settings.storage, compression=second)
            )
            for turn, (one_form, upload) in enumerate([(settings, "u1"), (other, "u2")]):
                async with worker_here(one_form), agent(settings, "s") as one:
                    await Producer(one, "c", upload=f"{upload}{first}", turn=f"t{turn}").publish(data)
                    event = await one.stub("c", f"t{turn}")
                    end = await read(one, str(event.ref), offset=-100)
                    assert end["content"] == data[-100:].decode()
                    assert await one.read_all(str(event.ref)) == data.decode()


async def test_a_piece_with_nothing_in_it_counts_like_any(deployment: Settings) -> None:
    parts = [b"first\n", b"", b"last\n"]
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        for seq, part in enumerate(parts):
            await producer.send(seq, part)
        await producer.end(parts)
        assert (await one.stub("c")).content == "first\nlast\n"
        await all_is_tidy(deployment)
