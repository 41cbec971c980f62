"""Several children: a call each, a death is one call's alone, and long bytes arrive as they are."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.support import poison
from tests.support.processes import cpu_ticks, is_alive
from tests.support.wait import eventually

from coatcheck_workers.isolation import Isolated, IsolatedPool, NoChild, WorkerKilled
from coatcheck_workers.isolation.wire import ATTACHED_BYTES, dump_call, load, load_call

MEMORY = 1024 * poison.MIB


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[IsolatedPool]:
    pool = IsolatedPool(2, 30, MEMORY)
    yield pool
    await pool.close()


async def test_calls_beside_each_other_run_in_different_children(pool: IsolatedPool) -> None:
    assert len(set(await asyncio.gather(pool.run(os.getpid), pool.run(os.getpid)))) == 2


async def test_there_are_never_more_children_than_the_size(pool: IsolatedPool) -> None:
    assert len(set(await asyncio.gather(*(pool.run(os.getpid) for _ in range(12))))) == 2


async def test_calls_one_after_another_stay_with_one_child(pool: IsolatedPool) -> None:
    assert len({await pool.run(os.getpid) for _ in range(5)}) == 1


async def test_a_call_that_kills_takes_no_neighbour_with_it(pool: IsolatedPool) -> None:
    texts = [poison.SEGFAULT if number % 3 == 1 else "x" * number for number in range(9)]
    outcomes = await asyncio.gather(*(pool.run(poison.count, text) for text in texts), return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        if number % 3 == 1:
            assert isinstance(outcome, WorkerKilled)
        else:
            assert outcome == number


async def test_a_cancelled_call_gives_its_place_back() -> None:
    pool = IsolatedPool(1, 30, MEMORY)
    pid = await pool.run(os.getpid)
    running = asyncio.create_task(pool.run(poison.count, poison.LOOP))
    await eventually(lambda: cpu_ticks(pid) > 20, expecting="the loop")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await pool.run(poison.count, "next") == 4
    await pool.close()


async def test_close_ends_every_child_and_what_waits_gets_none(pool: IsolatedPool) -> None:
    pids = await asyncio.gather(pool.run(os.getpid), pool.run(os.getpid))
    running = [asyncio.create_task(pool.run(poison.count, poison.LOOP)) for _ in range(3)]
    await eventually(lambda: all(cpu_ticks(pid) > 20 for pid in pids), expecting="the loops")
    await pool.close()
    outcomes = await asyncio.gather(*running, return_exceptions=True)
    assert all(isinstance(outcome, NoChild) for outcome in outcomes)
    assert not any(map(is_alive, pids))


async def test_idle_children_are_ended() -> None:
    pool = IsolatedPool(2, 30, MEMORY, idle_seconds=0.05)
    pids = await asyncio.gather(pool.run(os.getpid), pool.run(os.getpid))
    await eventually(lambda: not any(map(is_alive, pids)), expecting="the end of the idle children")
    await pool.close()


def hash_of(first: bytes, second: bytes) -> tuple[str, str]:
    assert type(first) is type(second) is bytes
    return hashlib.sha256(first).hexdigest(), hashlib.sha256(second).hexdigest()


@pytest.mark.parametrize("size", [0, ATTACHED_BYTES, ATTACHED_BYTES + 1, 5_000_000])
async def test_bytes_of_any_length_arrive_as_they_are(pool: IsolatedPool, size: int) -> None:
    data = os.urandom(size)
    digest = hashlib.sha256(data).hexdigest()
    assert await pool.run(hash_of, data, data) == (digest, digest)
    assert await pool.run(poison.count, "next") == 4


def test_long_bytes_are_attached_and_not_copied() -> None:
    data = bytes(ATTACHED_BYTES + 1)
    call = dump_call(hash_of, (data, b"short"))
    assert [view.obj for view in call.attachments] == [data]
    assert len(call.head) < 1000
    lengths, pickled = load(call.head)
    function, (first, second) = load_call(pickled, [data])
    assert (function, lengths, second) == (hash_of, [len(data)], b"short")
    assert first is data


async def test_an_attachment_that_the_child_has_no_room_for_is_blamed_on_the_call() -> None:
    isolated = Isolated(30, 256 * poison.MIB)
    with pytest.raises(WorkerKilled, match="of memory"):
        await isolated.run(hash_of, bytes(300_000_000), b"")
    assert await isolated.run(poison.count, "next") == 4
    await isolated.close()


async def test_a_child_that_dies_of_a_call_with_an_attachment_is_replaced(pool: IsolatedPool) -> None:
    with pytest.raises(WorkerKilled, match="ended with code 3"):
        await pool.run(exit_with, bytes(30_000_000))
    assert await pool.run(poison.count, "next") == 4


def exit_with(data: bytes) -> None:
    os._exit(3)


def mark() -> None:
    os.environ["COATCHECK_TEST_MARK"] = "there"


def is_marked() -> bool:
    return "COATCHECK_TEST_MARK" in os.environ


async def test_a_child_that_was_prepared_takes_the_next_call(pool: IsolatedPool) -> None:
    pool.prepare(mark)
    assert await pool.run(is_marked)
    assert pool.children == 1


async def test_no_child_is_prepared_beside_one_that_is_there(pool: IsolatedPool) -> None:
    pid = await pool.run(os.getpid)
    pool.prepare(mark)
    assert (await pool.run(os.getpid), await pool.run(is_marked)) == (pid, False)


async def test_a_child_that_dies_while_it_is_prepared_costs_no_call(pool: IsolatedPool) -> None:
    pool.prepare(os.abort)
    assert await pool.run(poison.count, "next") == 4


async def test_closing_ends_a_child_that_is_being_prepared() -> None:
    pool = IsolatedPool(1, 30, MEMORY)
    pool.prepare(poison.hang)
    await eventually(lambda: pool.children == 1, expecting="a child")
    await pool.close()
    with pytest.raises(NoChild):
        await pool.run(os.getpid)
