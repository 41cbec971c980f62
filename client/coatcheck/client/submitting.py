"""Waiting for the stub of one result: live, or found by `replay` where it is there already."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Self

import msgspec
from nats.aio.subscription import Subscription

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.subjects import CallAddress, Subjects

from .asking import START_A_WORKER
from .connection import Connection
from .denials import is_unheard
from .encoding import Outgoing
from .feed import Feed
from .paging import Replay
from .sending import Published
from .stubs import decode_stub
from .twins import Twin
from .watching import Heard, Watch


class Awaited:
    """The stub that one result will lead to; `listening` is entered before the result is there.

    Its own result id's, or the `failed` one of its call. A `failed` stub that a replay finds may be an older
    message's: it is taken only where nothing better comes in time.
    """

    def __init__(self, connection: Connection, subjects: Subjects, at: CallAddress, replay: Replay) -> None:
        self._connection = connection
        self._subjects = subjects
        self._at = at
        self._failed = subjects.stubs(at.session, at.turn, failed_id(at.call))
        self._wanted: list[str] = []
        self._twin: Twin | None = None
        self._watch = Watch(connection, Feed(), replay, self._receive)
        self._subscriptions: list[Subscription] = []
        self._found: StubEvent | None = None
        self._older: StubEvent | None = None

    async def hear_failure(self) -> None:
        """Hear from now on whether the call fails, if that is allowed: its content is not all there yet."""
        with suppress(RequestError):
            self._subscriptions += await self._connection.subscribe((self._failed,), self._watch.feed)

    async def check_heard(self, seconds: float) -> None:
        """Raises RequestError where its stub could not be heard, before anything of the result is published."""
        await self._connection.unsubscribe(await self._connection.subscribe((self._failed,), self._watch.feed, seconds))

    @asynccontextmanager
    async def listening(self, result: Outgoing, seconds: float) -> AsyncIterator[None]:
        """Hear its stub. Raises RequestError where there is no connection for so many seconds, or it is denied."""
        ids = (result.result_id,) if result.twin is None else (result.result_id, result.twin.other_id)
        self._twin = result.twin
        self._wanted = [self._subjects.stubs(self._at.session, self._at.turn, one) for one in ids]
        wanted = self._wanted if self._subscriptions else [*self._wanted, self._failed]
        self._subscriptions += await self._connection.subscribe(wanted, self._watch.feed, seconds)
        try:
            yield
        finally:
            await self.close()

    @asynccontextmanager
    async def listening_if_allowed(self, result: Outgoing, seconds: float) -> AsyncIterator[Self | None]:
        """As `listening`; None where this user may not hear it. Raises RequestError where there is no connection."""
        async with AsyncExitStack() as hearing:
            try:
                await hearing.enter_async_context(self.listening(result, seconds))
            except RequestError as error:
                if not is_unheard(error):
                    raise
                heard = None
            else:
                heard = self
            yield heard

    async def stub(self, published: Published, seconds: float, asked_seconds: float) -> StubEvent:
        """Raises RequestError (`unavailable`) where none comes in so many seconds; the result is not lost."""
        await self._watch.until(lambda: self._found is not None, seconds)
        found = self._found or self._older
        if found is None:
            raise self._late(published, asked_seconds)
        return found

    async def close(self) -> None:
        """Hear nothing any more; more than once is fine."""
        subscriptions, self._subscriptions = self._subscriptions, []
        await self._connection.unsubscribe(subscriptions)
        self._watch.close()

    def _receive(self, heard: Heard) -> None:
        if heard.subject not in (*self._wanted, self._failed):
            return
        event = decode_stub(heard.subject, heard.data)
        if heard.subject == self._failed and not heard.live:
            self._older = event
        elif event is not None and (self._twin is None or self._twin.is_told_by(event)):
            self._found = self._found or event

    def _late(self, published: Published, seconds: float) -> RequestError:
        trouble = self._watch.trouble
        why = f" ({trouble})" if trouble else f"; if no worker runs, {START_A_WORKER}"
        return RequestError(
            Code.UNAVAILABLE,
            f"published as {published.result_id}, but no stub came within {seconds:g} s{why}; "
            "the result is kept, its stub will come: wait longer, or watch for it",
            **msgspec.structs.asdict(published),
        )
