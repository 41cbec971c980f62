"""Long searches have a thread step by step, and none once nobody waits for them."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from tests.support.originals import Large, Shelf

from coatcheck_workers.retrieval.threads import RequestThreads, in_request_thread

LINE = "x" * 200_000
KINDS = pytest.mark.parametrize("large", [None, Large(block_bytes=50_000)], ids=["small", "large"])


class Watched:
    """Finds nothing, a stride at a time, and holds its first look until it may go on."""

    longest = 1
    most_stride = 1000

    def __init__(self) -> None:
        self.looks: list[object] = []
        self.threads: set[int] = set()
        self.has_begun = threading.Event()
        self.may_go_on = threading.Event()

    def next(self, data: bytes, start: int, stop: int) -> None:
        self.looks.append("look")
        self.threads.add(threading.get_ident())
        self.has_begun.set()
        assert self.may_go_on.wait(30)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    matcher = Watched()
    monkeypatch.setattr("coatcheck_workers.retrieval.searching.seeking.matcher_for", lambda query, **_: matcher)
    yield matcher
    matcher.may_go_on.set()


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[RequestThreads]:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    pools = RequestThreads()
    yield pools
    pools.close()


async def begun(shelf: Shelf, watched: Watched, threads: RequestThreads, **fields: Any) -> asyncio.Task[Any]:
    """A search that is at its first look."""
    with threads.of("search"):
        task = asyncio.create_task(shelf.ok("search", query="y", regex=True, **fields))
    assert await asyncio.to_thread(watched.has_begun.wait, 30)
    return task


@KINDS
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("in_session", [False, True])
async def test_the_thread_of_a_search_that_is_given_up_ends_after_the_look_that_it_is_at(
    watched: Watched, one_thread: RequestThreads, large: Large | None, invert: bool, in_session: bool
) -> None:
    shelf = Shelf()
    ref = await shelf.keep(LINE, large=large)
    task = await begun(shelf, watched, one_thread, invert=invert, ref=None if in_session else ref)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    watched.may_go_on.set()
    with one_thread.of("search"):
        await in_request_thread(lambda: None)
    assert watched.looks == ["look"]


@KINDS
@pytest.mark.parametrize("invert", [False, True])
async def test_whoever_waits_for_a_thread_has_it_after_a_step_of_a_search(
    watched: Watched,
    one_thread: RequestThreads,
    large: Large | None,
    invert: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coatcheck_workers.retrieval.pace.STEP_SECONDS", 0.0)
    shelf = Shelf()
    ref = await shelf.keep(LINE, large=large)
    task = await begun(shelf, watched, one_thread, invert=invert, ref=ref)
    with one_thread.of("search"):
        other = asyncio.create_task(in_request_thread(lambda: watched.looks.append("other")))
    await asyncio.sleep(0)  # so that it stands in the line
    watched.may_go_on.set()
    page = await task
    await other
    assert watched.looks.index("other") == 1
    assert len(watched.looks) > len(LINE) // Watched.most_stride
    assert (page["total"], page["has_more"]) == (1 if invert else 0, False)


@KINDS
async def test_a_search_that_may_be_slow_is_never_in_the_event_loop(watched: Watched, large: Large | None) -> None:
    shelf = Shelf()
    ref = await shelf.keep("few bytes", large=large)
    watched.may_go_on.set()
    await shelf.ok("search", query="y", regex=True, ref=ref)
    assert watched.threads
    assert threading.get_ident() not in watched.threads


@KINDS
@pytest.mark.parametrize("in_session", [False, True])
async def test_a_line_that_the_time_does_not_suffice_for_is_an_error_that_names_it(
    large: Large | None, in_session: bool
) -> None:
    shelf = Shelf(requests={"search_seconds": 1e-9})
    ref = await shelf.keep("first\n" + 2 * LINE, large=large)
    fields: dict[str, Any] = {"query": "y", "regex": True, "invert": True, "ref": None if in_session else ref}
    found, cursor = [], None
    for _ in range(5):
        reply = msgspec.json.decode((await shelf.ask("search", cursor=cursor, **fields)).body)
        if "error" in reply:
            break
        found += reply["ok"]["matches"]
        cursor = reply["ok"]["cursor"]
    assert [match["snippet"][:5] for match in found] == ["first"]
    error = reply["error"]
    assert (error["code"], error["details"]["ref"], error["details"]["offset"]) == ("too_large", ref, 6)
    assert error["details"]["limit"] == "requests.search_seconds"
    assert "without invert" in error["message"]


@KINDS
async def test_lines_of_a_look_s_length_are_found_in_no_time_at_all(large: Large | None) -> None:
    shelf = Shelf(requests={"search_seconds": 1e-9})
    ref = await shelf.keep((50_000 * "x" + "\n") * 4, large=large)
    fields: dict[str, Any] = {"query": "y", "regex": True, "invert": True, "limit": 1000, "ref": ref}
    found, cursor = 0, None
    for _ in range(10):
        page = await shelf.ok("search", cursor=cursor, **fields)
        found, cursor = found + len(page["matches"]), page["cursor"]
        if cursor is None:
            break
    assert found == 4
