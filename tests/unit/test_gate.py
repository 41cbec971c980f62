"""The gate in front of a store: what it lets through, what it refuses, and what it counts."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.breaker import FAILURES_IN_A_ROW, HUNG_REQUESTS
from coatcheck_schemas.errors import ObjectExists, ObjectNotFound, StoreRejected, StoreUnavailable
from coatcheck_workers.storage import Gate

T = TypeVar("T")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Set:
    """A gate over a store that fails as told, on a clock that is set by hand."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.store = FailingStore(MemoryStore())
        self.gate = Gate(self.store, clock=self.clock, jitter=lambda: 1.0)

    async def open(self) -> None:
        self.store.fail("put", error=lambda _: StoreUnavailable("connection refused"))
        for _ in range(FAILURES_IN_A_ROW):
            with pytest.raises(StoreUnavailable, match="connection refused"):
                await self.gate.put("k", b"x")
        assert self.gate.is_open


async def test_away_it_refuses_without_asking_and_says_since_when_and_until_when() -> None:
    it = Set()
    await it.open()
    it.clock.now += 0.3
    with pytest.raises(
        StoreUnavailable, match=re.escape("away for 0.3 s, the next try is in 0.2 s: connection refused")
    ):
        await it.gate.put("k", b"x")
    assert it.store.calls["put"] == FAILURES_IN_A_ROW


async def test_try_that_succeeds_lets_everything_through_again() -> None:
    it = Set()
    await it.open()
    it.store.heal()
    it.clock.now += 0.5
    await it.gate.put("k", b"x")
    assert not it.gate.is_open
    assert await it.gate.get("k") == b"x"


async def test_counters() -> None:
    it = Set()
    await it.open()
    with pytest.raises(StoreUnavailable):
        await it.gate.get("k")
    assert (it.gate.requests, it.gate.failures, it.gate.refused, it.gate.openings, it.gate.pending) == (5, 5, 1, 1, 0)


@pytest.mark.parametrize("error", [ObjectExists, ObjectNotFound, StoreRejected])
async def test_refusal_by_the_store_is_an_answer(error: type[Exception]) -> None:
    it = Set()
    it.store.fail(error=error)
    for _ in range(20):
        with pytest.raises(error):
            await it.gate.get("k")
    assert not it.gate.is_open


async def test_hang_is_found_by_the_next_request_and_what_hangs_is_not_cut() -> None:
    it = Set()
    it.store.hang("put")
    hanging = [asyncio.create_task(it.gate.put(f"k{number}", b"x")) for number in range(HUNG_REQUESTS)]
    await asyncio.sleep(0)
    assert it.gate.pending == HUNG_REQUESTS
    it.clock.now += 1.1
    with pytest.raises(StoreUnavailable, match="hang"):
        await it.gate.put("other", b"x")
    it.store.heal()
    await asyncio.gather(*hanging)
    assert (it.gate.is_open, it.gate.pending) == (False, 0)
    assert await it.gate.get("k0") == b"x"


async def test_cancelled_request_is_no_longer_pending_and_counts_for_nothing() -> None:
    it = Set()
    it.store.hang("put")
    for _ in range(10):
        task = asyncio.create_task(it.gate.put("k", b"x"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (it.gate.pending, it.gate.failures, it.gate.is_open) == (0, 0, False)


async def test_list_that_is_read_slowly_is_not_pending() -> None:
    it = Set()
    for number in range(3):
        await it.gate.put(f"p/{number}", b"x")
    listing = it.gate.list("p/")
    assert await anext(listing) == "p/0"
    assert it.gate.pending == 0
    assert [key async for key in listing] == ["p/1", "p/2"]


async def test_list_that_is_left_early_is_not_pending() -> None:
    it = Set()
    it.store.hang("list")
    listing = it.gate.list("p/")
    task = asyncio.create_task(_first(listing))
    await asyncio.sleep(0)
    assert it.gate.pending == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert it.gate.pending == 0


async def _first(listing: AsyncIterator[T]) -> T:
    return await anext(listing)


OPERATIONS: dict[str, Callable[[Gate], Awaitable[object]]] = {
    "put": lambda gate: gate.put("k", b"x"),
    "get": lambda gate: gate.get("k"),
    "get_range": lambda gate: gate.get_range("k", 0, 1),
    "list": lambda gate: _first(gate.list("k/")),
    "put_stream": lambda gate: gate.put_stream("k", chunks(b"x")),
    "get_stream": lambda gate: _first(gate.get_stream("k")),
    "head": lambda gate: gate.head("k"),
    "copy": lambda gate: gate.copy("k", "t"),
    "abandon": lambda gate: gate.abandon("k"),
    "delete": lambda gate: gate.delete("k"),
    "check": lambda gate: gate.check(),
}


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_each_operation_is_refused_while_it_is_open_and_failing_opens_it(operation: str) -> None:
    it = Set()
    it.store.fail()
    for _ in range(FAILURES_IN_A_ROW):
        with pytest.raises(StoreUnavailable):
            await OPERATIONS[operation](it.gate)
    assert it.gate.is_open
    it.store.heal()
    with pytest.raises(StoreUnavailable, match="next try"):
        await OPERATIONS[operation](it.gate)


async def test_name_of_an_object_is_told_while_it_is_open() -> None:
    it = Set()
    await it.open()
    assert it.gate.uri("k") == "memory://memory/k"


async def test_opening_and_closing_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "coatcheck.storage")
    it = Set()
    await it.open()
    it.store.heal()
    it.clock.now += 2
    await it.gate.put("k", b"x")
    assert [record.getMessage() for record in caplog.records] == [
        "object storage is away, 0 requests are pending: connection refused",
        "object storage is back after 2.0 s",
    ]


async def chunks(*data: bytes, error: Exception | None = None) -> AsyncIterator[bytes]:
    for one in data:
        yield one
    if error is not None:
        raise error


async def never(started: asyncio.Event) -> AsyncIterator[bytes]:
    yield b"x"
    started.set()
    await asyncio.Event().wait()


async def test_streams_whose_sources_take_their_time_are_no_sign_of_a_store_that_hangs() -> None:
    it, started = Set(), [asyncio.Event() for _ in range(HUNG_REQUESTS)]
    tasks = [asyncio.create_task(it.gate.put_stream(f"k{at}", never(event))) for at, event in enumerate(started)]
    await asyncio.gather(*(event.wait() for event in started))
    it.clock.now += 3600
    await it.gate.put("other", b"x")
    assert (it.gate.is_open, it.gate.pending) == (False, 0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert it.gate.failures == 0


@pytest.mark.parametrize("operation", ["put_stream", "copy"])
async def test_stream_or_copy_that_has_only_begun_does_not_close_an_open_gate(operation: str) -> None:
    it = Set()
    await it.gate.put("k", b"x")
    it.clock.now += 1
    await it.open()
    it.store.hang("copy")
    it.clock.now += 0.5
    started = asyncio.Event()
    attempt = it.gate.copy("k", "t") if operation == "copy" else it.gate.put_stream("k", never(started))
    task = asyncio.create_task(attempt)
    await asyncio.sleep(0)
    assert it.gate.is_open
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert it.gate.is_open


async def test_stream_that_succeeds_closes_the_gate() -> None:
    it = Set()
    await it.open()
    it.store.heal()
    it.clock.now += 0.5
    await it.gate.put_stream("k", chunks(b"a", b"b"))
    assert not it.gate.is_open
    assert await it.gate.get("k") == b"ab"


@pytest.mark.parametrize("error", [StoreUnavailable, ObjectNotFound, KeyError])
async def test_what_a_stream_s_source_raises_says_nothing_about_the_store(error: type[Exception]) -> None:
    it = Set()
    for _ in range(2 * FAILURES_IN_A_ROW):
        it.clock.now += 1
        with pytest.raises(error):
            await it.gate.put_stream("k", chunks(b"a", error=error("of another store")))
    assert (it.gate.is_open, it.gate.failures, it.gate.pending) == (False, 0, 0)
    await it.open()
    it.clock.now += 0.5
    with pytest.raises(error):
        await it.gate.put_stream("k", chunks(error=error("of another store")))
    assert it.gate.is_open


async def test_stream_that_is_read_slowly_is_not_pending() -> None:
    it = Set()
    await it.gate.put("k", b"x")
    stream = it.gate.get_stream("k")
    assert await anext(stream) == b"x"
    assert it.gate.pending == 0
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
