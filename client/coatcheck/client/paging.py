"""A replay in the background: what comes live does not wait for it."""

import asyncio
from collections.abc import Awaitable, Callable

from coatcheck_schemas.requests import ReplayReply

from .feed import Feed

PAGE = 100

Replay = Callable[[str | None, int], Awaitable[ReplayReply]]
"""The events after a cursor, at most so many; with 0 just the present cursor."""


class Paging:
    """At most one page at a time; `feed` is woken once it is there, or has failed."""

    def __init__(self, replay: Replay, feed: Feed) -> None:
        self._replay = replay
        self._feed = feed
        self._asking: asyncio.Future[ReplayReply] | None = None

    @property
    def is_asking(self) -> bool:
        """Whether a page was asked for and not taken yet."""
        return self._asking is not None

    def ask(self, after: str | None) -> None:
        """Ask for the page after a cursor; none may be on its way."""
        self._asking = asyncio.ensure_future(self._replay(after, PAGE))
        self._asking.add_done_callback(self._wake)

    def take(self) -> ReplayReply | None:
        """The page, once it is there. Raises what the replay raised."""
        if self._asking is None or not self._asking.done():
            return None
        asked, self._asking = self._asking, None
        return asked.result()

    async def wait(self) -> None:
        """Until there is something to take; it goes on where this wait is cancelled."""
        if self._asking is not None:
            await asyncio.wait({self._asking})

    def drop(self) -> None:
        """Give up the page that is on its way."""
        if self._asking is not None:
            self._asking.cancel()
        self._asking = None

    def _wake(self, asked: asyncio.Future[ReplayReply]) -> None:
        if not asked.cancelled():
            asked.exception()  # looked at, for it may be that nobody takes it any more
        self._feed.wake()
