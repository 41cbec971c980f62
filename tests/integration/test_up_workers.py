"""How `up` keeps workers alive, with small programs that stand in for workers."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.up import all_gone
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_workers.embedded import Child, ChildEnded
from coatcheck_workers.up import Machine, Plan
from coatcheck_workers.up import workers as keeping
from coatcheck_workers.up.machine import SERVERS_STOP_SECONDS, STOP_SECONDS
from coatcheck_workers.up.plan import GRACE_SECONDS
from coatcheck_workers.up.ready import Ready
from coatcheck_workers.up.workers import Workers

READY_AND_STAYS = "import os, sys, signal; os.write(int(sys.argv[-1]), b'ready\\n'); signal.pause()"
DIES_AT_ONCE = "import sys; print('no such bucket', file=sys.stderr); sys.exit(3)"
NEVER_READY = "import signal; signal.pause()"
DEAF = (
    "import os, sys, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "os.write(int(sys.argv[-1]), b'ready\\n'); signal.pause(); signal.pause()"
)


class Kept:
    """Workers that run a program, and what they have told."""

    def __init__(self, program: str, count: int, folder: Path) -> None:
        self.announced: list[list[int]] = []
        self.deaths: list[tuple[int, float]] = []
        self.log = folder / "worker.log"
        self.started: set[int] = set()
        self._program = program
        self.workers = Workers(
            count,
            self._start,
            ready=self.announced.append,
            died=lambda child, code, delay: self.deaths.append((code, delay)),
        )

    async def _start(self, slot: int, ready: int) -> Child:
        argv = [sys.executable, "-I", "-S", "-c", self._program, str(ready)]
        child = await Child.start(f"worker {slot}", argv, log=self.log, inherit=(ready,))
        self.started.add(child.pid)
        return child


@asynccontextmanager
async def _kept(program: str, folder: Path, count: int = 2) -> AsyncIterator[Kept]:
    kept = Kept(program, count, folder)
    running = asyncio.create_task(kept.workers.run())
    try:
        yield kept
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        await kept.workers.stop(0.2)
        assert all_gone(kept.started)


async def test_they_are_announced_once_all_of_them_answer(tmp_path: Path) -> None:
    async with _kept(READY_AND_STAYS, tmp_path, count=3) as kept:
        await eventually(lambda: kept.announced)
        assert [set(pids) for pids in kept.announced] == [kept.started]


async def test_one_that_dies_is_replaced_in_its_place(tmp_path: Path) -> None:
    async with _kept(READY_AND_STAYS, tmp_path) as kept:
        await eventually(lambda: kept.announced)
        first, second = kept.announced[0]
        os.kill(first, signal.SIGKILL)
        await eventually(lambda: len(kept.announced) == 2)
        assert kept.announced[1][1] == second
        assert kept.announced[1][0] not in (first, second)
        assert kept.deaths == [(-9, 0.0)]


async def test_one_that_cannot_start_is_tried_again_and_never_announced(tmp_path: Path) -> None:
    async with _kept(DIES_AT_ONCE, tmp_path, count=1) as kept:
        await eventually(lambda: len(kept.deaths) >= 3)
        assert kept.deaths[:3] == [(3, 0.0), (3, 0.5), (3, 1.0)]
        assert kept.announced == []
        assert "no such bucket" in kept.log.read_text()


async def test_one_that_ends_again_and_again_before_any_has_answered_ends_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FAILED_STARTS", 2)
    kept = Kept(DIES_AT_ONCE, 1, tmp_path)
    with pytest.raises(ExceptionGroup) as ended:
        await asyncio.wait_for(kept.workers.run(), 60)
    (why,) = ended.value.exceptions
    assert isinstance(why, ChildEnded)
    assert "worker 0 ended with code 3: no such bucket" in str(why)
    assert kept.deaths == [(3, 0.0)]


async def test_once_all_have_answered_they_are_replaced_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FAILED_STARTS", 1)
    async with _kept(READY_AND_STAYS, tmp_path, count=1) as kept:
        for times in (1, 2):
            await eventually(lambda: len(kept.announced) == times)  # noqa: B023 - awaited in this turn
            os.kill(kept.announced[-1][0], signal.SIGKILL)
        await eventually(lambda: len(kept.announced) == 3)


async def test_one_that_never_answers_is_stopped_all_the_same(tmp_path: Path) -> None:
    async with _kept(NEVER_READY, tmp_path) as kept:
        await eventually(lambda: len(kept.started) == 2)
        assert kept.announced == []


async def test_one_that_is_deaf_to_sigterm_is_killed(tmp_path: Path) -> None:
    async with _kept(DEAF, tmp_path, count=1) as kept:
        await eventually(lambda: kept.announced)


async def test_everything_stops_even_where_a_worker_is_deaf(tmp_path: Path) -> None:
    announced: list[Ready] = []
    plan = Plan.make(Settings(), data_dir=tmp_path / "data", workers=1, ready_file=None)
    command = (sys.executable, "-I", "-S", "-c", DEAF)
    machine = Machine(plan, ready=announced.append, notice=print, worker_command=command)
    running = asyncio.create_task(machine.run())
    await eventually(lambda: announced, 60)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running

    await asyncio.wait_for(machine.stop(), 60)

    assert all_gone(set(announced[0].worker_pids))


def test_a_deaf_worker_and_the_servers_are_given_ten_seconds_together() -> None:
    assert GRACE_SECONDS + SERVERS_STOP_SECONDS < STOP_SECONDS < 10
