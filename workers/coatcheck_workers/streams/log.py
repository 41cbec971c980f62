"""Read a JetStream stream by subject, a batch a request, without a consumer."""

import asyncio
import itertools
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError

from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.words import in_words

_BATCH = 1000
_ENDS = ("204", "404")
"""End of the batch; nothing found."""
_SUBJECT, _SEQUENCE, _TIME = "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp"


class JetStreamLog:
    """One stream, which must allow direct gets. Any trouble is a PublishError: to try again is safe."""

    def __init__(self, client: Client, stream: str, timeout_seconds: float) -> None:
        self._client = client
        self._jetstream = client.jetstream(timeout=timeout_seconds)
        self._stream = stream
        self._timeout_seconds = timeout_seconds
        self._tokens = itertools.count()
        self._readings: dict[str, _Reading] = {}
        self._subscribing = asyncio.Lock()
        self._inbox: str | None = None

    async def read(self, pattern: str, after: int, max_bytes: int, batch: int = _BATCH) -> list[Kept]:
        """By a direct get, which a replica may answer that lags behind its leader."""
        request = {"next_by_subj": pattern, "seq": after + 1, "batch": batch, "max_bytes": max_bytes}
        try:
            inbox = self._inbox or await self._subscribe()
            token = str(next(self._tokens))
            reading = self._readings[token] = _Reading()
            try:
                subject = f"$JS.API.DIRECT.GET.{self._stream}"
                await self._client.publish(subject, msgspec.json.encode(request), reply=f"{inbox}.{token}")
                return await asyncio.wait_for(reading.done, self._timeout_seconds)
            finally:
                del self._readings[token]
        except (NatsError, TimeoutError) as error:
            raise self._trouble(pattern, error) from error

    async def _subscribe(self) -> str:
        """Once, for all answers: a subscription for each would cost two more messages a read."""
        async with self._subscribing:
            if self._inbox is None:
                inbox: str = self._client.new_inbox()
                await self._client.subscribe(f"{inbox}.*", cb=self._hear, pending_msgs_limit=-1, pending_bytes_limit=-1)
                self._inbox = inbox
            return self._inbox

    async def _hear(self, message: Msg) -> None:
        reading = self._readings.get(message.subject.rpartition(".")[2])
        if reading is not None:
            reading.hear(message)

    async def last(self, subject: str) -> Kept | None:
        return await self._ask(subject=subject)

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        """The oldest message under the pattern after a sequence, as the stream's leader has it."""
        return await self._ask(seq=after + 1, subject=pattern, next=True)

    async def _ask(self, **request: Any) -> Kept | None:
        try:
            raw = await self._jetstream.get_msg(self._stream, **request)
        except NotFoundError:
            return None
        except (NatsError, JetStreamError, TimeoutError) as error:
            raise self._trouble(str(request), error) from error
        return Kept(
            subject=raw.subject or "",
            sequence=raw.seq or 0,
            at=parse_nats_time(str(raw.time)),
            headers=raw.headers or {},
            body=raw.data or b"",
        )

    async def purge(self, pattern: str, through: int | None = None) -> None:
        try:
            before = None if through is None else through + 1
            await self._jetstream.purge_stream(self._stream, subject=pattern, seq=before)
        except (NatsError, JetStreamError, TimeoutError) as error:
            raise self._trouble(pattern, error) from error

    def _trouble(self, what: str, error: Exception) -> PublishError:
        return PublishError(f"{self._stream}: {what}: {in_words(error, self._timeout_seconds)}")


class _Reading:
    """One direct get: messages, then a status that ends them."""

    def __init__(self) -> None:
        self.done: asyncio.Future[list[Kept]] = asyncio.get_running_loop().create_future()
        self._messages: list[Kept] = []

    def hear(self, message: Msg) -> None:
        headers = message.headers or {}
        if self.done.done():
            return
        if _SEQUENCE in headers:
            self._messages.append(_kept(headers, message.data))
        elif headers.get("Status") in _ENDS:
            self.done.set_result(self._messages)
        else:
            what = f"{headers.get('Status')} {headers.get('Description')}"
            self.done.set_exception(NatsError(what))


def _kept(headers: Mapping[str, str], body: bytes) -> Kept:
    return Kept(
        subject=headers[_SUBJECT],
        sequence=int(headers[_SEQUENCE]),
        at=parse_nats_time(headers[_TIME]),
        headers=headers,
        body=body,
    )


def parse_nats_time(text: str) -> datetime:
    """RFC 3339 with up to nine digits of a second, of which a datetime keeps six."""
    seconds, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(seconds).replace(microsecond=int(fraction[:6].ljust(6, "0") or 0), tzinfo=UTC)
