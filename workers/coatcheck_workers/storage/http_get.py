"""A GET of something small over HTTP/1.1, on a connection that is kept for the next: as h11 has the protocol.

For the one request of S3 that obstore has not and that is asked in a hot path, where a thread would cost more than the
request. What goes wrong is an OSError, a TimeoutError, or Refused.
"""

import asyncio
import ssl
from collections.abc import Mapping

import h11

MOST_IDLE = 8
IDLE_SECONDS = 10.0
"""Servers close connections after that, or later."""
MOST_BYTES = 256 * 1024
_PIECE_BYTES = 64 * 1024


class Refused(Exception):
    """The server answered: with another status than 200, with more than is read here, or with what is no HTTP."""


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._protocol = h11.Connection(h11.CLIENT)
        self._loop = asyncio.get_running_loop()
        self._until = 0.0

    def is_usable(self) -> bool:
        if asyncio.get_running_loop() is not self._loop or self._reader.at_eof() or self._writer.is_closing():
            return False
        return self._loop.time() < self._until

    async def get(self, target: str, headers: Mapping[str, str]) -> bytes:
        request = h11.Request(method="GET", target=target, headers=list(headers.items()))
        self._writer.write((self._protocol.send(request) or b"") + (self._protocol.send(h11.EndOfMessage()) or b""))
        status, body = 0, bytearray()
        while not isinstance(event := await self._next(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > MOST_BYTES:
                    raise Refused(f"more than {MOST_BYTES} bytes")
            elif isinstance(event, h11.ConnectionClosed):
                raise ConnectionResetError("the connection was closed")
        if status != 200:
            raise Refused(f"status {status}: {bytes(body[:300])!r}")
        return bytes(body)

    def rest(self) -> bool:
        """Whether it may be used once more."""
        if self._protocol.our_state is not h11.DONE or self._protocol.their_state is not h11.DONE:
            return False
        self._protocol.start_next_cycle()
        self._until = self._loop.time() + IDLE_SECONDS
        return True

    def close(self) -> None:
        if not self._loop.is_closed():
            self._writer.transport.abort()

    async def _next(self) -> object:
        while (event := self._protocol.next_event()) is h11.NEED_DATA:
            self._protocol.receive_data(await self._reader.read(_PIECE_BYTES))
        return event


class HttpGet:
    """Of one server. `close` lets go of the connections that are kept."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None, seconds: float) -> None:
        self._host = host
        self._port = port
        self._tls = tls
        self._seconds = seconds
        self._idle: list[_Connection] = []

    async def get(self, target: str, headers: Mapping[str, str]) -> bytes:
        """The body of an answer with status 200."""
        async with asyncio.timeout(self._seconds):
            kept = self._kept()
            if kept is not None:
                try:
                    return await self._get(kept, target, headers)
                except (ConnectionError, h11.ProtocolError):
                    self.close()  # the server has let go of it, and so maybe of the others
            try:
                return await self._get(await self._connected(), target, headers)
            except h11.ProtocolError as error:
                raise Refused(f"no answer of HTTP: {error}") from error

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    async def _get(self, connection: _Connection, target: str, headers: Mapping[str, str]) -> bytes:
        is_resting = False
        try:
            body = await connection.get(target, headers)
            is_resting = connection.rest() and len(self._idle) < MOST_IDLE
            return body
        finally:
            if is_resting:
                self._idle.append(connection)
            else:
                connection.close()

    def _kept(self) -> _Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable():
                return connection
            connection.close()
        return None

    async def _connected(self) -> _Connection:
        return _Connection(*await asyncio.open_connection(self._host, self._port, ssl=self._tls))
