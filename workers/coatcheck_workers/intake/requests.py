"""Feed a FastStream subscriber on core NATS with one task a request.

Callbacks are serial per subscription, so that one slow request would hold all others of its kind; FastStream's own
concurrent form costs three times the CPU. Only requests that may be answered get in.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from .pull import Consume

log = logging.getLogger("coatcheck.requests")


class Requests:
    """The requests of one subject, at most `in_flight` at a time; the rest wait their turn."""

    def __init__(
        self,
        client: Client,
        subject: str,
        queue: str,
        consume: Consume,
        *,
        in_flight: int,
        inbox_prefixes: Sequence[str],
    ) -> None:
        self._client = client
        self._subject = subject
        self._queue = queue
        self._consume = consume
        self._slots = asyncio.Semaphore(in_flight)
        self._inbox_prefixes = tuple(inbox_prefixes)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._subscription: Subscription | None = None
        self._draining: asyncio.Task[None] | None = None
        self.dropped = 0

    async def start(self) -> None:
        self._subscription = await self._client.subscribe(self._subject, queue=self._queue, cb=self._receive)

    async def unsubscribe(self) -> None:
        """Take nothing more; what was taken, or waits for its turn, is answered."""
        if self._subscription is not None and not self._client.is_closed:
            subscription, self._subscription = self._subscription, None
            self._draining = asyncio.create_task(_drain(subscription))

    async def finish(self, grace_seconds: float) -> None:
        """Wait for the answers; what has none at the end of the grace period gets none."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + grace_seconds
        if self._draining is not None:
            await asyncio.wait({self._draining}, timeout=grace_seconds)
            self._draining.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - clock()))
        for task in list(self._tasks):
            task.cancel()

    @property
    def waiting(self) -> int:
        """How many have come and wait for a slot."""
        queued = self._subscription.pending_msgs if self._subscription is not None else 0
        return queued + self._slots.locked()

    async def _receive(self, message: Msg) -> None:
        if not message.reply.startswith(self._inbox_prefixes):
            # A reply to any other subject could be made to land in someone's stream.
            self.dropped += 1
            log.warning("dropped a request on %r: its reply subject %r is no inbox", message.subject, message.reply)
            return
        await self._slots.acquire()
        task = asyncio.ensure_future(self._consume(message))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        self._slots.release()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a request's handler raised past every middleware", exc_info=error)


async def _drain(subscription: Subscription) -> None:
    """Away from the server there is nothing to drain; who asks hears of it by the time that is over."""
    with suppress(NatsError):
        await subscription.drain()  # type: ignore[no-untyped-call]
