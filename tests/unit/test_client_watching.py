"""How a watch looks through the replay while something is waited for, whatever comes in between."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from tests.support.wait import eventually

from coatcheck.client import watching as watching_module
from coatcheck.client.connection import Connection
from coatcheck.client.feed import Feed
from coatcheck.client.watching import Watch
from coatcheck_core.credentials.login import login
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import Replayed, ReplayReply


class Answering:
    """A replay of one event a page, each answered at the test's word."""

    def __init__(self, *subjects: str) -> None:
        self.subjects = list(subjects)
        self.asked: list[int] = []
        self.let = asyncio.Semaphore(0)
        self.error: RequestError | None = None

    async def replay(self, after: str | None, limit: int) -> ReplayReply:
        start = int(after or 0)
        self.asked.append(start)
        await self.let.acquire()
        if self.error is not None:
            raise self.error
        page = [Replayed(subject=one, event=msgspec.Raw(b"{}")) for one in self.subjects[start : start + 1]]
        cursor = start + len(page)
        return ReplayReply(events=page, has_more=cursor < len(self.subjects), cursor=str(cursor))


class Watching:
    def __init__(self, answering: Answering) -> None:
        self.heard: list[str] = []
        connection = Connection(login("nats://127.0.0.1:1"))
        self.watch = Watch(connection, Feed(), answering.replay, lambda heard: self.heard.append(heard.subject))

    def until(self, done: Callable[[], bool]) -> asyncio.Task[bool]:
        return asyncio.create_task(self.watch.until(done, 20))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching_module, "FIRST_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(watching_module, "LONGEST_LOOK_SECONDS", 0.02)


async def test_a_rewind_counts_though_a_later_page_is_on_its_way() -> None:
    answering = Answering("a", "b", "c")
    it = Watching(answering)
    waiting = it.until(lambda: it.heard.count("a") == 2)
    answering.let.release()
    await eventually(lambda: len(answering.asked) == 2, expecting="the second page to be asked for")
    it.watch.rewind(at_once=True)
    for _ in range(10):
        answering.let.release()
    assert await waiting
    assert answering.asked[:3] == [0, 1, 0]


async def test_a_look_goes_on_where_the_last_one_ended() -> None:
    answering = Answering("a", "b")
    it = Watching(answering)
    waiting = it.until(lambda: "c" in it.heard)
    for _ in range(3):
        answering.let.release()
    await eventually(lambda: len(answering.asked) > 3, expecting="a second look")
    answering.subjects.append("c")
    for _ in range(3):
        answering.let.release()
    assert await waiting
    assert it.heard == ["a", "b", "c"]


async def test_a_cursor_that_is_refused_lets_it_begin_anew() -> None:
    answering = Answering("a")
    it = Watching(answering)
    waiting = it.until(lambda: it.heard.count("a") == 2)
    answering.let.release()
    await eventually(lambda: answering.asked == [0, 1], expecting="a second look")
    answering.error = RequestError(Code.INVALID_ARGUMENT, "the stream was made anew, begin without it")
    answering.let.release()
    await eventually(lambda: len(answering.asked) == 3, expecting="a third look")
    answering.error = None
    answering.let.release()
    assert await waiting
    assert answering.asked == [0, 1, 0]


async def test_trouble_is_that_of_the_last_look() -> None:
    answering = Answering("a")
    it = Watching(answering)
    answering.error = RequestError(Code.UNAVAILABLE, "the event stream does not answer; try again")
    waiting = it.until(lambda: "a" in it.heard)
    answering.let.release()
    await eventually(lambda: it.watch.trouble is not None, expecting="trouble")
    answering.error = None
    answering.let.release()
    assert await waiting
    assert it.watch.trouble is None


async def test_a_wait_that_ends_leaves_a_look_that_the_next_one_takes_up() -> None:
    answering = Answering("a")
    it = Watching(answering)
    assert not await it.watch.until(lambda: False, 0.5)
    assert answering.asked == [0]
    answering.let.release()
    assert await it.until(lambda: "a" in it.heard)
    assert answering.asked == [0]


async def test_closing_gives_up_the_look() -> None:
    answering = Answering("a")
    it = Watching(answering)
    assert not await it.watch.until(lambda: False, 0.5)
    it.watch.close()
    await asyncio.sleep(0)
    answering.let.release()
    assert not answering.let.locked()
