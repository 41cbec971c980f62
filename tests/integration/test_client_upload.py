"""A file straight into object storage: stand-ins for the worker that gives the URL and for the store."""

import asyncio
import io
import os
import secrets
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import nats
import pytest
from nats.aio.msg import Msg
from tests.support.pieces import Streams, streams

import coatcheck
from coatcheck.client import putting
from coatcheck_schemas.errors import Code, InvalidInput
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.requests import UploadRequest
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer

UPLOAD = "put-any-" + "0" * 32
DATA = secrets.token_bytes(3 * 1024 * 1024 + 1)


class Store:
    """An HTTP server that takes PUTs; `statuses` are what it answers to the first ones, then 200."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.statuses: list[int] = []
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                store.headers.append(dict(self.headers.items()))
                store.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                status = store.statuses.pop(0) if store.statuses else 200
                self.send_response(status)
                self.end_headers()
                self.wfile.write(b"" if status == 200 else b"<Error>\nit is so</Error>")

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of its parent
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/bucket/key?X-Amz-Signature=hush"


class World:
    def __init__(self, client: coatcheck.Client, there: Streams, store: Store) -> None:
        self.client = client
        self.there = there
        self.store = store
        self.asked: list[UploadRequest] = []
        self.url = store.url


@asynccontextmanager
async def world(server: NatsServer) -> AsyncIterator[World]:
    store = Store()
    threading.Thread(target=store.server.serve_forever, daemon=True).start()
    worker = await nats.connect(server.url, connect_timeout=30)
    try:
        async with streams(server) as there, coatcheck.connect(server.url, prefix=there.prefix) as client:
            one = World(client, there, store)

            async def give_url(message: Msg) -> None:
                one.asked.append(msgspec.json.decode(message.data, type=UploadRequest))
                ok = {"upload": UPLOAD, "url": one.url, "headers": {"X-Own": "1"}, "expires_at": "2030-01-01T00:00:00Z"}
                await message.respond(msgspec.json.encode({"ok": ok}))

            async def give_stub(message: Msg) -> None:
                event = msgspec.json.decode(message.data)
                stub = StubEvent(
                    session_id="s1",
                    turn_id="",
                    call_id=event["call_id"],
                    tool_name=event["tool_name"],
                    disposition="offloaded",
                    content="stub",
                    created_at="2026-01-01T00:00:00.000Z",
                )
                subject = Subjects(there.prefix).stubs("s1", "=", result_id(event["call_id"], sha256_hex(DATA)))
                await worker.publish(subject, msgspec.json.encode(stub))

            await worker.subscribe(f"{there.prefix}.upload.s1", cb=give_url)
            await worker.subscribe(f"{there.prefix}.results.>", cb=give_stub)
            await worker.flush()
            yield one
    finally:
        await worker.close()
        store.server.shutdown()
        store.server.server_close()


async def test_a_file_is_put_and_then_named_by_its_event(nats_server: NatsServer, tmp_path: Path) -> None:
    path = tmp_path / "dump.bin"
    path.write_bytes(DATA)
    async with world(nats_server) as here:
        told: list[int] = []
        event = await here.client.upload(
            "s1", path, tool_name="dump", call="c", mime_type="x/y", progress=told.append, timeout=20
        )
        assert event.content == "stub"
        assert here.store.bodies == [DATA]
        assert here.store.headers[0]["X-Own"] == "1"
        assert here.asked == [UploadRequest(call_id="c", bytes=len(DATA))]
        (opening,) = await here.there.events()
        assert (opening["upload"], opening["call_id"], opening["mime_type"]) == (UPLOAD, "c", "x/y")
        assert told[-1] == len(DATA)


async def test_an_open_file_is_read_from_its_start(nats_server: NatsServer) -> None:
    async with world(nats_server) as here:
        file = io.BytesIO(DATA)
        file.seek(1000)
        await here.client.upload("s1", file, tool_name="dump", timeout=20)
        assert here.store.bodies == [DATA]


async def test_a_store_that_fails_is_tried_again_from_the_start(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(putting, "FIRST_DELAY", 0.01)
    async with world(nats_server) as here:
        here.store.statuses = [503, 500]
        await here.client.upload("s1", io.BytesIO(DATA), tool_name="dump", timeout=20)
        assert here.store.bodies == [DATA] * 3


async def test_a_store_that_keeps_failing_is_an_error_that_hides_the_signature(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(putting, "FIRST_DELAY", 0.01)
    async with world(nats_server) as here:
        here.store.statuses = [503] * 5
        with pytest.raises(coatcheck.RequestError, match=r"answers 503: <Error> it is so") as caught:
            await here.client.upload("s1", io.BytesIO(DATA), tool_name="dump")
        assert caught.value.code is Code.UNAVAILABLE
        assert "hush" not in str(caught.value)
        assert await here.there.events() == []


async def test_a_store_that_refuses_is_not_asked_again(nats_server: NatsServer) -> None:
    async with world(nats_server) as here:
        here.store.statuses = [403]
        with pytest.raises(coatcheck.RequestError, match=r"answers 403.*another URL"):
            await here.client.upload("s1", io.BytesIO(DATA), tool_name="dump")
        assert len(here.store.bodies) == 1


async def test_a_store_out_of_reach_says_so(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "FIRST_DELAY", 0.01)
    async with world(nats_server) as here:
        here.url = "http://127.0.0.1:1/bucket/key?X-Amz-Signature=hush"
        with pytest.raises(coatcheck.RequestError, match="does this host reach it") as caught:
            await here.client.upload("s1", io.BytesIO(DATA), tool_name="dump")
        assert "hush" not in str(caught.value)


async def test_a_url_of_another_kind_is_not_followed(nats_server: NatsServer) -> None:
    async with world(nats_server) as here:
        here.url = "file:///etc/passwd"
        with pytest.raises(coatcheck.RequestError, match="no HTTP one"):
            await here.client.upload("s1", io.BytesIO(DATA), tool_name="dump")


async def test_what_has_no_size_or_becomes_shorter_is_not_published(nats_server: NatsServer) -> None:
    class Shrinking(io.BytesIO):
        def seek(self, offset: int, whence: int = 0) -> int:
            return super().seek(offset, whence) + (10 if whence == os.SEEK_END else 0)

    async with world(nats_server) as here:
        read_end, write_end = os.pipe()
        with os.fdopen(read_end, "rb") as pipe, os.fdopen(write_end, "wb"), pytest.raises(InvalidInput, match="pieces"):
            await here.client.upload("s1", pipe, tool_name="dump")
        with pytest.raises(OSError, match="has become shorter"):
            await here.client.upload("s1", Shrinking(DATA), tool_name="dump")
        assert await here.there.events() == []


async def test_an_upload_that_is_cancelled_ends(nats_server: NatsServer) -> None:
    async with world(nats_server) as here:
        has_begun, may_go_on = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        class Slow(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                loop.call_soon_threadsafe(has_begun.set)
                may_go_on.wait(10)
                return super().read(size)

        uploading = asyncio.create_task(here.client.upload("s1", Slow(DATA), tool_name="dump"))
        await has_begun.wait()
        uploading.cancel()
        may_go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await uploading
        assert await here.there.events() == []
