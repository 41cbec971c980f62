"""Which result a call's path names: the newest there is, though what it named before is remembered."""

from collections.abc import AsyncIterator

import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.filesystem import results
from coatcheck_workers.filesystem.newest_of_calls import NewestOfCalls

FOLDER = "/large_tool_result"
CALL = f"{FOLDER}/call_1"


class ListingStore(MemoryStore):
    """It counts the names that it lists, by the folder of a session."""

    def __init__(self) -> None:
        super().__init__()
        self.listed = {"results": 0, "by-time": 0}

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in super().list(prefix, after=after):
            self.listed[key.split("/")[3]] += 1
            yield key


async def test_a_second_read_lists_no_more_than_what_came_since() -> None:
    store = ListingStore()
    cabinet = Cabinet(store=store)
    await cabinet.keep("one")
    for number in range(50):
        await cabinet.keep(str(number), call=f"other{number}", milliseconds=1000 + number)
    assert await cabinet.content(CALL) == "one"
    store.listed.update({"results": 0, "by-time": 0})
    assert await cabinet.content(CALL) == "one"
    assert store.listed == {"results": 0, "by-time": 1}


async def test_what_another_worker_has_stored_since_is_the_newest() -> None:
    store = MemoryStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.keep("old")
    assert await one.content(CALL) == "old"
    ref = await other.keep("new", milliseconds=1_800_000_000_000)
    page = await one.fs_ok("read", path=CALL)
    assert (page["content"], page["ref"]) == ("new", ref)
    assert (await one.fs_ok("grep", path=CALL, pattern="new"))["ref"] == ref


async def test_a_result_that_came_again_in_a_later_turn_is_the_newest() -> None:
    cabinet = Cabinet()
    first = parse_ref(await cabinet.keep("first")).result_id
    assert await cabinet.content(CALL) == "first"
    await cabinet.keep("second")
    assert await cabinet.content(CALL) == "second"
    await cabinet.enter("s1", first, "t2", 1_790_000_100_000)
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "first"


@pytest.mark.parametrize("is_read_before", [True, False])
async def test_where_the_newest_is_gone_the_one_before_is_named(is_read_before: bool) -> None:
    cabinet = Cabinet()
    await cabinet.keep("old")
    if not is_read_before:
        assert await cabinet.content(CALL) == "old"
    new = parse_ref(await cabinet.keep("new")).result_id
    if is_read_before:
        assert await cabinet.content(CALL) == "new"
    for key in [key async for key in cabinet.store.list("v1/sessions/s1/")]:
        if new in key:
            await cabinet.store.delete(key)
    assert await cabinet.content(CALL) == "old"


async def test_where_too_much_came_since_it_is_looked_for_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_ENTRIES", 5)
    cabinet = Cabinet()
    await cabinet.keep("old")
    assert await cabinet.content(CALL) == "old"
    for number in range(9):
        await cabinet.keep(str(number), call=f"other{number}")
    assert await cabinet.content(CALL) == "old"
    await cabinet.keep("new")
    assert await cabinet.content(CALL) == "new"


@pytest.mark.parametrize("texts", [("old", "new"), ("new", "old")])  # of one of them the newest is listed last
async def test_a_walk_that_was_broken_off_is_begun_anew(texts: tuple[str, str]) -> None:
    store = FailingStore(MemoryStore())
    cabinet = Cabinet(store=store)
    for text in texts:
        newest = parse_ref(await cabinet.keep(text)).result_id
    calls = NewestOfCalls(cabinet.retrieval, "s1", are_many=True)
    store.fail("list", key=lambda key: "/by-time/" in key, times=1)
    with pytest.raises(StoreUnavailable):
        await calls.of("call_1")
    assert store.failures == 1
    assert await calls.of("call_1") == newest
    await calls.aclose()


async def test_an_entry_that_was_withdrawn_counts_for_nothing() -> None:
    cabinet = Cabinet()
    first = parse_ref(await cabinet.keep("first")).result_id
    await cabinet.keep("second")
    await cabinet.enter("s1", first, "t2", 1_790_000_100_000)
    assert await cabinet.content(CALL) == "first"
    (entry,) = [key async for key in cabinet.store.list("v1/sessions/s1/by-time/1790000100000")]
    await cabinet.store.delete(entry)
    assert await cabinet.content(CALL) == "second"


async def test_a_result_without_an_entry_is_found_by_its_call() -> None:
    cabinet = Cabinet()
    await cabinet.keep("text")
    for key in [key async for key in cabinet.store.list("v1/sessions/s1/by-time/")]:
        await cabinet.store.delete(key)
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "text"


async def test_a_request_that_is_wrong_is_so_the_second_time_as_well() -> None:
    cabinet = Cabinet()
    await cabinet.keep("text")
    assert await cabinet.content(CALL) == "text"
    assert (await cabinet.fs_error("read", path=CALL, limit=0))[0] == "invalid_argument"
    assert (await cabinet.fs_error("read", path=f"{CALL}/x"))[0] == "not_found"
