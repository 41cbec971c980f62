"""Publishing where something is in the way: too large, no stream, a full one, no permission, a lost acknowledgement."""

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import nats
import pytest
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from tests.support.pieces import streams
from tests.support.proxy import proxied
from tests.support.wait import eventually

import coatcheck
from coatcheck.client.connection import header_bytes
from coatcheck.client.encoding import encode_result
from coatcheck_schemas.errors import Code
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer


@asynccontextmanager
async def streaming(server: NatsServer, **config: Any) -> AsyncIterator[tuple[JetStreamContext, str]]:
    """A results stream under a prefix of its own, as schemas/README.md, "Subjects", has it."""
    prefix = f"t{secrets.token_hex(6)}"
    name = Subjects(prefix).stream("results")
    connection = await nats.connect(server.url, connect_timeout=30)
    jetstream = connection.jetstream()
    await jetstream.add_stream(
        name=name, subjects=[f"{prefix}.results.>", f"{prefix}.turns.*.*.end"], discard="new", **config
    )
    yield jetstream, prefix
    await jetstream.delete_stream(name)
    await connection.close()


async def count(jetstream: JetStreamContext, prefix: str) -> int:
    return int((await jetstream.stream_info(Subjects(prefix).stream("results"))).state.messages)


async def holds(jetstream: JetStreamContext, prefix: str, messages: int) -> bool:
    return await count(jetstream, prefix) >= messages


async def test_exactly_what_one_message_carries_is_one_and_one_byte_more_goes_in_pieces(
    nats_server: NatsServer,
) -> None:
    async with streams(nats_server) as there, coatcheck.connect(nats_server.url, prefix=there.prefix) as client:
        headers = encode_result("s1", "", "cat", {"call": "c"}).headers
        room = client.max_payload - MESSAGE_RESERVE_BYTES - header_bytes(headers)
        await client.publish("s1", b"x" * room, tool_name="cat", call="c")
        assert (await there.count(there.results), await there.count(there.chunks)) == (1, 0)
        await client.publish("s1", b"x" * (room + 1), tool_name="cat", call="c")
        (await there.upload()).check(b"x" * (room + 1))


async def test_a_missing_stream_is_named_with_what_to_do(nats_server: NatsServer) -> None:
    async with coatcheck.connect(nats_server.url, prefix=f"t{secrets.token_hex(6)}") as client:
        with pytest.raises(coatcheck.RequestError, match=r"no stream takes .*coatcheck provision") as caught:
            await client.publish("s1", "x", tool_name="cat")
        assert caught.value.code is Code.UNAVAILABLE


async def test_a_full_stream_refuses_and_takes_again_once_there_is_room(nats_server: NatsServer) -> None:
    async with (
        streaming(nats_server, max_bytes=200_000) as (jetstream, prefix),
        coatcheck.connect(nats_server.url, prefix=prefix) as client,
    ):
        await client.publish("s1", b"x" * 150_000, tool_name="cat")
        with pytest.raises(coatcheck.RequestError, match="is full"):
            await client.publish("s1", b"x" * 150_000, tool_name="cat")
        await jetstream.purge_stream(Subjects(prefix).stream("results"))
        await client.publish("s1", b"x" * 150_000, tool_name="cat")


async def test_an_answer_that_is_no_acknowledgement_is_an_error(nats_server: NatsServer) -> None:
    prefix = f"t{secrets.token_hex(6)}"
    connection = await nats.connect(nats_server.url, connect_timeout=30)

    async def answer(message: Msg) -> None:
        await message.respond(b"thanks!")

    await connection.subscribe(f"{prefix}.results.>", cb=answer)
    await connection.flush()
    async with coatcheck.connect(nats_server.url, prefix=prefix) as client:
        with pytest.raises(coatcheck.RequestError, match="is no stream"):
            await client.publish("s1", "x", tool_name="cat")
    await connection.close()


async def test_a_publish_whose_acknowledgement_is_lost_is_there_once(nats_server: NatsServer) -> None:
    """The proxy lets the message through and holds back the answer; the connection is noticed as dead and replaced."""
    async with (
        streaming(nats_server) as (jetstream, prefix),
        proxied(nats_server.url) as (proxy, url),
        coatcheck.connect(url, prefix=prefix) as client,
    ):
        await client.publish("s1", "the first", tool_name="cat")
        proxy.stall_answers()
        publishing = asyncio.ensure_future(client.publish("s1", "x", tool_name="cat"))
        await eventually(lambda: holds(jetstream, prefix, 2))
        assert not publishing.done()
        proxy.cut()
        proxy.heal()
        published = await asyncio.wait_for(publishing, 60)
        assert published.duplicate
        assert await count(jetstream, prefix) == 2


async def test_a_publish_while_nats_is_away_goes_through_when_it_is_back(nats_server: NatsServer) -> None:
    async with (
        streaming(nats_server) as (jetstream, prefix),
        proxied(nats_server.url) as (proxy, url),
        coatcheck.connect(url, prefix=prefix) as client,
        coatcheck.connect(nats_server.url, prefix=prefix) as other,
    ):
        proxy.cut()
        publishes = [asyncio.ensure_future(client.publish("s1", f"{n}", tool_name="cat")) for n in range(20)]
        await other.publish("s1", "others go on", tool_name="cat")
        assert not any(publish.done() for publish in publishes)
        proxy.heal()
        sequences = {(await publish).sequence for publish in publishes}
        assert len(sequences) == 20
        assert await count(jetstream, prefix) == 21


async def test_a_publish_goes_through_a_crash_and_restart_of_the_server(own_nats: NatsServer) -> None:
    async with coatcheck.connect(own_nats.url) as client:
        connection = await nats.connect(own_nats.url, connect_timeout=30)
        await connection.jetstream().add_stream(name="COAT_RESULTS", subjects=["coat.results.>"])
        await connection.close()
        await client.publish("s1", "before", tool_name="cat")
        await own_nats.kill()
        publishing = asyncio.ensure_future(client.publish("s1", "during", tool_name="cat"))
        await own_nats.start()
        assert (await asyncio.wait_for(publishing, 60)).sequence == 2


async def test_a_publish_that_finds_no_connection_in_time_says_so(nats_server: NatsServer) -> None:
    async with (
        proxied(nats_server.url) as (proxy, url),
        coatcheck.connect(url, prefix="coat") as client,
    ):
        proxy.cut()
        with pytest.raises(coatcheck.RequestError, match=r"no connection to NATS|no acknowledgement"):
            await client.publish("s1", "x", tool_name="cat", timeout=1.5)


async def test_many_publishes_at_once_all_arrive(nats_server: NatsServer) -> None:
    async with (
        streaming(nats_server) as (_, prefix),
        coatcheck.connect(nats_server.url, prefix=prefix) as client,
    ):
        published = await asyncio.gather(*(client.publish("s1", f"{n}", tool_name="cat") for n in range(3000)))
        assert len({one.sequence for one in published}) == 3000


async def test_a_closed_client_refuses_at_once(nats_server: NatsServer) -> None:
    async with coatcheck.connect(nats_server.url) as client:
        pass
    for attempt in (client.publish("s1", "x", tool_name="cat"), client.read("s1", "x"), anext(client.stubs("s1"))):
        with pytest.raises((coatcheck.RequestError, StopAsyncIteration)):
            await asyncio.wait_for(attempt, 60)


async def test_no_server_is_an_error_within_its_time() -> None:
    with pytest.raises(coatcheck.RequestError, match=r"no NATS server answers at nats://127\.0\.0\.1:1"):
        async with coatcheck.connect("nats://u:hush@127.0.0.1:1", connect_seconds=0.5):
            pass


async def confine(server: NatsServer) -> str:
    """Give the server a user that may do what an agent of session `s1` does, and no more; its URL."""
    prefix = "coat"
    allowed = f'publish: ["{prefix}.results.s1.>", "{prefix}.*.s1"], subscribe: ["{prefix}.stubs.s1.>", "_INBOX.s1.>"]'
    config = server.data_dir / "nats.conf"
    text = config.read_text().replace(
        "users: [", f'users: [ {{ user: "agent", password: "p", permissions: {{ {allowed} }} }},'
    )
    config.write_text(text)
    os.kill(server.child.pid, signal.SIGHUP)
    await eventually(lambda: "Reloaded server configuration" in server.log.read_text(), expecting="the reload")
    return server.url.replace(server.url.partition("://")[2].rpartition("@")[0], "agent:p")


async def test_a_confined_agent_does_its_own_and_is_told_what_it_may_not(own_nats: NatsServer) -> None:
    url = await confine(own_nats)
    connection = await nats.connect(own_nats.url, connect_timeout=30)
    await connection.jetstream().add_stream(name="COAT_RESULTS", subjects=["coat.results.>"])
    async with coatcheck.connect(url, inbox_prefix="_INBOX.s1") as client:
        assert (await client.publish("s1", "x", tool_name="cat")).sequence == 1
        with pytest.raises(coatcheck.RequestError, match=r"may not publish to coat\.results\.s2") as caught:
            await asyncio.wait_for(client.publish("s2", "x", tool_name="cat"), 60)
        assert caught.value.code is Code.UNAVAILABLE
        with pytest.raises(coatcheck.RequestError, match=r"may not publish to coat\.list\.s2"):
            await asyncio.wait_for(client.list("s2"), 60)
        with pytest.raises(coatcheck.RequestError, match=r"may not subscribe to coat\.stubs\.s2"):
            await asyncio.wait_for(anext(client.stubs("s2")), 60)
        assert (await client.publish("s1", "y", tool_name="cat")).sequence == 2
    async with coatcheck.connect(url) as client:
        with pytest.raises(coatcheck.RequestError, match="inbox_prefix"):
            await asyncio.wait_for(client.publish("s1", "x", tool_name="cat"), 60)
    await connection.close()


async def test_a_refusal_whose_reason_is_lost_is_tried_until_it_is_read(nats_server: NatsServer) -> None:
    """A server that resets the first connections, as one may that refuses a login, and then says why."""
    async with proxied(nats_server.url) as (proxy, url):
        host = url.rpartition("@")[2]
        proxy.cut()
        connecting = asyncio.ensure_future(_enter(f"nats://someone:hush@{host}"))
        await asyncio.sleep(0)
        proxy.heal()
        with pytest.raises(coatcheck.RequestError, match="wrong user or password"):
            await asyncio.wait_for(connecting, 60)


async def _enter(url: str) -> None:
    async with coatcheck.connect(url, connect_seconds=10):
        pass
