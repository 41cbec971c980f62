"""A watched store tells each request once, and hides nothing of what the store in front of which it stands can do."""

from collections.abc import AsyncIterator

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import ObjectNotFound, StoreUnavailable
from coatcheck_workers.storage.buffers import GivesBuffers
from coatcheck_workers.storage.deleting import DeletesMany, delete_many
from coatcheck_workers.storage.listing import lists_from_anywhere
from coatcheck_workers.storage.objects import ObjectStorage
from coatcheck_workers.storage.watched import WatchedStore

Told = list[tuple[str, type[BaseException] | None]]


def watched(store: MemoryStore | FailingStore) -> tuple[WatchedStore, Told]:
    told: Told = []
    return WatchedStore(store, lambda name, seconds, error: told.append((name, type(error) if error else None))), told


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_all_that_the_worker_s_own_stores_can_do_it_can_do() -> None:
    one, _ = watched(MemoryStore())
    assert public(ObjectStorage) - set(dir(one)) == set()


def test_what_a_store_may_offer_besides_is_found() -> None:
    one, _ = watched(MemoryStore())
    assert isinstance(one, DeletesMany)
    assert isinstance(one, GivesBuffers)


@pytest.mark.parametrize("answer", [True, False])
def test_what_a_listing_costs_is_said_on(answer: bool) -> None:
    class Folder(MemoryStore):
        lists_from_anywhere = answer

    assert lists_from_anywhere(watched(Folder())[0]) is answer


async def test_many_are_deleted_by_the_store_s_one_request() -> None:
    asked: list[list[str]] = []

    class Many(MemoryStore):
        async def delete_many(self, keys: list[str]) -> None:
            asked.append(keys)

    one, told = watched(Many())
    await delete_many(one, ["a", "b"])
    assert asked == [["a", "b"]]
    assert told == [("delete_many", None)]


async def test_each_request_is_told_with_what_it_raised() -> None:
    one, told = watched(MemoryStore())
    await one.put("k", b"data")
    with pytest.raises(ObjectNotFound):
        await one.get("other")
    assert told == [("put", None), ("get", ObjectNotFound)]


async def test_a_listing_is_told_once_whether_it_is_read_to_its_end_or_not() -> None:
    one, told = watched(MemoryStore())
    for key in ("p/a", "p/b"):
        await one.put(key, b"")
    del told[:]
    assert [key async for key in one.list("p/")] == ["p/a", "p/b"]
    begun = one.list("p/")
    assert await anext(begun) == "p/a"
    assert isinstance(begun, AsyncIterator)
    await begun.aclose()  # type: ignore[attr-defined]
    assert [key async for key in one.list("nothing/")] == []
    assert told == [("list", None)] * 3


async def test_a_stream_that_fails_is_told_as_failed() -> None:
    store = FailingStore(MemoryStore())
    one, told = watched(store)
    await one.put("k", b"data")
    del told[:]
    store.fail("get_stream")
    with pytest.raises(StoreUnavailable):
        _ = [chunk async for chunk in one.get_stream("k")]
    assert told == [("get_stream", StoreUnavailable)]
