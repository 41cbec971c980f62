"""What a call's path names where the store tells the call's results by how their keys begin."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest
from tests.support.filing import Cabinet
from tests.support.filing_stores import BeginningStore, Told

from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.clock import utc_now
from coatcheck_workers.filesystem import results, results_of_call
from coatcheck_workers.filesystem.newest_of_calls import NewestOfCalls

CALL = "/large_tool_result/call_1"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every session counts as large, and whatever came after a result as much."""
    monkeypatch.setattr(results, "FIRST_ENTRIES", 1)
    monkeypatch.setattr(results, "MANY_ENTRIES", 1)


@pytest.fixture
def store() -> BeginningStore:
    return BeginningStore()


async def test_a_call_with_one_result_lists_nothing_else_of_its_session(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    await cabinet.keep("one")
    for number in range(50):
        await cabinet.keep(str(number), call=f"other{number}")
    for listed in ({"by beginning": 2, "by-time": 1}, {"by beginning": 2}):
        store.listed.clear()
        assert await cabinet.content(CALL) == "one"
        assert store.listed == listed


async def test_where_much_came_since_its_entry_was_read_its_results_are_asked_for(
    store: BeginningStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FIRST_ENTRIES", 1000)
    cabinet = Cabinet(store=store)
    await cabinet.keep("one")
    for listed in ({"by-time": 1}, {"by-time": 1}):
        store.listed.clear()
        assert await cabinet.content(CALL) == "one"
        assert store.listed == listed
    for number in range(5):
        await cabinet.keep(str(number), call=f"other{number}")
    for listed in ({"by-time": 6}, {"by beginning": 2}, {"by beginning": 2}):
        store.listed.clear()
        assert await cabinet.content(CALL) == "one"
        assert store.listed == listed


@pytest.mark.parametrize("texts", [("old", "new"), ("new", "old")])  # of one of them the newest is listed last
async def test_of_two_results_the_entries_tell_the_newest(store: BeginningStore, texts: tuple[str, str]) -> None:
    old, new = texts
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.keep(old)
    assert await one.content(CALL) == await one.content(CALL) == old
    ref = await other.keep(new, milliseconds=1_800_000_000_000)
    for _ in range(3):
        page = await one.fs_ok("read", path=CALL)
        assert (page["content"], page["ref"]) == (new, ref)
    await other.keep("early", milliseconds=1_000_000_000_000)
    assert await one.content(CALL) == new


async def test_where_the_newest_is_gone_the_one_before_is_named(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    await cabinet.keep("old")
    new = parse_ref(await cabinet.keep("new")).result_id
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "new"
    for key in [key async for key in store.list("v1/sessions/s1/")]:
        if new in key:
            await store.delete(key)
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "old"


async def test_calls_whose_ids_begin_alike_are_told_apart(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    for call in ("list", "list-1", "list-1-1", "lis"):
        await cabinet.keep(f"of {call}", call=call)
    for call in ("list", "list-1", "list-1-1", "lis"):
        assert await cabinet.content(f"/large_tool_result/{call}") == f"of {call}"
    assert (await cabinet.fs_error("read", path="/large_tool_result/list-"))[0] == "not_found"


async def test_where_too_many_keys_begin_alike_the_entries_tell(
    store: BeginningStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_of_call, "MOST_KEYS", 3)
    cabinet = Cabinet(store=store)
    await cabinet.keep("one", call="list")
    for number in range(3):
        await cabinet.keep(str(number), call=f"list-{number}")
    for _ in range(3):
        store.listed.clear()
        assert await cabinet.content("/large_tool_result/list") == "one"
        assert store.listed["by-time"] > 1


async def test_what_has_no_metadata_is_no_result(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    one = parse_ref(await cabinet.keep("one")).result_id
    await store.put(f"v1/sessions/s1/results/call_1-{'0' * 32}/output", b"being stored")
    await store.put("v1/sessions/s1/results/call_1-no-result-id/metadata.json", b"{}")
    assert await results_of_call.results_of_call(cabinet.retrieval, "s1", "call_1") == [one]


async def test_a_call_without_results_is_not_found_however_large_its_session(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    for number in range(5):
        await cabinet.keep(str(number), call=f"other{number}")
    store.listed.clear()
    assert (await cabinet.fs_error("read", path=CALL))[0] == "not_found"
    assert store.listed == {"by beginning": 0, "by-time": 1}


async def test_what_was_erased_since_is_not_given_out_of_memory(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    await cabinet.keep("one")
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "one"
    for key in [key async for key in store.list("v1/sessions/s1/results/")]:
        await store.delete(key)  # its entry is there for a while
    assert (await cabinet.fs_error("read", path=CALL))[0] == "not_found"


async def test_what_is_told_deleted_while_the_store_is_asked_is_gone() -> None:
    told = Told()

    class TellingStore(BeginningStore):
        async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
            await asyncio.sleep(0)  # what is at hand is read meanwhile
            if is_read:
                told.at = utc_now()
            return await super().beginning_with(start, most)

    is_read = False
    cabinet = Cabinet(store=TellingStore())
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    await cabinet.keep("one")
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == "one"
    is_read = True
    assert (await cabinet.fs_error("read", path=CALL))[0] == "gone"


async def test_where_the_store_cannot_tell_for_a_while_what_it_told_before_counts_for_nothing(
    store: BeginningStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(start: str, most: int) -> None:
        raise StoreUnavailable("of this listing alone")

    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.keep("old")
    assert await one.content(CALL) == "old"
    await other.keep("new", milliseconds=1_800_000_000_000)
    monkeypatch.setattr(store, "beginning_with", nothing)
    assert await one.content(CALL) == await one.content(CALL) == "new"


async def test_a_call_that_is_looked_for_by_itself_lists_no_more_than_its_results(store: BeginningStore) -> None:
    cabinet = Cabinet(store=store)
    newest = parse_ref(await cabinet.keep("one")).result_id
    for number in range(20):
        await cabinet.keep(str(number), call=f"other{number}")
    store.listed.clear()
    calls = NewestOfCalls(cabinet.retrieval, "s1")
    assert await calls.of("call_1") == newest
    await calls.aclose()
    assert store.listed == {"by beginning": 2}
