"""The failing store fails as told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import ObjectNotFound, StoreRejected, StoreUnavailable


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
    await asyncio.wait_for(putting, 60)
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


async def _two() -> AsyncIterator[bytes]:
    yield b"0123"
    yield b"4567"


async def test_stream_fails_in_its_middle_and_leaves_nothing() -> None:
    store = FailingStore(MemoryStore())
    store.fail("put_stream", at_byte=6, times=1)
    with pytest.raises(StoreUnavailable, match="put_stream of k fails"):
        await store.put_stream("k", _two())
    with pytest.raises(ObjectNotFound):
        await store.head("k")
    await store.put_stream("k", _two())
    assert (await store.get("k"), store.calls["put_stream"], store.failures) == (b"01234567", 2, 1)


async def test_stream_is_read_up_to_the_byte_at_which_it_fails() -> None:
    store = FailingStore(MemoryStore())
    await store.put_stream("k", _two())
    store.fail(at_byte=5)
    stream = store.get_stream("k")
    assert await anext(stream) == b"01234"
    with pytest.raises(StoreUnavailable):
        await anext(stream)


async def test_failure_at_a_byte_is_for_streams_alone() -> None:
    with pytest.raises(ValueError, match="put_stream and get_stream alone"):
        FailingStore(MemoryStore()).fail("put", at_byte=1)


@pytest.mark.parametrize("after", [False, True])
async def test_each_operation_can_fail(after: bool) -> None:
    store = FailingStore(MemoryStore())
    await store.put("k", b"x")
    store.fail(after=after)
    attempts: dict[str, Awaitable[object]] = {
        "put": store.put("k", b"x"),
        "put_stream": store.put_stream("k", _two()),
        "abandon": store.abandon("k"),
        "get": store.get("k"),
        "get_range": store.get_range("k", 0, 1),
        "head": store.head("k"),
        "copy": store.copy("k", "t"),
        "check": store.check(),
        "presign": store.presign("GET", "k", 60),
        "delete": store.delete("k"),
    }
    for name, attempt in attempts.items():
        with pytest.raises(StoreUnavailable, match=f"{name} of"):
            await attempt
    assert store.failures == len(attempts)
