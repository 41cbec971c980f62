"""GETs on kept connections, of servers that behave and of those that do not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from coatcheck_workers.storage import http_get
from coatcheck_workers.storage.http_get import HttpGet, Refused

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter, int], Awaitable[None]]
HEADERS = {"host": "localhost"}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """`answer` is given each connection, with its number from 0."""

    def __init__(self, answer: Answer) -> None:
        self.connections = 0
        self.requests: list[bytes] = []
        self._answer = answer

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._answer(reader, writer, self.connections - 1)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def served(answer: Answer, seconds: float = 5.0) -> AsyncIterator[tuple[HttpGet, Server]]:
    one = Server(answer)
    server = await asyncio.start_server(one.connected, "127.0.0.1", 0)
    get = HttpGet("127.0.0.1", server.sockets[0].getsockname()[1], None, seconds)
    async with server:
        yield get, one
        get.close()


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    while True:
        await head_of(reader)
        writer.write(OK)


def saying(answer: bytes) -> Answer:
    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        await head_of(reader)
        writer.write(answer)
        await writer.drain()

    return say


async def test_requests_one_after_the_other_take_one_connection() -> None:
    async with served(answering) as (get, server):
        assert [await get.get("/", HEADERS) for _ in range(3)] == [b"ok"] * 3
        assert server.connections == 1


async def test_requests_at_once_take_one_each() -> None:
    async with served(answering) as (get, server):
        assert await asyncio.gather(*(get.get("/", HEADERS) for _ in range(3))) == [b"ok"] * 3
        assert server.connections == 3


async def test_what_is_asked_for_and_the_headers_arrive() -> None:
    heads: list[bytes] = []

    async def hearing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        heads.append(await head_of(reader))
        writer.write(OK)

    async with served(hearing) as (get, _):
        await get.get("/a?b=c%2F", HEADERS | {"x-one": "1"})
    assert heads[0].startswith(b"GET /a?b=c%2F HTTP/1.1\r\n")
    assert b"x-one: 1\r\n" in heads[0]


async def test_a_body_in_chunks_is_whole() -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    async with served(saying(chunks)) as (get, _):
        assert await get.get("/", HEADERS) == b"abcde"


async def test_a_kept_connection_that_breaks_is_made_anew() -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        await head_of(reader)
        writer.write(OK)
        if number == 0:
            await head_of(reader)  # and closes without an answer

    async with served(once) as (get, server):
        assert await get.get("/", HEADERS) == await get.get("/", HEADERS) == b"ok"
        assert server.connections == 2


async def test_a_connection_that_was_kept_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_get, "IDLE_SECONDS", -1.0)
    async with served(answering) as (get, server):
        assert await get.get("/", HEADERS) == await get.get("/", HEADERS) == b"ok"
        assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno",
        b"HTTP/1.1 301 Moved\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n" + bytes(999_999),
        b"HTTP/1.1 200 OK\r\n" + b"x-long: " + b"x" * 200_000,
        b"220 mail.example ESMTP\r\n",
    ],
)
async def test_what_is_no_good_answer_is_refused(answer: bytes) -> None:
    async with served(saying(answer)) as (get, _):
        with pytest.raises((Refused, ConnectionError)):
            await get.get("/", HEADERS)


async def test_a_server_that_closes_without_an_answer_is_told() -> None:
    async with served(saying(b"")) as (get, _):
        with pytest.raises((Refused, ConnectionError)):
            await get.get("/", HEADERS)


async def test_a_server_that_hangs_is_given_up() -> None:
    async def hanging(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        await reader.read()

    async with served(hanging, seconds=0.05) as (get, _):
        with pytest.raises(TimeoutError):
            await get.get("/", HEADERS)


async def test_a_request_that_is_cancelled_leaves_no_connection_for_the_next() -> None:
    asked = asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        await head_of(reader)
        asked.set()
        if number > 0:
            writer.write(OK)
        await reader.read()

    async with served(slow) as (get, server):
        first = asyncio.create_task(get.get("/", HEADERS))
        await asked.wait()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert await get.get("/", HEADERS) == b"ok"
        assert server.connections == 2
