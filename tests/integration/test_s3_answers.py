"""What a server, a proxy or nobody answers in place of S3: each is one of the StoreErrors, in bounded time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.ports import reserved_port

from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import ObjectNotFound, StoreError, StoreRejected, StoreUnavailable
from coatcheck_schemas.store import Store
from coatcheck_workers.storage import open_store
from coatcheck_workers.storage.pace import PART_BYTES

HTML = "<html><body><h1>{}</h1></body></html>"


@asynccontextmanager
async def answering(status: str, body: str = "", kind: str = "text/html") -> AsyncIterator[Store]:
    """A store whose server says this to everything."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    async with server:
        yield store_at(server.sockets[0].getsockname()[1])


def store_at(port: int, seconds: float = 30) -> Store:
    endpoint = f"http://127.0.0.1:{port}"
    return open_store(
        StorageSettings(endpoint=endpoint, access_key="key", secret_key="secret", timeout_seconds=seconds)
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("502 Bad Gateway", StoreUnavailable),
        ("503 Slow Down", StoreUnavailable),
        ("500 Internal Server Error", StoreUnavailable),
        ("403 Forbidden", StoreRejected),
        ("404 Not Found", ObjectNotFound),
    ],
)
async def test_html_of_a_proxy_is_classified_by_its_status(status: str, error: type[StoreError]) -> None:
    async with answering(status, HTML.format(status)) as store:
        with pytest.raises(error):
            await store.get("some/key")


async def test_write_that_meets_404_means_a_missing_bucket() -> None:
    async with answering("404 Not Found", HTML.format("gone")) as store:
        with pytest.raises(StoreRejected, match="bucket"):
            await store.put("some/key", b"x")


@pytest.mark.parametrize("size", [1, 2 * PART_BYTES])
async def test_stream_that_meets_404_means_a_missing_bucket(size: int) -> None:
    async def source() -> AsyncIterator[bytes]:
        yield b"x" * size

    async with answering("404 Not Found", HTML.format("gone")) as store:
        with pytest.raises(StoreRejected, match="bucket"):
            await store.put_stream("some/key", source())


@pytest.mark.parametrize(
    ("status", "error"),
    [("502 Bad Gateway", StoreUnavailable), ("403 Forbidden", StoreRejected)],
)
async def test_html_of_a_proxy_is_classified_where_a_stream_s_rest_is_abandoned(
    status: str, error: type[StoreError]
) -> None:
    async with answering(status, HTML.format(status)) as store:
        with pytest.raises(error):
            await store.abandon("some/key")


@pytest.mark.parametrize("read", ["get", "get_range"])
async def test_number_416_in_a_key_is_no_empty_object(read: str) -> None:
    async with answering("502 Bad Gateway", HTML.format("416 things")) as store:
        key = "v1/416/output-416"
        with pytest.raises(StoreUnavailable):
            await (store.get(key) if read == "get" else store.get_range(key, 0, 10))


async def test_nobody_listening_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        await store_at(reserved_port()).put("some/key", b"x")


async def test_server_that_never_answers_is_given_up_at_the_timeout() -> None:
    forever = asyncio.Event()
    writers: list[asyncio.StreamWriter] = []

    async def hold(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await forever.wait()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    try:
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(store_at(server.sockets[0].getsockname()[1], 0.5).get("some/key"), 60)
    finally:
        forever.set()
        for writer in writers:
            writer.close()
        server.close()
