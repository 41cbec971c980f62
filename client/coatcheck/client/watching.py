"""What one waits for: as it comes, and by `replay` where it was there before or was missed."""

import asyncio
from collections.abc import Callable

import msgspec

from coatcheck_schemas.errors import Code, RequestError

from .connection import Connection
from .feed import Feed
from .paging import Paging, Replay

FIRST_LOOK_SECONDS = 1.0
LONGEST_LOOK_SECONDS = 5.0
"""Looks while nothing comes: an event is heard at most once, not at all where the stream's leader dies with it."""


class Heard(msgspec.Struct, frozen=True):
    """An event. `live` says that it came while we listened; of one that is replayed nobody knows when it did."""

    subject: str
    data: bytes | msgspec.Raw
    live: bool


class Watch:
    """Hands each event to `receive`, some of them twice: what comes live at once, and what a replay finds.

    The replay is asked where the connection broke, and now and then while something is waited for; where it is not
    answered, as while a stream has no leader, again later. `feed` is what the caller's subscriptions fill; `trouble`
    the error of the last replay, if it was one.
    """

    def __init__(self, connection: Connection, feed: Feed, replay: Replay, receive: Callable[[Heard], None]) -> None:
        self.feed = feed
        self.trouble: RequestError | None = None
        self._connection = connection
        self._paging = Paging(replay, feed)
        self._receive = receive
        self._position: str | None = None
        self._is_rewound = False
        self._handled = feed.interruptions
        self._round: int | None = None
        self._pause = FIRST_LOOK_SECONDS
        self._next_look = 0.0
        self._stepping = asyncio.Lock()

    def drain(self) -> None:
        """Hand on what has come, without waiting."""
        while (message := self.feed.take()) is not None:
            self._receive(Heard(message.subject, message.data, live=True))

    def rewind(self, *, at_once: bool = False) -> None:
        """Let the next look begin at the first event: something is wanted that it may have passed over."""
        self._position = None
        self._is_rewound = True
        if at_once:
            self.feed.interrupt()

    def close(self) -> None:
        """Hand on what has come, and give up the look that is on its way."""
        self.drain()
        self._paging.drop()

    async def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Take events until `done` is true; false where it is not after `seconds`. Several may wait at a time.

        Raises RequestError where the connection is closed for good.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._take_until(done)
        except TimeoutError:
            return False
        return True

    async def _take_until(self, done: Callable[[], bool]) -> None:
        self._pause = FIRST_LOOK_SECONDS
        self._next_look = _now() + self._pause
        while True:
            async with self._stepping:
                self.drain()
                self._hear_again()
                if done():
                    return
                self._connection.check_open()
                self._look()
                await self.feed.wait(None if self._paging.is_asking else self._next_look - _now())

    def _look(self) -> None:
        """Ask for the page after the last one where a look is due, or goes on."""
        is_due = self._round is not None or self.feed.interruptions != self._handled or _now() >= self._next_look
        if self._paging.is_asking or not is_due:
            return
        if self._round is None:
            self._round = self.feed.interruptions
        self._is_rewound = False
        self._paging.ask(self._position)

    def _hear_again(self) -> None:
        """Hand on the page that was asked for, once it is there."""
        try:
            if (reply := self._paging.take()) is None:
                return
        except RequestError as error:
            self.trouble = error
            if error.code is Code.INVALID_ARGUMENT:
                self._position = None  # the stream was made anew
            self._end_look()
            return
        self.trouble = None
        for replayed in reply.events:
            self._receive(Heard(replayed.subject, replayed.event, live=False))
        self._position = None if self._is_rewound else reply.cursor
        if self._is_rewound or not reply.has_more:
            self._end_look()

    def _end_look(self) -> None:
        if self._round is not None:
            self._handled, self._round = self._round, None
        self._pause = min(self._pause * 2, LONGEST_LOOK_SECONDS)
        self._next_look = _now() + self._pause


def _now() -> float:
    return asyncio.get_running_loop().time()
