"""The HTTP server answers GET and HEAD, and outlives whoever connects to it."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest
import pytest_asyncio
from tests.support.http import connect, get, parse, send
from tests.support.telemetry import Link, standing
from tests.support.wait import eventually

from coatcheck_workers.telemetry import serving
from coatcheck_workers.telemetry.counts import Counts
from coatcheck_workers.telemetry.exposition import Exposition, WorkerCollector
from coatcheck_workers.telemetry.health import AWAY_SECONDS, Health, Stage
from coatcheck_workers.telemetry.pages import WorkerPages
from coatcheck_workers.telemetry.serving import MAX_CONNECTIONS, CannotListen, HttpServer, Page

LARGE = b"x" * 20_000_000


def pages(path: str, accept: str) -> Page | None:
    if path == "/broken":
        raise RuntimeError("a page that cannot be made")
    if path == "/large":
        return Page(status=HTTPStatus.OK, body=LARGE)
    return Page(status=HTTPStatus.OK, body=accept.encode() or b"hello") if path == "/" else None


@pytest_asyncio.fixture
async def server() -> AsyncIterator[HttpServer]:
    one = HttpServer(pages, "127.0.0.1", 0)
    await one.start()
    try:
        yield one
    finally:
        await one.close()


@pytest.fixture
def url(server: HttpServer) -> str:
    return server.url


async def test_a_page_is_answered_and_the_connection_closed(url: str) -> None:
    answer = await get(url, "/?name=value")
    assert (answer.status, answer.body) == (200, b"hello")
    assert answer.headers["connection"] == "close"


async def test_head_gets_the_same_without_the_body(url: str) -> None:
    answer = await get(url, "/", method="HEAD")
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "5")


async def test_what_is_accepted_reaches_the_page(url: str) -> None:
    answer = await send(url, b"GET / HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n")
    assert answer.body == b"application/openmetrics-text"


async def test_a_path_that_there_is_not_is_not_found(url: str) -> None:
    assert (await get(url, "/../etc/passwd")).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get"])
async def test_no_other_method_is_allowed(url: str, method: str) -> None:
    answer = await send(url, f"{method} / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello".encode())
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\x00\r\n\r\n",
        b"\xff" * 100 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_refused(url: str, request_bytes: bytes) -> None:
    answer = await send(url, request_bytes + b"\r\n\r\n")
    assert 400 <= answer.status < 500
    assert (await get(url, "/")).status == 200


async def test_headers_without_end_are_refused_once_they_are_too_long(url: str) -> None:
    reader, writer = await connect(url)
    writer.write(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000)
    try:
        answer = parse(await asyncio.wait_for(reader.read(), 60))
        assert answer.status == 431
    except ConnectionError:
        pass  # the rest of what it sent meets a closed connection
    finally:
        writer.close()
    assert (await get(url, "/")).status == 200


async def test_who_says_nothing_is_let_go(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.05)
    reader, writer = await connect(url)
    assert parse(await asyncio.wait_for(reader.read(), 60)).status == 408
    writer.close()


async def test_who_sends_slowly_is_let_go_however_steadily(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.1)
    _, writer = await connect(server.url)

    async def drip() -> None:
        for byte in b"GET / HTTP/1.1\r\nhost: " + b"x" * 10_000:
            writer.write(bytes([byte]))
            await asyncio.sleep(serving.REQUEST_SECONDS / 10)

    dripping = asyncio.ensure_future(drip())
    try:
        await eventually(lambda: len(server._serving) == 1, expecting="it is accepted")
        await eventually(lambda: not server._serving, expecting="it is given up")
        assert not dripping.done()
    finally:
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)
        writer.close()


async def test_who_takes_nothing_in_is_let_go(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ANSWER_SECONDS", 0.05)
    reader, writer = await connect(server.url)
    writer.write(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually(lambda: len(server._serving) == 1, expecting="it is accepted")
    await eventually(lambda: not server._serving, expecting="it is given up")
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await asyncio.wait_for(reader.readexactly(len(LARGE)), 60)
    writer.close()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many may be connected at once."""
    monkeypatch.setattr(serving, "MAX_CONNECTIONS", 3)
    return serving.MAX_CONNECTIONS


async def test_connections_that_are_held_open_keep_no_probe_from_its_answer(server: HttpServer) -> None:
    idle = [await connect(server.url) for _ in range(2 * MAX_CONNECTIONS)]
    await eventually(lambda: len(server._serving) == MAX_CONNECTIONS, expecting="no more are kept than may be")
    assert [(await get(server.url, "/")).status for _ in range(5)] == [200] * 5
    assert await asyncio.wait_for(idle[0][0].read(), 60) == b""
    for _, writer in idle:
        writer.close()


async def test_answers_that_nobody_takes_in_keep_no_probe_from_its_own(server: HttpServer, few: int) -> None:
    slow = [await connect(server.url) for _ in range(few)]
    for _, writer in slow:
        writer.write(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually(lambda: _has_answered(server, few), expecting="all have asked")
    assert (await get(server.url, "/")).status == 200
    for _, writer in slow:
        writer.close()


async def test_who_has_asked_is_let_go_after_those_that_have_not(server: HttpServer, few: int) -> None:
    reader, writer = await connect(server.url)
    writer.write(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually(lambda: _has_answered(server, 1), expecting="it has asked")
    idle = [await connect(server.url) for _ in range(2 * few)]
    await eventually(lambda: len(server._serving) == few, expecting="the oldest have gone")
    assert len(await asyncio.wait_for(reader.read(), 60)) > len(LARGE)
    for _, one in [(reader, writer), *idle]:
        one.close()


@pytest.mark.parametrize(("host", "port"), [("a..b", 0), ("x" * 64, 0), ("127.0.0.1", 99_999)])
async def test_an_address_that_is_none_is_named(host: str, port: int) -> None:
    with pytest.raises(CannotListen, match=rf"http\.host '{host}' and http\.port {port} cannot"):
        await HttpServer(pages, host, port).start()


async def test_a_page_that_cannot_be_made_ends_its_connection_alone(url: str) -> None:
    assert (await get(url, "/broken")).status == 500
    assert (await get(url, "/")).status == 200


async def test_a_close_lets_go_of_whoever_is_connected(server: HttpServer) -> None:
    reader, writer = await connect(server.url)
    await eventually(lambda: len(server._serving) == 1, expecting="it is accepted")
    await server.close()
    assert await asyncio.wait_for(reader.read(), 60) == b""
    writer.close()


def state_of(health: Health, path: str) -> int:
    page = WorkerPages(health, Exposition(WorkerCollector(Counts(), standing(), "1")))(path, "")
    assert page is not None
    return page.status


@pytest.mark.parametrize(
    ("stage", "away_seconds", "alive", "ready"),
    [
        (Stage.STARTING, 0.0, 200, 503),
        (Stage.STARTING, 1e9, 200, 503),
        (Stage.WORKING, 0.0, 200, 200),
        (Stage.WORKING, 1.0, 200, 503),
        (Stage.WORKING, AWAY_SECONDS, 503, 503),
        (Stage.STOPPING, 0.0, 200, 503),
    ],
)
def test_health_goes_by_the_stage_and_the_connection(stage: Stage, away_seconds: float, alive: int, ready: int) -> None:
    link = Link()
    link.is_connected, link.away_seconds = away_seconds == 0.0, away_seconds
    health = Health(link)
    health.stage = stage
    assert (state_of(health, "/healthz"), state_of(health, "/readyz")) == (alive, ready)


def _has_answered(server: HttpServer, count: int) -> bool:
    return sum(stage is serving._Stage.ANSWERED for stage in server._serving.values()) == count
