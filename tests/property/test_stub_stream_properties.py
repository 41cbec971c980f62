"""A stream of stubs gives each event once, whichever are heard, late or never, and whenever something breaks."""

import asyncio
from typing import cast
from unittest.mock import patch

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg

from coatcheck.client import paging as paging_module
from coatcheck.client import seen as seen_module
from coatcheck.client import stubs as stubs_module
from coatcheck.client.connection import Connection
from coatcheck.client.feed import Feed
from coatcheck.client.stubs import StubStream
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Replayed, ReplayReply

GENERATION = 6
LONGEST_LAG = 3
"""An event reaches us at most so many events late."""
SUBJECTS = 7
"""They come again: each event but the first of one is of a result that was deleted and published anew."""
NEVER = LONGEST_LAG + 1


class Stream:
    """Events, and the connection that they are heard by; both ends of what a StubStream talks to."""

    ended = False

    def __init__(self) -> None:
        self.events: list[Replayed] = []
        self.feed = Feed()
        self._late: list[tuple[int, Msg]] = []

    async def subscribe(self, subjects: list[str], feed: Feed) -> list[object]:
        self.feed = feed
        return [object()]

    async def unsubscribe(self, subscriptions: list[object]) -> None:
        pass

    def check_open(self) -> None:
        pass

    async def replay(self, after: str | None, limit: int) -> ReplayReply:
        await asyncio.sleep(0)
        start = len(self.events) if limit == 0 else int(after or 0)
        page = self.events[start : start + limit]
        end = start + len(page)
        return ReplayReply(events=page, has_more=limit > 0 and end < len(self.events), cursor=str(end))

    async def publish(self, lag: int) -> None:
        number = len(self.events)
        subject = f"coat.stubs.s.=.{number % SUBJECTS}"
        body = msgspec.json.encode(
            StubEvent(
                session_id="s",
                turn_id="",
                call_id=str(number),
                tool_name=None,
                disposition="inline",
                content="",
                created_at=str(number),
            )
        )
        self.events.append(Replayed(subject=subject, event=msgspec.Raw(body)))
        if lag != NEVER:
            self._late.append((number + lag, Msg(Nats(), subject, "", body)))
        for due, message in sorted(self._late, key=lambda one: one[0]):
            if due <= number:
                await self.feed.receive(message)
        self._late = [one for one in self._late if one[0] > number]

    def break_off(self) -> None:
        """What is on its way is lost."""
        self._late.clear()
        self.feed.interrupt()


Step = st.one_of(
    st.integers(0, NEVER).map(lambda lag: ("publish", lag)),
    st.integers(1, 4).map(lambda count: ("take", count)),
    st.just(("break", 0)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(Step, max_size=120), st.sampled_from([0.0, 3600.0]))
def test_each_event_comes_once_whatever_is_heard(steps: list[tuple[str, int]], check_seconds: float) -> None:
    with (
        patch.object(paging_module, "PAGE", 2),
        patch.object(stubs_module, "CHECK_SECONDS", check_seconds),
        patch.object(seen_module.Seen.__init__, "__defaults__", (GENERATION,)),
    ):
        asyncio.run(_follow(steps))


async def _follow(steps: list[tuple[str, int]]) -> None:
    stream = Stream()
    stubs = StubStream(cast(Connection, stream), "coat.stubs.s.>", stream.replay, after=None, from_start=False)
    got: list[int] = []
    async with stubs:
        for kind, number in steps:
            if kind == "publish":
                await stream.publish(number)
            elif kind == "break":
                stream.break_off()
            else:
                await _take(stubs, got, number)
        stream.break_off()
        while len(got) < len(stream.events):
            got.append(int((await asyncio.wait_for(anext(stubs), 60)).call_id))
        await stream.publish(0)
        got.append(int((await asyncio.wait_for(anext(stubs), 60)).call_id))
    assert sorted(got) == list(range(len(stream.events)))


async def _take(stubs: StubStream, got: list[int], moves: int) -> None:
    """So many moves of the stream, which may give nothing, and never wait."""
    for _ in range(moves):
        step = asyncio.ensure_future(stubs._step())
        for _ in range(5):
            await asyncio.sleep(0)
        if not step.done():
            step.cancel()
            await asyncio.wait({step})
        elif (event := step.result()) is not None:
            got.append(int(event.call_id))
