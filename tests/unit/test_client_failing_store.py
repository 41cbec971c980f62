"""The failing store fails as told."""

import asyncio

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable


@pytest.fixture
def store() -> FailingStore:
    return FailingStore(MemoryStore())


async def outcomes(store: FailingStore, count: int, key: str = "k") -> list[bool]:
    done = []
    for _ in range(count):
        try:
            await store.put(key, b"x")
        except StoreUnavailable:
            done.append(False)
        else:
            done.append(True)
    return done


async def test_named_operations_fail_and_others_do_not(store: FailingStore) -> None:
    await store.put("k", b"x")
    store.fail("get", "list")
    with pytest.raises(StoreUnavailable):
        await store.get("k")
    with pytest.raises(StoreUnavailable):
        _ = [key async for key in store.list("")]
    await store.put("k", b"y")
    assert await store.get_range("k", 0, 1) == b"y"


async def test_every_nth_fails(store: FailingStore) -> None:
    store.fail("put", every=3)
    assert await outcomes(store, 7) == [True, True, False, True, True, False, True]


async def test_so_many_fail_and_no_more(store: FailingStore) -> None:
    store.fail("put", times=2)
    assert await outcomes(store, 4) == [False, False, True, True]
    assert (store.calls["put"], store.failures) == (4, 2)


async def test_only_the_keys_that_match_fail(store: FailingStore) -> None:
    store.fail("put", key="a")
    store.fail(key=lambda key: key.endswith("metadata.json"))
    assert await outcomes(store, 1, "a") == [False]
    assert await outcomes(store, 1, "b") == [True]
    assert await outcomes(store, 1, "b/metadata.json") == [False]


async def test_a_call_whose_answer_is_lost_is_done(store: FailingStore) -> None:
    store.fail("put", after=True, times=1)
    assert await outcomes(store, 1) == [False]
    assert await store.get("k") == b"x"


async def test_the_error_can_be_chosen(store: FailingStore) -> None:
    store.fail("check", error=StoreRejected)
    with pytest.raises(StoreRejected, match="as told"):
        await store.check()


async def test_what_hangs_goes_through_once_healed(store: FailingStore) -> None:
    store.hang("put")
    putting = asyncio.ensure_future(store.put("k", b"x"))
    await asyncio.sleep(0)
    assert not putting.done()
    store.heal()
    await asyncio.wait_for(putting, 5)
    assert await store.get("k") == b"x"


async def test_a_hanging_call_can_be_given_up(store: FailingStore) -> None:
    store.hang("get")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await store.get("k")


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "../a", "a/./b"])
async def test_a_malformed_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="no key"):
        await MemoryStore().put(key, b"")
