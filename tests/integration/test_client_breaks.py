"""The client's stubs across breaks of the connection: all of them, each once."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import nats
import pytest
import pytest_asyncio
from nats.aio.msg import Msg
from tests.support.event_log import SESSION, Log, logging_events, nothing_more, take
from tests.support.proxy import Proxy, proxied
from tests.support.wait import eventually

import coatcheck
from coatcheck.client import seen as seen_module
from coatcheck_schemas.errors import Code
from coatcheck_workers.embedded import NatsServer


@pytest_asyncio.fixture
async def log(nats_server: NatsServer) -> AsyncIterator[Log]:
    async with logging_events(nats_server) as one:
        yield one


@asynccontextmanager
async def through_proxy(server: NatsServer, log: Log) -> AsyncIterator[tuple[Proxy, coatcheck.Client]]:
    async with (
        proxied(server.url) as (proxy, url),
        coatcheck.connect(url, prefix=log.prefix, connect_seconds=10) as client,
    ):
        yield proxy, client


async def publish(log: Log, count: int, name: str = "c") -> list[str]:
    calls = [f"{name}{number}" for number in range(count)]
    for call in calls:
        await log.publish(call)
    return calls


async def test_events_during_a_cut_come_once_and_in_order(nats_server: NatsServer, log: Log) -> None:
    async with through_proxy(nats_server, log) as (proxy, client), client.stubs(SESSION) as stubs:
        before = await publish(log, 5, "before")
        assert await take(stubs, 5) == before
        proxy.cut()
        during = await publish(log, 250, "during")
        proxy.heal()
        assert await take(stubs, 250) == during
        await nothing_more(stubs, log)


async def test_a_connection_that_is_cut_again_and_again_loses_and_doubles_nothing(
    nats_server: NatsServer, log: Log
) -> None:
    async with through_proxy(nats_server, log) as (proxy, client), client.stubs(SESSION) as stubs:
        taking = asyncio.ensure_future(take(stubs, 400))
        published: list[str] = []
        for turn in range(4):
            published += await publish(log, 50, f"up{turn}-")
            connections = proxy.connections
            proxy.cut()
            published += await publish(log, 50, f"down{turn}-")
            proxy.heal()
            await eventually(lambda n=connections: proxy.connections > n, expecting="a new connection")  # type: ignore[misc]
        got = await taking
        assert sorted(got) == sorted(published)
        await nothing_more(stubs, log)


async def test_a_stalled_connection_is_noticed_and_replaced(nats_server: NatsServer, log: Log) -> None:
    async with through_proxy(nats_server, log) as (proxy, client), client.stubs(SESSION) as stubs:
        proxy.stall()
        during = await publish(log, 20)
        await eventually(lambda: stubs.interruptions > 0, expecting="the client's notice")
        proxy.cut()
        proxy.heal()
        assert await take(stubs, 20) == during
        await nothing_more(stubs, log)


async def test_a_slow_reader_gets_what_its_buffer_could_not_hold(nats_server: NatsServer, log: Log) -> None:
    """Three times what is buffered; nothing is read before all is published."""
    async with through_proxy(nats_server, log) as (_, client), client.stubs(SESSION) as stubs:
        published = await publish(log, 6500)
        await eventually(lambda: stubs.interruptions > 0, expecting="an overflow")
        got = await take(stubs, len(published))
        assert sorted(got) == sorted(published)
        await nothing_more(stubs, log)


async def test_more_events_than_are_remembered_come_once(
    nats_server: NatsServer, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory turns over many times, while the connection is cut in between."""
    monkeypatch.setattr(seen_module.Seen.__init__, "__defaults__", (2500,))
    async with through_proxy(nats_server, log) as (proxy, client), client.stubs(SESSION) as stubs:
        total = 0
        for turn in range(6):
            if turn % 2:
                proxy.cut()
            published = await publish(log, 2000, f"t{turn}-")
            proxy.heal()
            assert sorted(await take(stubs, 2000)) == sorted(published)
            total += 2000
            assert stubs.remembered <= 3 * 2500 + 100 < total or turn < 4
        await nothing_more(stubs, log)


async def test_iteration_waits_while_no_replay_is_answered(nats_server: NatsServer, log: Log) -> None:
    async with through_proxy(nats_server, log) as (proxy, client), client.stubs(SESSION) as stubs:
        proxy.cut()
        log.silent = True
        during = await publish(log, 10)
        proxy.heal()
        taking = asyncio.ensure_future(take(stubs, 10))
        requests = log.requests
        await eventually(lambda: log.requests > requests + 1, expecting="a second try")
        assert not taking.done()
        log.silent = False
        assert await taking == during


async def test_a_refused_cursor_is_raised(nats_server: NatsServer) -> None:
    prefix = f"t{secrets.token_hex(6)}"
    connection = await nats.connect(nats_server.url, connect_timeout=30)
    problem = {"error": {"code": "invalid_argument", "message": "no such cursor", "details": {}}}

    async def refuse(message: Msg) -> None:
        await message.respond(msgspec.json.encode(problem))

    await connection.subscribe(f"{prefix}.replay.{SESSION}", cb=refuse)
    await connection.flush()
    async with coatcheck.connect(nats_server.url, prefix=prefix) as client:
        with pytest.raises(coatcheck.RequestError, match="no such cursor") as caught:
            await asyncio.wait_for(anext(client.stubs(SESSION, after="x")), 60)
        assert caught.value.code is Code.INVALID_ARGUMENT
    await connection.close()


async def test_an_event_of_an_unknown_version_is_passed_over(nats_server: NatsServer, log: Log) -> None:
    async with through_proxy(nats_server, log) as (_, client), client.stubs(SESSION) as stubs:
        for body in (b"", b"not json", b'{"session_id": 1}', b'{"disposition":"vanished"}'):
            await log._nats.publish(f"{log.prefix}.stubs.{SESSION}.=.odd", body)
        await nothing_more(stubs, log)


async def test_requests_in_flight_are_asked_again_after_a_break(nats_server: NatsServer, log: Log) -> None:
    async with through_proxy(nats_server, log) as (proxy, client):
        proxy.stall()
        asking = asyncio.ensure_future(client.replay(SESSION, limit=0))
        await asyncio.sleep(0)
        proxy.cut()
        proxy.heal()
        assert (await asyncio.wait_for(asking, 60)).cursor == "0"
