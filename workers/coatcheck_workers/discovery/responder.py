"""Answer `$SRV` beside FastStream's subscribers, which hold the endpoints themselves.

nats-py's own service would serve the endpoints too, one request at a time.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from coatcheck_core.tally import Tally
from coatcheck_schemas.times import format_time
from coatcheck_workers.intake.requests import HearDropped

from .allowance import Allowance
from .counting import RequestCounts
from .messages import DESCRIPTION, SERVICE, VERBS, EndpointInfo, EndpointStats, Info, Ping, Stats, control_subjects

log = logging.getLogger("coatcheck.discovery")

PER_SECOND = 200
BURST = 100
"""Whoever looks around asks a few times a second. What is beyond is dropped: results and requests come first, and of
these questions no asker counts on each answer."""
PENDING_MESSAGES = 256
PENDING_BYTES = 64 * 1024
"""What may wait on a subject; such a question has no body."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of request that this worker answers; `load` says how many wait and how many are at work."""

    verb: str
    subject: str
    queue_group: str
    metadata: dict[str, str]
    load: Callable[[], tuple[int, int]]


class Responder:
    """One worker's answers, while it takes requests."""

    def __init__(
        self,
        client: Client,
        identity: Ping,
        endpoints: Sequence[Endpoint],
        counts: RequestCounts,
        *,
        started: datetime,
        inbox_prefixes: Sequence[str],
        figures: Callable[[], dict[str, Any]],
        hear_dropped: HearDropped = lambda subscription, tell: None,
    ) -> None:
        self._client = client
        self._identity = identity
        self._endpoints = endpoints
        self._counts = counts
        self._started = format_time(started)
        self._inbox_prefixes = tuple(inbox_prefixes)
        self._figures = figures
        self._hear_dropped = hear_dropped
        self._clock = asyncio.get_running_loop().time
        self._allowance = Allowance(PER_SECOND, BURST, self._clock())
        self._subscriptions: list[Subscription] = []
        self.tally = Tally()
        """How many were not answered: `inbox`, `rate`, `pending`, `unsent`."""

    async def start(self) -> None:
        answers: dict[str, Callable[[], msgspec.Struct]] = {
            "PING": lambda: self._identity,
            "INFO": self.info,
            "STATS": self.stats,
        }
        for verb in VERBS:
            for subject in control_subjects(verb, self._identity.id):
                subscription = await self._client.subscribe(
                    subject,
                    cb=partial(self._receive, answers[verb]),
                    pending_msgs_limit=PENDING_MESSAGES,
                    pending_bytes_limit=PENDING_BYTES,
                )
                self._hear_dropped(subscription, self._dropped)
                self._subscriptions.append(subscription)

    async def stop(self) -> None:
        """Answer nothing more. Away from the server nobody asks."""
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            try:
                await subscription.unsubscribe()
            except NatsError as error:
                log.debug("leaving %s: %s", subscription.subject, error)

    def info(self) -> Info:
        endpoints = [
            EndpointInfo(
                name=one.verb,
                subject=one.subject,
                queue_group=one.queue_group,
                metadata=one.metadata,
            )
            for one in self._endpoints
        ]
        return Info(**self._who(), description=DESCRIPTION, endpoints=endpoints)

    def stats(self) -> Stats:
        return Stats(
            **self._who(),
            started=self._started,
            endpoints=[self._stats_of(one) for one in self._endpoints],
            data=self._figures(),
        )

    def _stats_of(self, endpoint: Endpoint) -> EndpointStats:
        counted = self._counts.of(endpoint.verb)
        waiting, at_work = endpoint.load()
        return EndpointStats(
            name=endpoint.verb,
            subject=endpoint.subject,
            queue_group=endpoint.queue_group,
            num_requests=counted.requests,
            num_errors=counted.errors.total(),
            last_error=counted.last_error,
            processing_time=counted.nanoseconds,
            average_processing_time=counted.average_nanoseconds,
            data={"waiting": waiting, "at_work": at_work, "errors": dict(counted.errors)},
        )

    def _who(self) -> dict[str, Any]:
        who = self._identity
        return {"name": SERVICE, "id": who.id, "version": who.version, "metadata": who.metadata}

    async def _receive(self, answer: Callable[[], msgspec.Struct], message: Msg) -> None:
        if not message.reply.startswith(self._inbox_prefixes):
            self._count("inbox", "its reply subject is no inbox")
        elif not self._allowance.take(self._clock()):
            self._count("rate", f"over {PER_SECOND} a second")
        else:
            try:
                await self._client.publish(message.reply, msgspec.json.encode(answer()))
            except NatsError as error:
                self._count("unsent", f"{error}")

    async def _dropped(self, reply: str) -> None:
        self._count("pending", f"over {PENDING_MESSAGES} waited, or {PENDING_BYTES} bytes")

    def _count(self, reason: str, why: str) -> None:
        count = self.tally.add(reason, self._clock())
        if count is not None:
            log.warning("%d more questions on $SRV were not answered, the last: %s", count, why)
