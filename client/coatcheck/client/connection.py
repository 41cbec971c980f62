"""One connection to NATS that comes back by itself, and says plainly why it cannot do what is asked.

What nats-py leaves to its user is here and in what is used here: a first connection that ends in an error (`opening`),
a permission violation that fails the call it belongs to (`denials`), a break that repeats the requests in flight.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import nats.errors
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from coatcheck_core.credentials.login import Login
from coatcheck_core.credentials.tls import end_tls_quietly, insist_on_tls
from coatcheck_schemas.anybytes import hear_any_bytes
from coatcheck_schemas.errors import Code, RequestError

from .denials import Denials, denied_error, resolve, unheard_error
from .feed import MAX_BYTES, MAX_MESSAGES, Feed
from .opening import Opening, close_socket, explain, forget, unreached
from .renewing import renew_for_ever

logger = logging.getLogger("coatcheck")

PING_SECONDS = 4
"""With two pings outstanding a dead connection is noticed within three of these."""
RECONNECT_SECONDS = 1
FLUSH_SECONDS = 5
RETRY_SECONDS = 0.05
"""Between a break and its callback nats-py refuses what it is asked."""


class Connection:
    """Connected by `open`. Requests are repeated after a break: whoever answers must take them twice."""

    def __init__(self, login: Login) -> None:
        self.servers = login.servers
        self._login = login
        self.closed: RequestError | None = None
        self.ended = False
        self.nats = self._new_client()
        self._last_error: Exception | None = None
        self._denials = Denials(login.inbox)
        self._feeds: dict[Subscription, Feed] = {}
        self._settled = asyncio.Event()
        self._break: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._opening: Opening | None = None
        self._renewing: asyncio.Task[None] | None = None

    @property
    def max_payload(self) -> int:
        """The bytes of one message, headers included, that the server takes."""
        return self.nats.max_payload

    @property
    def is_clustered(self) -> bool:
        """Whether another server may take up what one has left: as its address list, or the server itself, says."""
        return len(self.nats.servers) > 1 or "cluster" in self.nats._server_info

    async def open(self, seconds: float, name: str, *, patient: bool = True) -> None:
        """Connect, or raise RequestError (`unavailable`) after `seconds`; a refused login raises at once.

        Not `patient`: once every server has refused the connection twice, which takes about a second.
        """
        self._opening = opening = Opening(self.servers, patient=patient)
        options = self._options(name)
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while True:
            # A server that refuses a login may reset the connection before its reason is read: then nats-py's connect
            # ends with that, and only another try can tell.
            cause = await opening.attempt(self.nats, deadline - clock(), options)
            if cause is None:
                self._opening = None
                self._settled.set()
                if self._login.creds is not None:
                    self._renewing = asyncio.create_task(renew_for_ever(self.nats, self._login.creds))
                return
            if opening.is_hopeless or clock() + RETRY_SECONDS >= deadline:
                raise RequestError(Code.UNAVAILABLE, unreached(self.servers, cause))
            await asyncio.sleep(RETRY_SECONDS)
            self.nats = self._new_client()

    def _new_client(self) -> Nats:
        client = Nats()
        hear_any_bytes(client)
        end_tls_quietly(client)
        if self._login.insists_on_tls:
            insist_on_tls(client)
        return client

    def _options(self, name: str) -> dict[str, Any]:
        return {
            "servers": self.servers.urls,
            **self._login.options,
            "name": name,
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": RECONNECT_SECONDS,
            "ping_interval": PING_SECONDS,
            "flush_timeout": FLUSH_SECONDS,
            "error_cb": self._on_error,
            "disconnected_cb": self._on_disconnected,
            "reconnected_cb": self._on_reconnected,
            "closed_cb": self._on_closed,
        }

    async def close(self) -> None:
        """Close for good: what waits ends with RequestError, iterators end."""
        self.ended = True
        if self._renewing is not None:
            self._renewing.cancel()
        await self.nats.close()

    def check_open(self) -> None:
        """Raises RequestError where the connection is closed for good."""
        if self.closed is not None:
            raise self.closed

    async def request(
        self,
        subject: str,
        payload: bytes,
        headers: dict[str, str] | None = None,
        *,
        timeout: float,  # noqa: ASYNC109 - it spans breaks of the connection
    ) -> Msg:
        """The answer; asked again after each break of the connection, within `timeout` seconds.

        Raises TimeoutError, nats.errors.NoRespondersError, or RequestError: `too_large` before anything is sent,
        `unavailable` where the connection is closed or the server denies the subject.
        """
        self._check_size(payload, headers)
        deadline = asyncio.get_running_loop().time() + timeout
        while True:
            left = deadline - asyncio.get_running_loop().time()
            await self._wait_connected(left)
            answer = await self._ask(subject, payload, headers, left)
            if answer is not None:
                return answer

    async def subscribe(
        self, subjects: Sequence[str], feed: Feed, seconds: float = FLUSH_SECONDS
    ) -> list[Subscription]:
        """Let `feed` receive what comes on these subjects; returns once the server knows.

        Raises RequestError where the server denies one, or there is no connection for `seconds`.
        """
        self.check_open()
        await self._wait_connected(seconds)
        subscriptions: list[Subscription] = []
        with ExitStack() as denials:
            denied = {denials.enter_context(self._denials.of("subscription", subject)): subject for subject in subjects}
            for subject in subjects:
                subscription = await self.nats.subscribe(
                    subject, cb=feed.receive, pending_msgs_limit=MAX_MESSAGES, pending_bytes_limit=MAX_BYTES
                )
                subscriptions.append(subscription)
                self._feeds[subscription] = feed
            await self._barrier(feed)
            refused = [subject for future, subject in denied.items() if future.done()]
        if refused:
            await self.unsubscribe(subscriptions)
            raise unheard_error(refused[0])
        return subscriptions

    async def unsubscribe(self, subscriptions: Sequence[Subscription]) -> None:
        """Also fine on a connection that is closed or away."""
        for subscription in subscriptions:
            self._feeds.pop(subscription, None)
            try:
                await subscription.unsubscribe()
            except nats.errors.Error:
                continue  # there is no connection any more, nor a subscription

    async def _barrier(self, feed: Feed) -> None:
        """Until the server has had what was sent. nats-py's ping overtakes what waits to be sent: two do not."""
        try:
            for _ in range(2):
                await self.nats.flush(FLUSH_SECONDS)
        except (TimeoutError, nats.errors.Error):
            feed.interrupt()  # the connection breaks; it is subscribed again with the next one

    async def _ask(self, subject: str, payload: bytes, headers: dict[str, str] | None, seconds: float) -> Msg | None:
        """The answer, or None where the connection broke meanwhile."""
        broken = self._break
        # In a task, because nats-py's flush can wait for ever on a broken connection and swallows a cancellation.
        asking = asyncio.ensure_future(self.nats.request(subject, payload, timeout=seconds, headers=headers))
        try:
            with self._denials.of("publish", subject) as denied:
                ends: set[asyncio.Future[Any]] = {asking, broken, denied}
                await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                if self._denials.inbox is not None:
                    raise self._denials.inbox
                if denied.done():
                    raise denied_error("publish to", subject)
            if asking.done():
                return asking.result()
        except (nats.errors.ConnectionClosedError, nats.errors.OutboundBufferLimitError):
            await asyncio.sleep(RETRY_SECONDS)
            return None
        finally:
            asking.cancel()
            asking.add_done_callback(forget)
        if broken.done():
            return None
        raise TimeoutError

    def _check_size(self, payload: bytes, headers: dict[str, str] | None) -> None:
        """Over the limit the server would end the connection; nats-py counts the body alone."""
        size = len(payload) + header_bytes(headers)
        if size > self.max_payload:
            raise RequestError(
                Code.TOO_LARGE,
                f"{size} bytes with headers are more than the {self.max_payload} that one NATS message carries here: "
                "send less, or raise max_payload at the NATS server",
                bytes=size,
                max_bytes=self.max_payload,
            )

    async def _wait_connected(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self._settled.wait()
        except TimeoutError:
            raise RequestError(
                Code.UNAVAILABLE,
                f"no connection to NATS at {self.servers} ({explain(self._last_error)}); it is tried on",
            ) from None
        self.check_open()

    async def _on_error(self, error: Exception) -> None:
        if isinstance(error, nats.errors.SlowConsumerError):
            if (feed := self._feeds.get(error.sub)) is not None:
                feed.interrupt()
            return
        if self._denials.hear(error):
            return
        self._last_error = error
        if self._opening is not None:
            self._opening.hear(error)
        elif not self._settled.is_set():
            close_socket(self.nats)  # a try to reconnect has failed; the next one has a socket of its own
        logger.debug("NATS: %s", error)

    async def _on_disconnected(self) -> None:
        if self._opening is not None:
            return
        was_connected = self._settled.is_set()
        self._settled.clear()
        resolve({self._break})
        self._break = asyncio.get_running_loop().create_future()
        self._interrupt_all()
        if was_connected and not self.ended:
            logger.warning("the connection to NATS at %s broke; reconnecting", self.servers)

    async def _on_reconnected(self) -> None:
        self._interrupt_all()
        self._settled.set()
        logger.info("connected to NATS again at %s", self.servers)

    async def _on_closed(self) -> None:
        if self._opening is not None:
            return
        why = "it was closed" if self.ended else explain(self.nats.last_error or self._last_error)
        self.closed = RequestError(Code.UNAVAILABLE, f"the connection to NATS at {self.servers} is closed: {why}")
        self._interrupt_all()
        self._settled.set()

    def _interrupt_all(self) -> None:
        for feed in set(self._feeds.values()):
            feed.interrupt()


def header_bytes(headers: dict[str, str] | None) -> int:
    """The bytes that headers take in a message: a version line, one line each, an empty one."""
    if not headers:
        return 0
    return 12 + sum(len(name.encode()) + len(value.encode()) + 4 for name, value in headers.items())
