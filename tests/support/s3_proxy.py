"""A proxy in front of an S3 server that is slow, fails, hangs or goes away as told, request by request.

Bytes pass unaltered in both directions, the Host header too, so that signatures stay valid. It looks at the heads of
requests alone, and relies on what S3 clients do: the next request on a connection follows the answer to the last.
Protocols instead of streams make it cheap enough to stand in a benchmark.
"""

import asyncio
import random
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast
from urllib.parse import urlsplit

from tests.support.wait import eventually

MAX_HEAD_BYTES = 64 * 1024
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_BUSY = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>as told</Message></Error>"
_UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n"


class S3Proxy:
    """Listens on a loopback port of its own. Made by `s3_proxied`.

    `delay_seconds` is added to each request, for as long as it is set. `fail(share)` answers 503 to so many of the
    requests, which the server then never sees; `hang` lets connections and requests in and passes nothing on, either
    way; `refuse` resets every connection. `heal` undoes these three: what hung flows again.
    """

    def __init__(self, host: str, port: int, seed: int = 0) -> None:
        self.delay_seconds = 0.0
        self.requests = 0
        self.failed = 0
        self.target = (host, port)
        self.links: set[Link] = set()
        self.hear: Callable[[bytes], None] | None = None
        """Is given the head of each request."""
        self.hangs = False
        self.refuses = False
        self._share = 0.0
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        self._server = await asyncio.get_running_loop().create_server(lambda: Link(self), "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.refuse()
        await self._server.wait_closed()
        await eventually(lambda: not self.links, expecting="the end of every connection")

    def fail(self, share: float) -> None:
        self._share = share

    def hang(self) -> None:
        self.hangs = True
        for link in self.links:
            link.hold("hang")

    def refuse(self) -> None:
        self.refuses = True
        for link in self.links:
            link.reset()

    def heal(self) -> None:
        self._share = 0.0
        self.hangs = self.refuses = False
        for link in self.links:
            link.release("hang")

    def fails_next(self) -> bool:
        """Whether the request that just came is answered 503; counts it."""
        self.requests += 1
        fails = self._random.random() < self._share
        self.failed += fails
        return fails


class _Side(asyncio.Protocol):
    """One connection; reads nothing while there is a reason to hold it, first of all that its `other` side is full."""

    def __init__(self, other: "_Side | None" = None) -> None:
        self.transport: asyncio.Transport | None = None
        self.other = other
        self.holds: set[str] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        if self.holds:
            self.transport.pause_reading()

    def hold(self, reason: str) -> None:
        if not self.holds and self.transport is not None:
            self.transport.pause_reading()
        self.holds.add(reason)

    def release(self, reason: str) -> None:
        if reason not in self.holds:
            return
        self.holds.remove(reason)
        if not self.holds and self.transport is not None and not self.transport.is_closing():
            self.transport.resume_reading()

    def write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.hold("full")

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.release("full")

    def connection_lost(self, _: Exception | None) -> None:
        """End the other side as well, once what was written to it is out."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()

    def reset(self) -> None:
        """End with a reset, as a broken network does."""
        if self.transport is None or self.transport.is_closing():
            return
        connection: socket.socket = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


class _Server(_Side):
    """The side towards the server: its answers pass as they come."""

    def data_received(self, data: bytes) -> None:
        assert self.other is not None
        self.other.write(data)


class Link(_Side):
    """The side towards a client: its requests one by one, each passed on whole or answered here."""

    def __init__(self, proxy: S3Proxy) -> None:
        self._server = _Server(self)
        super().__init__(self._server)
        self._proxy = proxy
        self._waiting = bytearray()
        self._left = 0
        """Bytes of the present request, its head included, that are still to be passed on; 0: none is under way."""
        self._fails = False
        self._unavailable = b""
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self._proxy.refuses:
            self.reset()
            return
        self._proxy.links.add(self)
        self.hold("connecting")
        if self._proxy.hangs:
            self.hold("hang")
        self._connecting = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: self._server, *self._proxy.target)
        except OSError:
            self.reset()
        else:
            self.release("connecting")

    def connection_lost(self, error: Exception | None) -> None:
        self._proxy.links.discard(self)
        if self._connecting is not None:
            self._connecting.cancel()
        super().connection_lost(error)

    def hold(self, reason: str) -> None:
        super().hold(reason)
        if reason == "hang":
            self._server.hold(reason)

    def release(self, reason: str) -> None:
        super().release(reason)
        if reason == "hang":
            self._server.release(reason)
        self._flow()

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        self._flow()

    def _flow(self) -> None:
        while self._waiting and not self.holds:
            if not self._left:
                if not self._begin():
                    return
                continue
            piece = bytes(self._waiting[: self._left])
            del self._waiting[: len(piece)]
            self._left -= len(piece)
            if not self._fails:
                self._server.write(piece)
            elif not self._left:
                self.write(self._unavailable)

    def _begin(self) -> bool:
        """Read the head of the next request and settle what becomes of it; false where the head is not whole yet."""
        end = self._waiting.find(_HEAD_END)
        if end < 0:
            if len(self._waiting) > MAX_HEAD_BYTES:
                self.reset()
            return False
        head = bytes(self._waiting[:end])
        if _CHUNKED.search(head):  # S3 wants a length, so its clients send one
            self.reset()
            return False
        length = _LENGTH.search(head)
        self._left = end + len(_HEAD_END) + (int(length[1]) if length else 0)
        self._fails = self._proxy.fails_next()
        if self._proxy.hear is not None:
            self._proxy.hear(head)
        if self._fails:
            body = b"" if head.startswith(b"HEAD ") else _BUSY
            self._unavailable = _UNAVAILABLE % len(body) + body
        if self._proxy.delay_seconds:
            self.hold("delay")
            release = partial(self.release, "delay")
            asyncio.get_running_loop().call_later(self._proxy.delay_seconds, release)
        return True


@asynccontextmanager
async def s3_proxied(endpoint: str, seed: int = 0) -> AsyncIterator[tuple[S3Proxy, str]]:
    """A proxy in front of an S3 server, and the endpoint through it."""
    pieces = urlsplit(endpoint)
    assert pieces.hostname is not None
    assert pieces.port is not None
    proxy = S3Proxy(pieces.hostname, pieces.port, seed)
    await proxy.start()
    try:
        yield proxy, pieces._replace(netloc=f"127.0.0.1:{proxy.port}").geturl()
    finally:
        await proxy.stop()
