"""A result that is written while its tool runs, as it lies in the streams: no worker takes it up."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.pieces import Streams, streams
from tests.support.proxy import proxied
from tests.support.wait import eventually

import coatcheck
from coatcheck.client import streaming, uploading
from coatcheck_schemas import pieces
from coatcheck_schemas.errors import Code, InvalidInput
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_workers.embedded import NatsServer

MIB = 1024 * 1024
LARGE = secrets.token_bytes(3 * MIB + 12345)


@asynccontextmanager
async def producing(server: NatsServer, **chunks: Any) -> AsyncIterator[tuple[coatcheck.Client, Streams]]:
    async with streams(server, **chunks) as there, coatcheck.connect(server.url, prefix=there.prefix) as client:
        yield client, there


async def test_what_fits_one_message_is_one_event(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build", call="c", turn="t") as out:
            await out.write("one, ")
            await out.write(b"two")
        assert (await there.count(there.results), await there.count(there.chunks)) == (1, 0)
        message = await there.jetstream.get_msg(there.results, 1)
        assert (message.data, (message.headers or {})["ce-toolname"]) == (b"one, two", "build")
        assert out.published is not None
        assert out.published.result_id == result_id("c", sha256_hex(b"one, two"))


async def test_what_is_more_comes_in_numbered_pieces_of_a_known_hash(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build", call="c", mime_type="text/plain") as out:
            for start in range(0, len(LARGE), 100_000):
                await out.write(LARGE[start : start + 100_000])
        (await there.upload()).check(LARGE)
        (event,) = await there.events()
        assert "content" not in event
        assert (event["tool_name"], event["call_id"], event["mime_type"]) == ("build", "c", "text/plain")
        assert out.published is not None
        assert out.published.result_id == result_id("c", sha256_hex(LARGE))
        assert out.published.upload == event["upload"]
        assert out.written == len(LARGE)


async def test_no_piece_is_larger_than_one_message(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build") as out:
            await out.write(LARGE)
        sizes = [len(one.data) for one in (await there.upload()).pieces]
        assert max(sizes) <= 512 * 1024
        assert sum(sizes) == len(LARGE)


async def test_publish_of_more_than_one_message_carries_goes_in_pieces(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        text = "ü" * (MIB + 7)
        published = await client.publish("s1", text, tool_name="cat", call="c", arguments={"path": "/x"})
        (await there.upload()).check(text.encode())
        assert published.result_id == result_id("c", sha256_hex(text.encode()))
        assert (await there.events())[0]["arguments"] == {"path": "/x"}


async def test_bytes_that_json_cannot_carry_beside_arguments_go_in_pieces(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        await client.publish("s1", b"\xff\xfe", tool_name="cat", arguments={"path": "/x"})
        (await there.upload()).check(b"\xff\xfe")


async def test_blocks_of_more_than_one_message_go_in_pieces_as_a_list(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        blocks = [{"type": "text", "text": "a" * MIB}, {"type": "text", "text": "ü"}]
        published = await client.publish("s1", blocks, tool_name="cat", call="c")
        (event,) = await there.events()
        assert event["blocks"] is True
        assert (await there.upload()).data.endswith('"ü"}]'.encode())
        assert published.result_id == result_id("c", sha256_hex(f"{'a' * MIB}\nü".encode()))


async def test_fields_that_no_message_carries_are_refused_before_anything_is_sent(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        out = client.stream("s1", tool_name="cat", arguments={"x": "y" * MIB})
        with pytest.raises(coatcheck.RequestError, match="shorten arguments") as caught:
            async with out:
                pass
        assert caught.value.code is Code.TOO_LARGE
        assert await there.count(there.results) == 0


async def test_a_slow_tool_s_pieces_arrive_while_it_runs(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "FLUSH_SECONDS", 0.05)
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build") as out:
            await out.write(LARGE)
            await out.write("a last line")
            await eventually(lambda: _has(there, len(LARGE) + 11), expecting="the rest")
            await out.write(", and more")
        (await there.upload()).check(LARGE + b"a last line, and more")


async def _has(there: Streams, size: int) -> bool:
    uploads = await there.uploads()
    return sum(len(sent.data) for sent in uploads.values()) == size


async def _write_and_raise(out: coatcheck.ResultStream, parts: list[str | bytes], error: Exception) -> None:
    async with out:
        for part in parts:
            await out.write(part)
        raise error


async def test_leaving_by_an_exception_says_that_it_failed_and_keeps_what_there_was(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        out = client.stream("s1", tool_name="build")
        with pytest.raises(ValueError, match="disk on fire"):
            await _write_and_raise(out, [LARGE, "the last words"], ValueError("the disk on fire: 90 %"))
        sent = await there.upload()
        assert sent.data == LARGE + b"the last words"
        assert sent.reason == "ValueError: the disk on fire: 90 %"
        assert out.published is None


async def test_leaving_by_an_exception_publishes_nothing_where_nothing_was_sent(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        with pytest.raises(ValueError, match="x"):
            await _write_and_raise(client.stream("s1", tool_name="build"), ["little"], ValueError("x"))
        assert (await there.count(there.results), await there.count(there.chunks)) == (0, 0)


async def test_a_producer_that_is_cancelled_says_so(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        is_written = asyncio.Event()

        async def produce() -> None:
            async with client.stream("s1", tool_name="build") as out:
                await out.write(LARGE)
                is_written.set()
                await asyncio.Event().wait()

        producer = asyncio.create_task(produce())
        await is_written.wait()
        producer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await producer
        sent = await there.upload()
        assert (sent.data, sent.reason) == (LARGE, "the producer was cancelled")


async def test_a_failure_that_the_producer_names_ends_it_in_place_of_the_count(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build", call="c") as out:
            await out.write(LARGE)
            out.failure = "killed by SIGKILL"
            out.is_error = True
        sent = await there.upload()
        assert (sent.reason, sent.end[pieces.IS_ERROR]) == ("killed by SIGKILL", "true")
        assert out.published is not None
        assert out.published.result_id == result_id("c", sha256_hex(LARGE))


@pytest.mark.parametrize(
    ("before", "after", "told_first", "told_last"),
    [
        (False, False, None, None),
        (True, True, True, None),
        (False, True, None, "true"),
        (True, False, True, "false"),
    ],
)
async def test_an_error_is_told_by_the_opening_event_or_at_the_end(
    nats_server: NatsServer, before: bool, after: bool, told_first: bool | None, told_last: str | None
) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build") as out:
            out.is_error = before
            await out.write(LARGE)
            out.is_error = after
        (event,) = await there.events()
        assert event.get("is_error") == told_first
        assert (await there.upload()).end.get(pieces.IS_ERROR) == told_last


async def test_an_error_of_a_small_result_is_told_by_its_event(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build") as out:
            out.is_error = True
        message = await there.jetstream.get_msg(there.results, 1)
        assert (message.headers or {})["ce-iserror"] == "true"


async def test_writes_of_several_tasks_stay_whole(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        parts = [bytes([number]) * 400_000 for number in range(8)]
        async with client.stream("s1", tool_name="build") as out:
            await asyncio.gather(*(out.write(part) for part in parts))
        data = (await there.upload()).data
        assert sorted(data[start : start + 400_000] for start in range(0, len(data), 400_000)) == parts


async def test_what_is_no_data_or_comes_after_the_end_is_refused(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        async with client.stream("s1", tool_name="build") as out:
            with pytest.raises(InvalidInput, match="not list"):
                await out.write(["x"])  # type: ignore[arg-type]
            await out.write(memoryview(b"axbxc")[::2])
            await out.finish()
            with pytest.raises(InvalidInput, match="has ended"):
                await out.write("x")
        with pytest.raises(InvalidInput, match="has ended"):
            await out.submit()
        assert (await there.jetstream.get_msg(there.results, 1)).data == b"abc"


async def test_a_write_that_was_cancelled_half_way_lets_nothing_pass_for_whole(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "DRAIN_SECONDS", 0.1)
    async with producing(nats_server, max_bytes=2 * MIB) as (client, there):
        out = client.stream("s1", tool_name="build")

        async def go_on() -> None:
            async with out:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(out.write(LARGE * 3), 0.3)
                await there.jetstream.purge_stream(there.chunks)
                await out.write("more")

        with pytest.raises(InvalidInput, match="publish it anew"):
            await go_on()
        assert pieces.FAILED in (await there.upload()).end


async def test_a_full_stream_slows_the_producer_and_loses_nothing(nats_server: NatsServer) -> None:
    async with producing(nats_server, max_bytes=3 * MIB) as (client, there):
        data = secrets.token_bytes(8 * MIB)
        taken: dict[int, bytes] = {}

        async def produce() -> None:
            async with client.stream("s1", tool_name="build") as out:
                await out.write(data)

        producer = asyncio.create_task(produce())
        while not producer.done():
            await eventually(lambda: _is_full_or_done(there, producer))
            last = (await there.jetstream.stream_info(there.chunks)).state.last_seq
            for sent in (await there.uploads()).values():
                taken |= {int((one.headers or {})[pieces.SEQ]): one.data for one in sent.pieces}
            if not producer.done():
                await there.jetstream.purge_stream(there.chunks, seq=last + 1)
        await producer
        assert b"".join(taken[number] for number in sorted(taken)) == data
        assert (await there.upload()).end[pieces.COUNT] == str(len(taken))


async def _is_full_or_done(there: Streams, producer: "asyncio.Task[None]") -> bool:
    info = await there.jetstream.stream_info(there.chunks)
    return producer.done() or info.state.bytes > 2 * MIB


async def test_a_stream_that_stays_full_ends_in_an_error_that_says_what_to_do(nats_server: NatsServer) -> None:
    async with producing(nats_server, max_bytes=2 * MIB) as (client, there):
        with pytest.raises(coatcheck.RequestError, match=r"for 1 s nothing was taken.*streams\.chunks\.max_bytes") as e:
            async with client.stream("s1", tool_name="build", stall_seconds=1) as out:
                await out.write(LARGE)
        assert e.value.code is Code.UNAVAILABLE
        assert (await there.upload()).reason.startswith("RequestError: ")


async def test_a_missing_stream_of_pieces_is_named(nats_server: NatsServer) -> None:
    async with producing(nats_server) as (client, there):
        await there.jetstream.delete_stream(there.chunks)
        with pytest.raises(coatcheck.RequestError, match=r"no stream takes .*chunks.*coatcheck provision"):
            await client.publish("s1", LARGE, tool_name="build", timeout=20)
        await there.jetstream.add_stream(name=there.chunks, subjects=[f"{there.prefix}.chunks.>"])


async def test_a_connection_that_breaks_and_answers_that_are_lost_leave_each_piece_there_once(
    nats_server: NatsServer,
) -> None:
    async with (
        streams(nats_server) as there,
        proxied(nats_server.url) as (proxy, url),
        coatcheck.connect(url, prefix=there.prefix) as client,
    ):
        async with client.stream("s1", tool_name="build") as out:
            await out.write(LARGE)
            proxy.stall_answers()
            writing = asyncio.create_task(out.write(LARGE))
            await eventually(lambda: _has_more(there, out.stored), expecting="pieces whose answers are lost")
            proxy.cut()
            proxy.heal()
            await asyncio.wait_for(writing, 60)
        (await there.upload()).check(LARGE * 2)


async def _has_more(there: Streams, size: int) -> bool:
    uploads = await there.uploads()
    return sum(len(one.data) for sent in uploads.values() for one in sent.pieces) > size


async def test_a_server_that_is_killed_in_the_middle_is_gone_on_with(own_nats: NatsServer) -> None:
    async with (
        streams(own_nats) as there,
        coatcheck.connect(own_nats.url, prefix=there.prefix) as client,
    ):
        async with client.stream("s1", tool_name="build") as out:
            await out.write(LARGE)
            await own_nats.kill()
            writing = asyncio.create_task(out.write(LARGE))
            await own_nats.start()
            await asyncio.wait_for(writing, 40)
        await eventually(lambda: _has(there, 2 * len(LARGE)), expecting="the reader's connection")
        (await there.upload()).check(LARGE * 2)


WRITING = """
import asyncio, sys
import coatcheck


def peak():
    status = open("/proc/self/status").read()
    return int(status.partition("VmHWM:")[2].split()[0])


async def main(url, prefix):
    part = bytes(1024 * 1024)
    async with coatcheck.connect(url, prefix=prefix) as client:
        await client.publish("s1", "x", tool_name="warm")
        before = peak()
        async with client.stream("s1", tool_name="build") as out:
            for _ in range(200):
                await out.write(part)
        print(peak() - before)


asyncio.run(main(*sys.argv[1:]))
"""


async def test_200_mb_take_the_producer_less_than_16_mib(nats_server: NatsServer) -> None:
    async with streams(nats_server) as there:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", WRITING, nats_server.url, there.prefix), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        info = await there.jetstream.stream_info(there.chunks)
        assert info.state.bytes > 200 * MIB
        assert int(out) < 16 * 1024


async def test_a_tool_that_prints_nothing_for_long_is_known_to_live(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pieces with nothing in them, which count like any."""
    monkeypatch.setattr("coatcheck.client.streaming.ALIVE_SECONDS", 0.05)
    async with producing(nats_server) as (client, there), client.stream("s1", tool_name="build") as out:
        await out.write(LARGE)

        async def is_silent_and_alive() -> bool:
            uploads = list((await there.uploads()).values())
            return bool(uploads) and sum(piece.data == b"" for piece in uploads[0].pieces) >= 2

        await eventually(is_silent_and_alive)
        await out.write("the end")
        await out.finish()
        (await there.upload()).check(LARGE + b"the end")
