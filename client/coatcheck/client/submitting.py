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
from .paging import Replay
from .sending import Published
from .stubs import decode_stub
from .watching import Heard, Watch


class Awaited:
    """The stub that one message will lead to; entered before the message is published.

    Its own result id's, or the `failed` one of its call. A `failed` stub that a replay finds may be an older
    message's: it is taken only where nothing better comes in time.
    """

    def __init__(self, connection: Connection, subjects: Subjects, message: Outgoing, replay: Replay) -> None:
        turn = (message.at.session, message.at.turn)
        self._connection = connection
        self._wanted = subjects.stubs(*turn, message.result_id)
        self._failed = subjects.stubs(*turn, failed_id(message.at.call))
        self._watch = Watch(connection, Feed(), replay, self._receive)
        self._found: StubEvent | None = None
        self._older: StubEvent | None = None

    async def wait(self, publish: Callable[[], Awaitable[Published]], seconds: float) -> StubEvent:
        """Subscribe, publish, wait. Raises RequestError (`unavailable`) after `seconds`; the result is not lost."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        subscriptions = await self._connection.subscribe((self._wanted, self._failed), self._watch.feed, seconds)
        try:
            published = await publish()
            await self._watch.until(lambda: self._found is not None, deadline - clock())
        finally:
            await self._connection.unsubscribe(subscriptions)
            self._watch.close()
        found = self._found or self._older
        if found is None:
            raise self._late(published, seconds)
        return found

    def _receive(self, heard: Heard) -> None:
        if heard.subject == self._wanted or (heard.subject == self._failed and heard.live):
            self._found = self._found or decode_stub(heard.subject, heard.data)
        elif heard.subject == self._failed:
            self._older = decode_stub(heard.subject, heard.data)

    def _late(self, published: Published, seconds: float) -> RequestError:
        trouble = self._watch.trouble
        why = f" ({trouble})" if trouble else f"; if no worker runs, {START_A_WORKER}"
        return RequestError(
            Code.UNAVAILABLE,
            f"published as {published.result_id}, but no stub came within {seconds:g} s{why}; "
            "the result is kept, its stub will come: wait longer, or watch for it",
            **msgspec.structs.asdict(published),
        )
