"""The events of one turn: as they come, and by `replay` where they were there before or were missed."""

import asyncio
from collections.abc import Callable

import msgspec
from nats.aio.msg import Msg

from coatcheck_schemas.errors import RequestError

from .connection import Connection
from .feed import Feed
from .stubs import PAGE, Replay

FIRST_LOOK_SECONDS = 1.0
LONGEST_LOOK_SECONDS = 10.0


class Heard(msgspec.Struct, frozen=True):
    """An event. `live` says that it came while we listened; of one that is replayed nobody knows when it did."""

    subject: str
    data: bytes | msgspec.Raw
    live: bool


class Watch:
    """Hands each event to `receive`, some of them twice. The replay is asked only where nothing has come for a while.

    `feed` is what the caller's subscriptions fill; `trouble` the last error of a replay.
    """

    def __init__(self, connection: Connection, feed: Feed, replay: Replay, receive: Callable[[Heard], None]) -> None:
        self.feed = feed
        self.trouble: RequestError | None = None
        self._connection = connection
        self._replay = replay
        self._receive = receive
        self._position: str | None = None
        self._interruptions = feed.interruptions
        self._stepping = asyncio.Lock()

    def drain(self) -> None:
        """Hand on what has come, without waiting."""
        while (message := self.feed.take()) is not None:
            self._hand_on(message)

    def rewind(self, *, at_once: bool = False) -> None:
        """Let the next look begin at the turn's first event: something is wanted that it may have passed over."""
        self._position = None
        if at_once:
            self.feed.interrupt()

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
        clock = asyncio.get_running_loop().time
        pause = FIRST_LOOK_SECONDS
        next_look = clock() + pause
        while True:
            async with self._stepping:
                self.drain()
                if done():
                    return
                self._connection.check_open()
                if clock() >= next_look or self.feed.interruptions != self._interruptions:
                    interruptions = self.feed.interruptions
                    if not await self._look(done):
                        continue
                    self._interruptions = interruptions
                    pause = min(pause * 2, LONGEST_LOOK_SECONDS)
                    next_look = clock() + pause
                else:
                    await self.feed.wait(next_look - clock())

    async def _look(self, done: Callable[[], bool]) -> bool:
        """Look through the turn's events, on from where the last look ended.

        False where something came live before the end: that goes first, and the look goes on after it.
        """
        try:
            while not len(self.feed):
                reply = await self._replay(self._position, PAGE)
                self._position = reply.cursor
                for replayed in reply.events:
                    self._receive(Heard(replayed.subject, replayed.event, live=False))
                if done() or not reply.has_more:
                    return True
        except RequestError as error:
            self.trouble = error
            return True
        return False

    def _hand_on(self, message: Msg) -> None:
        self._receive(Heard(message.subject, message.data, live=True))
