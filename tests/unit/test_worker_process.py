"""What a worker asks of its system: that memory goes back, that threads stand back, that reads take turns."""

import asyncio
import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.wait import eventually

from coatcheck_workers.process import memory
from coatcheck_workers.process.background import NICE, stand_back
from coatcheck_workers.process.memory import give_back_free_pages, give_back_large_blocks
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.uploads.lanes import Lanes

_IS_LINUX = sys.platform == "linux"
_MIB = 1024 * 1024


def test_threads_that_stand_back_do_so_alone() -> None:
    if not _IS_LINUX:
        stand_back()
        return
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    with ThreadPoolExecutor(1, initializer=stand_back) as threads:
        theirs = threads.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())).result()
    assert theirs == max(before, NICE)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_thread_that_may_not_stand_back_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    with ThreadPoolExecutor(1, initializer=stand_back) as threads:
        assert threads.submit(lambda: 1).result() == 1


def test_large_blocks_go_back_where_the_allocator_is_told() -> None:
    """In a process of its own: the limit is for all of one."""
    is_glibc = _IS_LINUX and any("libc.so.6" in line for line in Path("/proc/self/maps").read_text().splitlines())
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(give_back_large_blocks) is is_glibc


def test_what_was_freed_between_what_stays_goes_back() -> None:
    """Where the allocator is glibc's: others do so by themselves, or not at all."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        is_glibc, given_back = pool.apply(_given_back_of_36_mib)
    assert not is_glibc or given_back > 20 * _MIB


def _given_back_of_36_mib() -> tuple[bool, int]:
    is_glibc = give_back_large_blocks()
    blocks = [b"x" * _MIB for _ in range(40)]
    stays = blocks[9::10]
    blocks.clear()
    before = _rss()
    give_back_free_pages()
    return is_glibc and len(stays) == 4, before - _rss()


def _rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if _IS_LINUX else 0


async def test_memory_is_given_back_only_while_no_large_result_is_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "EACH_SECONDS", 0)
    looks = iter([False, False, True])
    were_at_rest: list[bool] = []
    given_back = asyncio.Event()
    loop = asyncio.get_running_loop()

    def is_at_rest() -> bool:
        were_at_rest.append(next(looks, False))
        return were_at_rest[-1]

    def give_back() -> None:
        loop.call_soon_threadsafe(given_back.set)

    giving = asyncio.create_task(memory.give_back_for_ever(is_at_rest, give_back))
    async with asyncio.timeout(60):
        await given_back.wait()
    giving.cancel()
    assert were_at_rest[:3] == [False, False, True]


class _Slow:
    """A log of which each read waits to be let go."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.free = asyncio.Semaphore(0)

    async def read(self, pattern: str, _after: int, _max_bytes: int) -> list[Kept]:
        self.asked.append(pattern)
        await self.free.acquire()
        return []

    async def last(self, subject: str) -> None:
        self.asked.append(f"last {subject}")

    async def first(self, pattern: str, after: int = 0) -> None:
        self.asked.append(f"first {pattern} {after}")

    async def purge(self, pattern: str, through: int | None = None) -> None:
        self.asked.append(f"purge {pattern} {through}")


async def test_batches_are_read_a_few_at_a_time_in_the_order_they_were_asked_for() -> None:
    slow = _Slow()
    lanes = Lanes(slow, 2)
    async with asyncio.TaskGroup() as group:
        for name in "abcd":
            group.create_task(lanes.read(name, 0, 1))
        for asked in ("ab", "abc", "abcd"):
            await eventually(lambda: slow.asked[-1:] == [asked[-1]])  # noqa: B023 - it is awaited before the next
            for _ in range(5):
                await asyncio.sleep(0)
            assert "".join(slow.asked) == asked
            slow.free.release()
        slow.free.release()


async def test_read_that_is_cancelled_leaves_its_lane() -> None:
    slow = _Slow()
    lanes = Lanes(slow, 1)
    first = asyncio.create_task(lanes.read("a", 0, 1))
    await eventually(lambda: slow.asked)
    first.cancel()
    slow.free.release()
    assert await lanes.read("b", 0, 1) == []


async def test_what_gives_no_piece_does_not_wait_for_a_lane() -> None:
    slow = _Slow()
    lanes = Lanes(slow, 1)
    reading = asyncio.create_task(lanes.read("a", 0, 1))
    await eventually(lambda: slow.asked)
    await lanes.purge("p", 7)
    assert slow.asked == ["a", "purge p 7"]
    slow.free.release()
    await reading


async def test_the_first_and_the_last_piece_wait_for_a_lane_as_well() -> None:
    slow = _Slow()
    lanes = Lanes(slow, 1)
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.read("a", 0, 1))
        await eventually(lambda: slow.asked)
        group.create_task(lanes.last("s"))
        group.create_task(lanes.first("p", 3))
        for _ in range(5):
            await asyncio.sleep(0)
        assert slow.asked == ["a"]
        slow.free.release()
    assert slow.asked == ["a", "last s", "first p 3"]
