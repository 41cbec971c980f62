"""Searches and reads have threads of their own."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from coatcheck_workers.retrieval.threads import MOST_SEARCHERS, RequestThreads, in_request_thread


@pytest.fixture
def threads() -> Iterator[RequestThreads]:
    pools = RequestThreads()
    yield pools
    pools.close()


def here() -> str:
    return threading.current_thread().name.rpartition("_")[0]


@pytest.mark.parametrize(("verb", "pool"), [("search", "coatcheck-search"), ("read", "coatcheck-read")])
async def test_each_kind_of_request_has_its_threads(threads: RequestThreads, verb: str, pool: str) -> None:
    with threads.of(verb):
        assert await in_request_thread(here) == pool


async def test_tasks_that_a_request_begins_take_its_threads_even_after_it(threads: RequestThreads) -> None:
    go = asyncio.Event()

    async def later() -> str:
        await go.wait()
        return await in_request_thread(here)

    with threads.of("search"):
        task = asyncio.create_task(later())
    go.set()
    assert await task == "coatcheck-search"


async def test_outside_of_a_request_it_is_the_event_loop_s_own(threads: RequestThreads) -> None:
    with threads.of("search"):
        pass
    assert not (await in_request_thread(here)).startswith("coatcheck")


async def test_a_read_goes_on_while_searches_have_all_their_threads(threads: RequestThreads) -> None:
    go = threading.Event()
    with threads.of("search"):
        searches = [asyncio.create_task(in_request_thread(go.wait)) for _ in range(MOST_SEARCHERS + 1)]
    try:
        with threads.of("read"):
            assert await in_request_thread(here) == "coatcheck-read"
    finally:
        go.set()
    assert await asyncio.gather(*searches) == [True] * len(searches)


async def test_what_a_request_s_work_raises_is_raised(threads: RequestThreads) -> None:
    def fail() -> None:
        raise KeyError("x")

    with threads.of("read"), pytest.raises(KeyError):
        await in_request_thread(fail)
