"""The event log on JetStream."""

import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.subjects import Subjects

from .model import EventPage, LoggedEvent

log = logging.getLogger("coatcheck.retrieval")

_API = "$JS.API"
_NO_MESSAGE = 10037
_NOT_FOUND = 404
_HEARTBEAT = "100"
_AWAY = (NatsError, OSError)
"""What nats-py raises where the server does not answer: its own errors, the builtin TimeoutError, a broken socket's."""
_PULL_SECONDS = 2.0
_INACTIVE_SECONDS = 10.0
_PULL_SLACK_BYTES = 64 * 1024


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

    How far the wanted events reach is asked of the leader. They are read by a short-lived consumer, which in a cluster
    may live on a replica that lags: so its pull waits for the event that the leader named last, and a page says
    `has_more` until that one was given out. Nothing ever waits for an event that may not come.
    """

    def __init__(self, client: Client, subjects: Subjects, *, timeout_seconds: float = 4.0) -> None:
        self._client = client
        self._subjects = subjects
        self._stream = subjects.stream("stubs")
        self._timeout = timeout_seconds
        self._jetstream = client.jetstream(timeout=timeout_seconds)

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
            async with self._consumer(subject, after_seq + 1) as consumer:
                events = await self._pull(consumer, newest, limit, max_bytes)
        except _AWAY as error:
            raise self._unavailable(error) from error
        if not events:
            raise self._unavailable(TimeoutError(f"no event of {newest} came within {_PULL_SECONDS} s"))
        return EventPage(events=events, has_more=events[-1].seq < newest)

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

    @asynccontextmanager
    async def _consumer(self, subject: str, start_seq: int) -> AsyncIterator[str]:
        """A consumer for one page; where it cannot be deleted any more, the server drops it soon."""
        name = f"replay-{uuid.uuid4().hex}"
        config = ConsumerConfig(
            name=name,
            filter_subject=subject,
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=start_seq,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=_INACTIVE_SECONDS,
            mem_storage=True,
            num_replicas=1,
        )
        await self._jetstream.add_consumer(self._stream, config)
        try:
            yield name
        finally:
            with suppress(*_AWAY):
                await self._jetstream.delete_consumer(self._stream, name)

    async def _pull(self, consumer: str, newest: int, limit: int, max_bytes: int) -> list[LoggedEvent]:
        """The events up to `newest`: at most `limit`, in not much over twice `max_bytes` of memory.

        The pull's own bound in bytes is so far above one message's that the first always fits in it, and so far above
        a page's that a pull which the server ends for its bytes has filled the page.
        """
        inbox = self._client.new_inbox()
        subscription = await self._client.subscribe(inbox)
        request = {"batch": limit, "max_bytes": 2 * max_bytes + _PULL_SLACK_BYTES, "expires": int(_PULL_SECONDS * 1e9)}
        try:
            await self._client.publish(
                f"{_API}.CONSUMER.MSG.NEXT.{self._stream}.{consumer}", msgspec.json.encode(request), reply=inbox
            )
            return await self._receive(subscription, inbox, newest, limit, max_bytes)
        finally:
            with suppress(*_AWAY):
                await subscription.unsubscribe()

    async def _receive(
        self, subscription: Subscription, inbox: str, newest: int, limit: int, max_bytes: int
    ) -> list[LoggedEvent]:
        events: list[LoggedEvent] = []
        size = 0
        while len(events) < limit and size < max_bytes and not (events and events[-1].seq >= newest):
            try:
                message = await subscription.next_msg(timeout=_PULL_SECONDS + 1)
            except TimeoutError:
                break
            if message.subject == inbox:
                if _status(message) == _HEARTBEAT:
                    continue
                break  # the request is over: it expired, has filled its bytes, or the consumer is gone
            seq = message.metadata.sequence.stream
            events.append(LoggedEvent(subject=message.subject, data=message.data, seq=seq))
            size += len(message.data) + len(message.subject)
        return events

    def _unavailable(self, error: Exception) -> RequestError:
        log.warning("the event log %s cannot be read: %r", self._stream, error)
        if isinstance(error, NotFoundError):
            message = f"stream {self._stream} does not exist: run `coatcheck provision`"
        else:
            message = "the event stream does not answer; try again"
        return RequestError(Code.UNAVAILABLE, message)


def _status(message: Msg) -> str | None:
    return (message.headers or {}).get("Status")
