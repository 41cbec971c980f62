"""The event log on JetStream."""

import asyncio
import logging

import msgspec
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.publishing import PublishError

from .model import EventPage, LoggedEvent

log = logging.getLogger("coatcheck.retrieval")

_API = "$JS.API"
_NO_MESSAGE = 10037
_NOT_FOUND = 404
_AWAY = (NatsError, OSError, PublishError)
"""Where the server does not answer: nats-py's own errors, the builtin TimeoutError, a broken socket's, the log's."""
_LAG_SECONDS = 2.0
_LAG_PAUSE_SECONDS = 0.05


class _Stored(msgspec.Struct, frozen=True):
    seq: int
    data: bytes = b""


class _Failure(msgspec.Struct, frozen=True):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Found(msgspec.Struct, frozen=True):
    """The reply of `STREAM.MSG.GET`, without what we do not read."""

    message: _Stored | None = None
    error: _Failure | None = None


class StubLog:
    """The stub stream, as its leader has it.

    How far the wanted events reach is asked of the leader. They are read by direct gets, which in a cluster a replica
    may answer that lags: so a page waits for the first of them, and says `has_more` until the one that the leader named
    last was given out. A consumer for each page would be put on a server that is gone, as often as not, and not answer.
    """

    def __init__(self, client: Client, subjects: Subjects, *, timeout_seconds: float = 4.0) -> None:
        self._client = client
        self._subjects = subjects
        self._stream = subjects.stream("stubs")
        self._timeout = timeout_seconds
        self._jetstream = client.jetstream(timeout=timeout_seconds)
        self._log = JetStreamLog(client, self._stream, timeout_seconds)

    async def last_seq(self) -> int:
        try:
            info = await self._jetstream.stream_info(self._stream)
        except _AWAY as error:
            raise self._unavailable(error) from error
        return int(info.state.last_seq)

    async def page(self, session: str, turn: str | None, after_seq: int, limit: int, max_bytes: int) -> EventPage:
        subject = self._subjects.session_stubs(session) if turn is None else self._subjects.stubs(session, turn, "*")
        try:
            newest = await self._newest(subject)
            if newest <= after_seq:
                return EventPage(events=[], has_more=False)
            events = await self._read(subject, after_seq, limit, max_bytes)
        except _AWAY as error:
            raise self._unavailable(error) from error
        if not events:
            raise self._unavailable(TimeoutError(f"no event up to {newest} came within {_LAG_SECONDS} s"))
        return EventPage(events=events, has_more=events[-1].seq < newest)

    async def manifest(self, session: str, turn: str) -> LoggedEvent | None:
        subject = self._subjects.settled(TurnAddress(session, turn))
        try:
            found = await self._last(subject)
        except _AWAY as error:
            raise self._unavailable(error) from error
        return None if found is None else LoggedEvent(subject=subject, data=found.data, seq=found.seq)

    async def event_of(self, session: str, result_id: str) -> bytes | None:
        try:
            found = await self._last(self._subjects.stubs(session, "*", result_id))
        except _AWAY as error:
            raise self._unavailable(error) from error
        return None if found is None else found.data

    async def _newest(self, subject: str) -> int:
        """The newest event's sequence, or 0."""
        found = await self._last(subject)
        return 0 if found is None else found.seq

    async def _last(self, subject: str) -> _Stored | None:
        """By the leader, since a lagging replica may answer a direct get."""
        request = msgspec.json.encode({"last_by_subj": subject})
        reply = await self._client.request(f"{_API}.STREAM.MSG.GET.{self._stream}", request, timeout=self._timeout)
        found = msgspec.json.decode(reply.data, type=_Found)
        if found.message is not None:
            return found.message
        if found.error is not None and found.error.err_code == _NO_MESSAGE:
            return None
        if found.error is not None and found.error.code == _NOT_FOUND:
            raise NotFoundError(description=found.error.description)
        raise NatsError(found.error.description if found.error is not None else "an empty reply")

    async def _read(self, subject: str, after: int, limit: int, max_bytes: int) -> list[LoggedEvent]:
        """At most `limit` events, of not much over `max_bytes`; none where the replica that answers lags for long."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + _LAG_SECONDS
        while True:
            found = await self._log.read(subject, after, max_bytes, batch=limit)
            if found or clock() >= deadline:
                return [LoggedEvent(subject=one.subject, data=one.body, seq=one.sequence) for one in found]
            await asyncio.sleep(_LAG_PAUSE_SECONDS)

    def _unavailable(self, error: Exception) -> RequestError:
        log.warning("the event log %s cannot be read: %r", self._stream, error)
        if isinstance(error, NotFoundError):
            message = f"stream {self._stream} does not exist: run `coatcheck provision`"
        else:
            message = "the event stream does not answer; try again"
        return RequestError(Code.UNAVAILABLE, message)
