"""Waiting for the stub of one result: live, or found by `replay` where it is there already."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.subjects import Subjects

from .asking import START_A_WORKER
from .connection import Connection
from .encoding import Outgoing
from .feed import Feed
from .sending import Published
from .stubs import PAGE, Replay, decode_stub

FIRST_LOOK_SECONDS = 1.0
LONGEST_LOOK_SECONDS = 10.0


class Awaited:
    """The stub that one message will lead to; entered before the message is published.

    Its own result id's, or the `failed` one of its call. A `failed` stub that a replay finds may be an older
    message's: it is taken only where nothing better comes in time.
    """

    def __init__(self, connection: Connection, subjects: Subjects, message: Outgoing, replay: Replay) -> None:
        turn = (message.at.session, message.at.turn)
        self._connection = connection
        self._replay = replay
        self._wanted = subjects.stubs(*turn, message.result_id)
        self._failed = subjects.stubs(*turn, failed_id(message.at.call))
        self._feed = Feed()
        self._position: str | None = None
        self._older: StubEvent | None = None
        self._trouble: RequestError | None = None

    async def wait(self, publish: Callable[[], Awaitable[Published]], seconds: float) -> StubEvent:
        """Subscribe, publish, wait. Raises RequestError (`unavailable`) after `seconds`; the result is not lost."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        subscriptions = await self._connection.subscribe((self._wanted, self._failed), self._feed, seconds)
        try:
            published = await publish()
            found = await self._watch(deadline)
        finally:
            await self._connection.unsubscribe(subscriptions)
        if found is None:
            raise self._late(published, seconds)
        return found

    async def _watch(self, deadline: float) -> StubEvent | None:
        clock = asyncio.get_running_loop().time
        pause = FIRST_LOOK_SECONDS
        next_look = clock() + pause
        interruptions = self._feed.interruptions
        while (now := clock()) < deadline:
            self._connection.check_open()
            if (message := self._feed.take()) is not None:
                if (event := decode_stub(message.subject, message.data)) is not None:
                    return event
            elif now >= next_look or self._feed.interruptions != interruptions:
                interruptions = self._feed.interruptions
                if (event := await self._look(deadline - now)) is not None:
                    return event
                pause = min(pause * 2, LONGEST_LOOK_SECONDS)
                next_look = clock() + pause
            else:
                await self._feed.wait(min(next_look, deadline) - now)
        return self._older

    async def _look(self, seconds: float) -> StubEvent | None:
        """Look through the turn's events, on from where the last look ended."""
        try:
            async with asyncio.timeout(seconds):
                while not len(self._feed):
                    reply = await self._replay(self._position, PAGE)
                    self._position = reply.cursor
                    for replayed in reply.events:
                        if replayed.subject == self._wanted:
                            return decode_stub(replayed.subject, replayed.event)
                        if replayed.subject == self._failed:
                            self._older = decode_stub(replayed.subject, replayed.event)
                    if not reply.has_more:
                        break
        except TimeoutError:
            return None
        except RequestError as error:
            self._trouble = error
        return None

    def _late(self, published: Published, seconds: float) -> RequestError:
        why = f" ({self._trouble})" if self._trouble else f"; if no worker runs, {START_A_WORKER}"
        return RequestError(
            Code.UNAVAILABLE,
            f"published as {published.result_id}, but no stub came within {seconds:g} s{why}; "
            "the result is kept, its stub will come: wait longer, or watch for it",
            **msgspec.structs.asdict(published),
        )
