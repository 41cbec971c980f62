"""Feed a FastStream subscriber from a durable pull consumer, each message as it arrives.

FastStream's own pull takes a batch and waits for the whole of it, so that one slow message holds the others; its
concurrent form costs twice the CPU. Here one request for as many messages as there are free slots is outstanding;
what arrives starts at once, and nothing waits in memory with its ack_wait running.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from coatcheck_workers.process.about import about
from coatcheck_workers.process.vital import ended, vital

from .lending import IN_HAND, InHand
from .places import Places

log = logging.getLogger("coatcheck.pull")

Consume = Callable[[Msg], Awaitable[Any]]

_HEARTBEAT = "100"
_DRAIN_SECONDS = 1.0
_GATHER_SECONDS = 0.01
_REFUSALS = ("503", "409")
"""No responders, or the consumer or its leader has gone: ask again, but not in a hot loop."""
_NO_REFUSAL = ("message size exceeds maxbytes", "batch completed")
"""What a 409 says of a request that was served."""


class Pull:
    """One worker's share of a consumer, bounded in messages and in bytes.

    Every `progress_seconds` the server hears that the work on what is in hand goes on: a short ack_wait then finds a
    dead worker soon, and spares a slow one.
    """

    def __init__(
        self,
        client: Client,
        stream: str,
        consumer: str,
        consume: Consume,
        *,
        in_flight: int,
        in_flight_bytes: int,
        largest_message_bytes: int,
        expires_seconds: float = 30.0,
        heartbeat_seconds: float = 1.0,
        progress_seconds: float | None = None,
    ) -> None:
        self._client = client
        self._stream = stream
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._consume = consume
        self._places = Places(in_flight, in_flight_bytes, largest_message_bytes)
        self._in_flight_bytes = in_flight_bytes
        self._largest = largest_message_bytes
        self._expires = expires_seconds
        self._heartbeat = heartbeat_seconds
        self._silence = 2.5 * heartbeat_seconds
        self._progress = progress_seconds
        self._heard = 0.0
        self._inbox = client.new_inbox()
        self._subscription: Subscription | None = None
        self._asking: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._tasks: dict[asyncio.Task[Any], Msg] = {}
        self._expected = 0
        self._refusals = 0
        self._refused = False
        self._stopping = False
        self._wake = asyncio.Event()
        self._many = in_flight // 4
        self._many_free = asyncio.Event()

    async def start(self) -> None:
        self._subscription = await self._client.subscribe(
            self._inbox, cb=self._receive, pending_bytes_limit=2 * self._in_flight_bytes + self._largest
        )
        self._asking = vital(self._ask_for_ever(), "coatcheck-pull")
        if self._progress is not None:
            self._telling = vital(self._tell_for_ever(self._progress), "coatcheck-progress")

    async def unsubscribe(self) -> None:
        """Take nothing more; what arrives on the way is handed back at once. Running handlers go on."""
        self._stopping = True
        if self._asking is not None:
            await ended([self._asking])
        if self._subscription is not None and not self._client.is_closed:
            subscription, self._subscription = self._subscription, None
            # Away from the server there is nothing to drain, and no end to it; ack_wait hands it to another.
            with suppress(NatsError, TimeoutError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    await subscription.drain()  # type: ignore[no-untyped-call]

    async def finish(self, grace_seconds: float) -> None:
        """Wait for the running handlers; hand back what is not done in time, so that another worker takes it now."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace_seconds)
        if self._telling is not None:
            await ended([self._telling])
        for task, message in list(self._tasks.items()):
            task.cancel()
            if not message.is_acked:
                told = "handed back unfinished at the end of the grace period: %r"
                log.warning(told, message.subject, extra=about(message.subject))
                with suppress(NatsError):  # the connection is gone: ack_wait hands it to another
                    await message.nak()

    def lend(self, message: Msg) -> None:
        """Let another message in: the work on this one waits. Nothing happens where too much is lent already."""
        if self._places.lend(id(message)):
            self._freed()

    def take_back(self, message: Msg) -> None:
        """The work on a message that lent its place goes on; at its end that happens by itself."""
        self._places.take_back(id(message))

    @property
    def in_flight(self) -> int:
        """Messages in hand."""
        return len(self._tasks)

    @property
    def in_flight_bytes(self) -> int:
        return self._in_flight_bytes - self._places.free_bytes

    @property
    def stream(self) -> str:
        return self._stream

    @property
    def waits_for_consumer(self) -> bool:
        """Whether the last requests were refused: the stream or the consumer is missing."""
        return self._refusals > 0

    async def _receive(self, message: Msg) -> None:
        self._heard = asyncio.get_running_loop().time()
        status = (message.headers or {}).get("Status") if not message.data else None
        if status is not None and not message.reply.startswith("$JS.ACK."):
            self._hear(status, (message.headers or {}).get("Description", ""))
            return
        if self._stopping:
            await message.nak()
            return
        self._expected -= 1
        self._refusals = 0
        self._places.take(id(message), _size(message))
        token = IN_HAND.set(InHand(self, message))
        task = asyncio.ensure_future(self._consume(message))
        IN_HAND.reset(token)
        self._tasks[task] = message
        task.add_done_callback(self._finished)
        if self._expected <= 0:
            self._wake.set()

    def _hear(self, status: str, description: str) -> None:
        if status == _HEARTBEAT:
            self._refusals = 0  # an idle consumer that serves again says nothing else
            return
        self._expected = 0
        if status not in _REFUSALS or description.lower() in _NO_REFUSAL:
            self._refusals = 0
        else:
            self._refused = True
            self._refusals += 1
            if self._refusals in (1, 10) or self._refusals % 100 == 0:
                log.error(
                    "nothing can be taken from %s (%s %s): it has no leader now, or is not provisioned",
                    self._stream,
                    status,
                    description,
                )
        self._wake.set()

    def _finished(self, task: "asyncio.Task[Any]") -> None:
        message = self._tasks.pop(task)
        self._places.leave(id(message))
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a handler raised past every middleware", exc_info=error)
        self._freed()

    def _freed(self) -> None:
        if self._places.free >= self._many:
            self._many_free.set()
        if self._expected <= 0:
            self._wake.set()

    async def _tell_for_ever(self, every_seconds: float) -> None:
        while True:
            await asyncio.sleep(every_seconds)
            for message in list(self._tasks.values()):
                if message.is_acked:
                    continue
                try:
                    await message.in_progress()
                except Exception as error:
                    # Away from the server: what is not done in time comes again after ack_wait.
                    log.warning("could not tell that the work goes on: %r", error)
                    break

    async def _ask_for_ever(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            if self._expected <= 0 and self._has_room():
                if self._places.free < self._many:
                    await self._until_many_are_free()
                if self._has_room():  # a place that was lent may be taken back meanwhile
                    await self._ask(self._places.free, self._places.free_bytes)
            self._wake.clear()
            patience = self._heard + self._silence - clock() if self._expected > 0 else self._silence
            try:
                await asyncio.wait_for(self._wake.wait(), max(0.0, patience))
            except TimeoutError:
                # Only silence says that the request is lost: one asked beside one that lives would break the bounds.
                if clock() - self._heard >= self._silence:
                    self._expected = 0
            if self._refused:
                self._refused = False
                await asyncio.sleep(min(5.0, 0.2 * 2 ** min(self._refusals, 6)))

    def _has_room(self) -> bool:
        return self._places.free > 0 and self._places.free_bytes >= self._largest

    async def _until_many_are_free(self) -> None:
        """One request for several slots costs what one for each of them would; a moment's wait bounds the delay."""
        self._many_free.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GATHER_SECONDS):
                await self._many_free.wait()

    async def _ask(self, batch: int, max_bytes: int) -> None:
        self._expected = batch
        self._heard = asyncio.get_running_loop().time()
        request = {
            "batch": batch,
            "max_bytes": max_bytes,
            "expires": int(self._expires * 1e9),
            "idle_heartbeat": int(self._heartbeat * 1e9),
        }
        try:
            await self._client.publish(self._next, msgspec.json.encode(request), reply=self._inbox)
        except Exception as error:
            # Disconnected with the outbound buffer full, or closing: the wait that follows asks again.
            log.warning("could not ask for results: %r", error)


def _size(message: Msg) -> int:
    headers = sum(len(name) + len(value) for name, value in message.headers.items()) if message.headers else 0
    return len(message.data) + len(message.subject) + headers
