"""A session's stub events, live, and without a gap where the connection breaks."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import msgspec
from nats.aio.subscription import Subscription

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Replayed, ReplayReply

from .connection import Connection
from .feed import Feed
from .seen import Seen

logger = logging.getLogger("coatcheck")

PAGE = 100
FIRST_DELAY = 0.25
LONGEST_DELAY = 5.0

Replay = Callable[[str | None, int], Awaitable[ReplayReply]]
"""The events after a cursor, at most so many; with 0 just the present cursor."""

_MENDED_BY_TIME = (Code.UNAVAILABLE, Code.INTERNAL)


class StubStream:
    """An async iterator of StubEvent, in the order received, each once. Made by `Client.stubs`.

    Entered with `async with`, it is subscribed and has its cursor: what is published from then on will come. Iterated
    without, it does that at the first step. It ends when its client is closed by its owner, and raises RequestError
    where the connection is lost for good, the subject is denied or the cursor is refused; while no worker answers it
    waits, and says so in the log.
    """

    def __init__(
        self, connection: Connection, subject: str, replay: Replay, *, after: str | None, from_start: bool
    ) -> None:
        self._connection = connection
        self._subject = subject
        self._replay = replay
        self._after = after
        self._from_start = from_start
        self._feed = Feed()
        self._handled = 0
        self._subscriptions: list[Subscription] = []
        self._seen: Seen | None = None
        self._page: deque[Replayed] = deque()
        self._position: str | None = None
        self._round: int | None = None

    @property
    def cursor(self) -> str | None:
        """Where another iterator can go on after this one: it repeats some events, and misses none."""
        return None if self._seen is None else self._seen.cursor

    @property
    def interruptions(self) -> int:
        """How often something may have been missed, and was or will be replayed."""
        return self._feed.interruptions

    @property
    def remembered(self) -> int:
        """How many events it remembers, so as to yield none twice."""
        return 0 if self._seen is None else len(self._seen)

    async def start(self) -> None:
        """Subscribe and take the cursor; once is enough."""
        if not self._subscriptions:
            self._subscriptions = await self._connection.subscribe([self._subject], self._feed)
        if self._seen is not None:
            return
        if self._after is not None or self._from_start:
            self._seen = Seen(self._after)
            self._feed.interrupt()
            return
        self._seen = Seen(await self._present())

    async def aclose(self) -> None:
        """End the subscription."""
        await self._connection.unsubscribe(self._subscriptions)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StubEvent:
        await self.start()
        while True:
            if self._connection.ended:
                raise StopAsyncIteration
            self._connection.check_open()
            if (event := await self._step()) is not None:
                return event

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _step(self) -> StubEvent | None:
        """One move on: an event that is new, or None where this move gave none.

        What is missed is replayed before anything live is taken, so that no live event is older than what was
        forgotten: the feed holds less than one generation of them.
        """
        seen = self._seen
        if seen is None:
            return None
        if self._page:
            replayed = self._page.popleft()
            return decode_stub(replayed.subject, replayed.event) if seen.add(replayed.subject) else None
        if self._feed.interruptions != self._handled:
            await self._turn_page(seen)
        elif seen.full:
            await self._turn_over(seen)
        elif (message := self._feed.take()) is not None:
            return decode_stub(message.subject, message.data) if seen.add(message.subject) else None
        else:
            await self._feed.wait()
        return None

    async def _turn_page(self, seen: Seen) -> None:
        """One page of the replay. What is interrupted during it starts a further one after it."""
        if self._round is None:
            self._round = self._feed.interruptions
            self._position = seen.cursor
        elif seen.full:
            seen.turn_over(self._position)
        reply = await self._ask(self._position, PAGE)
        self._page.extend(reply.events)
        self._position = reply.cursor
        if not reply.has_more:
            self._handled, self._round = self._round, None

    async def _turn_over(self, seen: Seen) -> None:
        """A cursor that was taken while something was missed would skip what was missed: it is not used."""
        reply = await self._ask(None, 0)
        if self._feed.interruptions == self._handled:
            seen.turn_over(reply.cursor)

    async def _present(self) -> str:
        while True:
            self._handled = self._feed.interruptions
            cursor = (await self._ask(None, 0)).cursor
            if self._feed.interruptions == self._handled:
                return cursor

    async def _ask(self, after: str | None, limit: int) -> ReplayReply:
        """A replay, tried until it is answered; an error that no time mends is raised."""
        delay = FIRST_DELAY
        while True:
            try:
                return await self._replay(after, limit)
            except RequestError as error:
                if error.code not in _MENDED_BY_TIME or error.details.get("denied"):
                    raise
                self._connection.check_open()
                logger.warning("the stubs of %s wait for a replay: %s", self._subject, error)
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY)


def decode_stub(subject: str, data: bytes | msgspec.Raw) -> StubEvent | None:
    """The event, or None (and a warning) where it is of no version that this client knows."""
    try:
        return msgspec.json.decode(data, type=StubEvent)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        logger.warning("an event on %s is no stub that this version knows: %s", subject, error)
        return None
