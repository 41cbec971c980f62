"""Feed a FastStream subscriber on core NATS with one task a request.

Callbacks are serial per subscription, so that one slow request would hold all others of its kind; FastStream's own
concurrent form costs three times the CPU, and takes whoever comes first. Only requests that may be answered get in, and
each of these gets one reply, its answer or which limit it met: whoever asks never waits for nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from time import perf_counter

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from coatcheck_core.fairness import Line
from coatcheck_core.settings.relations import CANCEL_SECONDS
from coatcheck_core.tally import Tally
from coatcheck_schemas.errors import RequestError

from .answered import DROPPED, UNSENT, Observe, Watch
from .asked import Asked, Refusal, session_of, size_of, verb_of
from .pull import Consume
from .request_limits import RequestLimits, no_room, stopping, too_large, took_too_long, waited_too_long

log = logging.getLogger("coatcheck.requests")

PENDING_MESSAGES = 512 * 1024
PENDING_BYTES = 64 * 1024 * 1024
"""What nats-py may hold of a subscription before it drops. What comes is let in, or refused, as fast as it is read, so
that some hundred KiB are there at most; and what is dropped all the same is answered too, see `refuse_dropped`."""
_LOGGED_CHARS = 200

Refuse = Callable[[Exception], tuple[bytes, dict[str, str]]]
"""A reply's body and headers for an error."""
HearDropped = Callable[[Subscription, Callable[[str], Awaitable[None]]], None]
"""Calls the function with the reply subject of each message that nats-py drops on the subscription."""


class Requests:
    """The requests of one subject: sessions in turn, within `limits`."""

    def __init__(
        self,
        client: Client,
        subject: str,
        queue: str,
        consume: Consume,
        *,
        limits: RequestLimits,
        inbox_prefixes: Sequence[str],
        refuse: Refuse,
        hear_dropped: HearDropped = lambda subscription, tell: None,
        observe: Observe = lambda answered: None,
    ) -> None:
        self._client = client
        self._subject = subject
        self._queue = queue
        self._consume = consume
        self._limits = limits
        self._inbox_prefixes = tuple(inbox_prefixes)
        self._refuse = refuse
        self._hear_dropped = hear_dropped
        self._clock = asyncio.get_running_loop().time
        self._took_too_long = took_too_long(limits)
        self._line: Line[Asked] = Line(limits.bounds)
        self._watch = Watch(verb_of(subject), observe)
        self._tasks: dict[asyncio.Task[None], Asked] = {}
        self._given_up: dict[asyncio.Task[None], RequestError] = {}
        self._told: set[asyncio.Task[None]] = set()
        self._refusing: set[asyncio.Task[None]] = set()
        self._patience: asyncio.TimerHandle | None = None
        self._subscription: Subscription | None = None
        self._draining: asyncio.Task[None] | None = None
        self.tally = Tally()
        """How often each limit struck, by the name that the reply gives it; `inbox`: dropped, since a reply would go
        where none may; `unsent`: replies that NATS did not take."""

    @property
    def subject(self) -> str:
        return self._subject

    @property
    def verb(self) -> str:
        return verb_of(self._subject)

    async def start(self) -> None:
        self._subscription = await self._client.subscribe(
            self._subject,
            queue=self._queue,
            cb=self._receive,
            pending_msgs_limit=PENDING_MESSAGES,
            pending_bytes_limit=PENDING_BYTES,
        )
        self._hear_dropped(self._subscription, self.refuse_dropped)

    async def unsubscribe(self) -> None:
        """Take nothing more; what was taken, or waits for its turn, is answered."""
        if self._subscription is not None and not self._client.is_closed:
            subscription, self._subscription = self._subscription, None
            self._draining = asyncio.create_task(_drain(subscription))

    async def finish(self, grace_seconds: float) -> None:
        """Wait for the answers; who has none at the end of the grace period is told to ask again."""
        deadline = self._clock() + max(grace_seconds / 2, grace_seconds - 2 * CANCEL_SECONDS)
        if self._draining is not None:
            await asyncio.wait({self._draining}, timeout=deadline - self._clock())
            self._draining.cancel()
        while self._tasks and (left := deadline - self._clock()) > 0:
            await asyncio.wait(self._tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        self._refuse_all(self._overdue(inf), stopping())  # before a place is free for one of them
        if self._patience is not None:
            self._patience.cancel()
        for task in list(self._tasks):
            self._give_up(task, stopping())
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CANCEL_SECONDS)
        for task in list(self._tasks):
            self._tell(task)
        if self._refusing:
            await asyncio.wait(self._refusing, timeout=CANCEL_SECONDS)

    @property
    def waiting(self) -> int:
        """How many have come and wait for their turn."""
        queued = self._subscription.pending_msgs if self._subscription is not None else 0
        return queued + self._line.waiting

    @property
    def at_work(self) -> int:
        return self._line.at_work

    async def refuse_dropped(self, reply: str) -> None:
        """Answer a request of which nats-py says that it had no room for it; all that is left of it is its inbox."""
        if reply.startswith(self._inbox_prefixes):
            message = Msg(self._client, subject=self._subject, reply=reply)
            await self._send_refusal(Asked(message, perf_counter()), no_room("waiting", self._limits))

    async def _receive(self, message: Msg) -> None:
        if not message.reply.startswith(self._inbox_prefixes):
            # A reply to any other subject could be made to land in someone's stream.
            why = f"its reply subject {message.reply[:_LOGGED_CHARS]!r} is no inbox"
            self._count("inbox", why)
            self._watch.failed(message, 0.0, None, DROPPED, why)
            return
        size, asked = size_of(message), Asked(message, perf_counter())
        if size > self._limits.body_bytes:
            await self._send_refusal(asked, too_large(size, self._limits))
            return
        lacking = self._line.join(asked, session_of(message.subject), size, self._clock())
        if lacking is not None:
            await self._send_refusal(asked, no_room(lacking, self._limits))
            return
        self._advance()

    def _advance(self) -> None:
        while (one := self._line.call()) is not None:
            asked = one.item._replace(began=perf_counter())
            task = asyncio.ensure_future(self._work(asked))
            self._tasks[task] = asked
            limit = asyncio.get_running_loop().call_later(
                self._limits.work_seconds, self._give_up, task, self._took_too_long
            )
            task.add_done_callback(partial(self._finished, one.session, limit))
        if self._patience is None and (since := self._line.oldest_since) is not None:
            at = since + self._limits.patience_seconds
            self._patience = asyncio.get_running_loop().call_at(at, self._lose_patience)

    async def _work(self, asked: Asked) -> None:
        try:
            reply = await self._consume(asked.message)
        except NatsError as error:  # who asks hears of a connection that is away by their own
            self._unsent(asked, error)
        except Exception as error:
            if asyncio.current_task() not in self._told:
                await self._send_refusal(asked, error)
        else:
            if reply is not None and asyncio.current_task() not in self._told:
                self._watch.replied(asked.message, *self._times(asked), reply)

    def _give_up(self, task: asyncio.Task[None], why: RequestError) -> None:
        """End the work. Its place is free once it has ended, for until then it takes memory."""
        if task not in self._given_up:
            self._given_up[task] = why
            task.cancel()
            asyncio.get_running_loop().call_later(CANCEL_SECONDS, self._tell, task)

    def _tell(self, task: asyncio.Task[None]) -> None:
        """Answer for work that was given up, if nobody has yet."""
        if task in self._tasks and task not in self._told:
            self._told.add(task)
            self._refuse_all([self._tasks[task]], self._given_up.get(task) or stopping())

    def _finished(self, session: str, limit: asyncio.TimerHandle, task: asyncio.Task[None]) -> None:
        limit.cancel()
        if task.cancelled():  # what was given up and ended another way has sent its answer after all
            self._tell(task)
        del self._tasks[task]
        self._given_up.pop(task, None)
        self._told.discard(task)
        self._line.left(session)
        self._advance()

    def _lose_patience(self) -> None:
        """Whoever asked has gone, or soon will: work on it would be for nobody, and hold up those who came later."""
        self._patience = None
        overdue = self._overdue(self._clock() - self._limits.patience_seconds)
        self._refuse_all(overdue, waited_too_long(self._limits))
        self._advance()

    def _overdue(self, until: float) -> list[Asked]:
        return [one.item for one in self._line.overdue(until)]

    def _refuse_all(self, those: list[Asked], error: RequestError) -> None:
        async def refuse_each() -> None:
            for asked in those:
                await self._send_refusal(asked, error)

        if not those:
            return
        task = asyncio.ensure_future(refuse_each())
        self._refusing.add(task)
        task.add_done_callback(self._refusing.discard)

    async def _send_refusal(self, asked: Asked, error: Exception) -> None:
        if isinstance(error, RequestError) and (limit := error.details.get("limit")) is not None:
            self._count(limit, error.message)
        refusal = Refusal(*self._refuse(error))
        try:
            await self._client.publish(asked.message.reply, refusal.body, headers=refusal.headers)
        except NatsError as failure:
            self._unsent(asked, failure)
        else:
            self._watch.replied(asked.message, *self._times(asked), refusal)

    def _unsent(self, asked: Asked, failure: NatsError) -> None:
        why = f"its reply could not be sent: {failure}"
        self._count("unsent", why)
        if asyncio.current_task() not in self._told:
            self._watch.failed(asked.message, *self._times(asked), UNSENT, why)

    def _times(self, asked: Asked) -> tuple[float, float | None]:
        """Seconds since it came, and since its turn came, which it may not have."""
        now = perf_counter()
        return now - asked.since, None if asked.began is None else now - asked.began

    def _count(self, limit: str, why: str) -> None:
        count = self.tally.add(limit, self._clock())
        if count is not None:
            log.warning("requests on %s: %d more were not answered as asked, the last: %s", self._subject, count, why)


async def _drain(subscription: Subscription) -> None:
    """Away from the server there is nothing to drain; who asks hears of it by the time that is over."""
    with suppress(NatsError):
        await subscription.drain()  # type: ignore[no-untyped-call]
