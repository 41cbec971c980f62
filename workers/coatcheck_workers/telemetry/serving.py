"""A small HTTP/1.1 server on the worker's event loop, for probes and Prometheus: one GET or HEAD a connection.

Whoever connects may be anybody: what one sends is bounded in size and time, and of many at once the oldest go. h11
reads the protocol. A framework's server has none of these bounds on headers that come slowly, and would be a
dependency many times its size.
"""

import asyncio
import enum
import logging
from collections.abc import Callable
from functools import partial
from http import HTTPStatus

import h11
import msgspec

from coatcheck_schemas.errors import CoatcheckError

log = logging.getLogger("coatcheck.http")

MAX_CONNECTIONS = 64
MAX_HEAD_BYTES = 16 * 1024
REQUEST_SECONDS = 5.0
"""From the connection to the whole of its request."""
ANSWER_SECONDS = 5.0
"""To take in the answer."""
_READ_BYTES = 4096


class CannotListen(CoatcheckError):
    """The address is not to be had; the message says what to change."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What is answered to one request."""

    status: HTTPStatus
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


Pages = Callable[[str, str], Page | None]
"""The page of a path, for an `Accept` header; None where there is none."""


class _Stage(enum.Enum):
    """How far one who is connected has come."""

    ASKING = enum.auto()
    ANSWERED = enum.auto()
    LET_GO = enum.auto()


class HttpServer:
    """Serves pages; a page is made on the event loop, and so must be quick."""

    def __init__(self, pages: Pages, host: str, port: int) -> None:
        self._pages = pages
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._serving: dict[asyncio.Task[None], _Stage] = {}

    async def start(self) -> None:
        """Raises CannotListen."""
        try:
            self._server = await asyncio.start_server(
                self._accept, self._host, self._port, limit=MAX_HEAD_BYTES, backlog=MAX_CONNECTIONS
            )
        except (OSError, OverflowError, ValueError) as error:  # the last for a host that no resolver takes
            raise CannotListen(
                f"http.host {self._host!r} and http.port {self._port} cannot be listened on ({error}): choose others,"
                " or http.port 0 for no HTTP server"
            ) from error

    @property
    def url(self) -> str:
        """Where it answers, once it is started: with the port that it got."""
        assert self._server is not None, "it is not started"  # noqa: S101
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def close(self) -> None:
        """Listen no more, and let go of whoever is connected."""
        if self._server is not None:
            self._server.close()
        for task in list(self._serving):
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._serving[task] = _Stage.ASKING
        task.add_done_callback(partial(self._ended, writer))
        self._make_room()

    def _ended(self, writer: asyncio.StreamWriter, task: asyncio.Task[None]) -> None:
        del self._serving[task]
        if writer.transport.get_write_buffer_size():
            writer.transport.abort()
        else:
            writer.close()

    def _make_room(self) -> None:
        """Let go of the one that has had the longest to ask, or else to take in its answer: never of the newest.

        So connections that are held open keep no probe from its answer, without which a worker is taken for dead.
        """
        here = [task for task, stage in self._serving.items() if stage is not _Stage.LET_GO]
        if len(here) > MAX_CONNECTIONS:
            oldest = next((task for task in here[:-1] if self._serving[task] is _Stage.ASKING), here[0])
            self._serving[oldest] = _Stage.LET_GO
            oldest.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = asyncio.current_task()
        assert own is not None, "it is run as a task"  # noqa: S101
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        try:
            page, is_head = await self._asked(connection, reader)
            self._serving[own] = _Stage.ANSWERED
            await self._answer(connection, writer, page, is_head=is_head)
        except (OSError, TimeoutError, EOFError, h11.ProtocolError):
            pass  # whoever asked has gone, or does not speak HTTP any further

    async def _asked(self, connection: h11.Connection, reader: asyncio.StreamReader) -> tuple[Page, bool]:
        """The page for what comes, and whether without its body. Raises EOFError where nothing does."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                request = await _request(connection, reader)
        except TimeoutError:
            return _plain(HTTPStatus.REQUEST_TIMEOUT), False
        except h11.RemoteProtocolError as error:
            return _plain(HTTPStatus(error.error_status_hint)), False
        if request.method not in (b"GET", b"HEAD"):
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED), False
        path = request.target.partition(b"?")[0].decode("ascii", "replace")
        accept = next((value for name, value in request.headers if name == b"accept"), b"")
        page = self._page(path, accept.decode("ascii", "replace"))
        return page or _plain(HTTPStatus.NOT_FOUND), request.method == b"HEAD"

    def _page(self, path: str, accept: str) -> Page | None:
        try:
            return self._pages(path, accept)
        except Exception:
            log.exception("the page %s could not be made", path)
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)

    async def _answer(
        self, connection: h11.Connection, writer: asyncio.StreamWriter, page: Page, *, is_head: bool
    ) -> None:
        headers = [
            ("content-type", page.content_type),
            ("content-length", str(len(page.body))),
            ("cache-control", "no-store"),
            ("connection", "close"),
        ]
        if page.status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append(("allow", "GET, HEAD"))
        response = h11.Response(status_code=page.status, headers=headers, reason=page.status.phrase.encode())
        head = connection.send(response)
        writer.write((head or b"") + (b"" if is_head else page.body))
        async with asyncio.timeout(ANSWER_SECONDS):
            await writer.drain()
            writer.close()
            await writer.wait_closed()


async def _request(connection: h11.Connection, reader: asyncio.StreamReader) -> h11.Request:
    """Raises h11.RemoteProtocolError for what is none or is too large, EOFError where the other end has gone."""
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            return event
        if event is not h11.NEED_DATA:
            raise EOFError
        connection.receive_data(await reader.read(_READ_BYTES))


def _plain(status: HTTPStatus) -> Page:
    return Page(status=status, body=f"{status.phrase}\n".encode())
