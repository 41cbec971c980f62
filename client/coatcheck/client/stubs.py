"""A session's stub events, live, and without a gap where one is lost on its way."""

import asyncio
import logging
from collections import deque
from types import TracebackType
from typing import Self

import msgspec
from nats.aio.subscription import Subscription

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Replayed, ReplayReply

from .connection import Connection
from .feed import Feed
from .paging import Paging, Replay
from .seen import Seen
from .unreadable import tell_unreadable

logger = logging.getLogger("coatcheck")

CHECK_SECONDS = 10.0
"""An event that was lost where the connection did not break is found so late: a stream's leader died that had it."""
FIRST_DELAY = 0.25
LONGEST_DELAY = 5.0

_MENDED_BY_TIME = (Code.UNAVAILABLE, Code.INTERNAL)


class StubStream:
    """An async iterator of StubEvent, in the order received, each once. Made by `Client.stubs`.

    Entered with `async with`, it is subscribed and has its cursor: what is published from then on will come. Iterated
    without, it does that at the first step. It ends when its client is closed by its owner, and raises RequestError
    where the connection is lost for good, the subject is denied or the cursor is refused; while no worker answers it
    waits, and says so in the log.

    An event comes as it is heard. One that is not heard, for the connection broke or the stream's leader died with it,
    is replayed: right after the break, else within CHECK_SECONDS, and then after later ones perhaps.
    """

    def __init__(
        self, connection: Connection, subject: str, replay: Replay, *, after: str | None, from_start: bool
    ) -> None:
        self._connection = connection
        self._subject = subject
        self._replay = replay
        self._from_start = from_start or after is not None
        self._feed = Feed()
        self._paging = Paging(self._ask, self._feed)
        self._handled = 0
        self._subscriptions: list[Subscription] = []
        self._seen: Seen | None = None
        self._page: deque[Replayed] = deque()
        self._position = after
        """All up to here was yielded, once `_page` is empty."""
        self._has_gone_on = False
        self._round: int | None = None
        self._is_holding = False
        self._next_check = 0.0

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
        if self._from_start:
            self._seen = Seen(self._position)
            self._feed.interrupt()
            return
        self._position = await self._present()
        self._seen = Seen(self._position)
        self._put_off_check()

    async def aclose(self) -> None:
        """End the subscription."""
        self._paging.drop()
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
        """One move on: an event that is new, or None where this move gave none."""
        seen = self._seen
        if seen is None:
            return None
        if self._page:
            replayed = self._page.popleft()
            return _new(seen, replayed.subject, replayed.event)
        self._look(seen)
        if (reply := self._paging.take()) is not None:
            self._open(reply)
        elif self._is_holding:
            await self._paging.wait()
        elif (message := self._feed.take()) is not None:
            return _new(seen, message.subject, message.data)
        else:
            await self._feed.wait(None if self._paging.is_asking else self._next_check - _now())
        return None

    def _look(self, seen: Seen) -> None:
        """Ask for a page of the replay where one is due.

        What comes live is held back until the last page where something was missed for certain, and where memory is
        full: so no live event is older than what was forgotten, for the feed holds less than one generation of them.
        """
        if self._has_gone_on and seen.full:
            seen.turn_over(self._position)
        self._has_gone_on = False
        self._is_holding |= seen.full or self._feed.interruptions != self._handled
        is_due = self._is_holding or self._round is not None or _now() >= self._next_check
        if self._paging.is_asking or not is_due:
            return
        if self._round is None:
            self._round = self._feed.interruptions
        self._paging.ask(self._position)

    def _open(self, reply: ReplayReply) -> None:
        """What is interrupted during a round of pages starts a further one after it."""
        self._page.extend(reply.events)
        self._position = reply.cursor
        self._has_gone_on = True
        if not reply.has_more and self._round is not None:
            self._handled, self._round = self._round, None
            self._is_holding = False
            self._put_off_check()

    def _put_off_check(self) -> None:
        self._next_check = _now() + CHECK_SECONDS

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
                level = logging.DEBUG if self._seen is not None and not self._is_holding else logging.WARNING
                logger.log(level, "the stubs of %s wait for a replay: %s", self._subject, error)
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY)


def _new(seen: Seen, subject: str, data: bytes | msgspec.Raw) -> StubEvent | None:
    """The event, if it was not yielded yet. A subject has one event, but a result that was deleted may come again."""
    event = decode_stub(subject, data)
    return event if event is not None and seen.add(f"{subject} {event.created_at}") else None


def _now() -> float:
    return asyncio.get_running_loop().time()


def decode_stub(subject: str, data: bytes | msgspec.Raw) -> StubEvent | None:
    """The event, or None (and a warning) where it is of no version that this client knows."""
    try:
        return msgspec.json.decode(data, type=StubEvent)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        tell_unreadable("stub events", subject, error)
        return None
