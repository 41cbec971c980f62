"""A TCP proxy in front of a server, to cut, stall and heal the connections that go through it."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

CHUNK = 65536


class Proxy:
    """Listens on a loopback port of its own. Made by `proxied`.

    `cut` ends every connection and lets none in; `stall` keeps them open, passes nothing on, either way, and lets none
    in; `stall_answers` stalls what the server says only. `heal` undoes them all: what was stalled flows again.
    """

    def __init__(self, host: str, port: int) -> None:
        self.connections = 0
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._refuses = False
        self._asks = asyncio.Event()
        self._answers = asyncio.Event()
        self._asks.set()
        self._answers.set()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        self._refuses = True
        for writer in self._writers:
            _reset(writer)

    def stall(self) -> None:
        self._refuses = True
        self._asks.clear()
        self._answers.clear()

    def stall_answers(self) -> None:
        self._answers.clear()

    def hang(self) -> None:
        """Let connections in and pass nothing on: a server that accepts and never answers."""
        self._asks.clear()
        self._answers.clear()

    def heal(self) -> None:
        self._refuses = False
        self._asks.set()
        self._answers.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            _reset(writer)
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            _reset(writer)
            return
        self.connections += 1
        for source, sink, flows in ((reader, far_writer, self._asks), (far_reader, writer, self._answers)):
            self._writers.add(sink)
            task = asyncio.create_task(self._pass_on(source, sink, flows))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, flows: asyncio.Event) -> None:
        try:
            while data := await source.read(CHUNK):
                await flows.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            self._writers.discard(sink)
            _reset(sink)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End with a reset, as a broken network does: an orderly end leaves nats-py's side half open."""
    connection: socket.socket | None = writer.get_extra_info("socket")
    if connection is not None and not writer.transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy in front of a server, and the server's URL through it, with its credentials."""
    pieces = urlsplit(url)
    assert pieces.hostname is not None
    assert pieces.port is not None
    proxy = Proxy(pieces.hostname, pieces.port)
    await proxy.start()
    credentials, at, _ = pieces.netloc.rpartition("@")
    try:
        yield proxy, pieces._replace(netloc=f"{credentials}{at}127.0.0.1:{proxy.port}").geturl()
    finally:
        await proxy.stop()
