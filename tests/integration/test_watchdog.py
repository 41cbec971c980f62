"""A process that computes without end is ended, and says where it was."""

import asyncio
import os
import sys

import pytest

from coatcheck_workers.process.watchdog import EXIT_STUCK

PROCESS = """
import asyncio, re, sys, time
import uvloop
from coatcheck_workers.process.watchdog import Watchdog, WatchedThreads
from tests.support import poison

def backtrack():
    re.match("(a+)+$", "a" * 60 + "b")

async def main(what, seconds):
    threads = WatchedThreads(2, "decide")
    watchdog = Watchdog(threads, seconds)
    watchdog.start()
    loop = asyncio.get_running_loop()
    if what == "loop on the event loop":
        poison.loop()
    elif what == "loop in a thread":
        await loop.run_in_executor(threads, poison.loop)
    elif what == "a loop in C in a thread":
        await loop.run_in_executor(threads, backtrack)
    elif what == "a loop in a thread while the process ends":
        loop.run_in_executor(threads, poison.loop)
        threads.shutdown(wait=False)
        return
    elif what == "stopped":
        watchdog.stop()
        time.sleep(1.5 * seconds)
    else:
        await asyncio.gather(*(loop.run_in_executor(threads, time.sleep, 0.3 * seconds) for _ in range(8)))
        assert threads.longest_seconds() == 0

uvloop.run(main(sys.argv[1], float(sys.argv[2])))
"""


async def run(what: str, seconds: float) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROCESS, what, str(seconds)),
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        _, errors = await asyncio.wait_for(process.communicate(), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, errors.decode()


@pytest.mark.parametrize(
    ("what", "code", "where"),
    [
        ("loop on the event loop", 1, "poison.py"),
        ("loop in a thread", EXIT_STUCK, "poison.py"),
        ("a loop in C in a thread", 1, "in backtrack"),
        ("a loop in a thread while the process ends", 1, "poison.py"),
    ],
)
async def test_process_that_does_not_end_by_itself_is_ended_and_says_where_it_was(
    what: str, code: int, where: str
) -> None:
    ended, errors = await run(what, 0.5)
    assert ended == code
    assert where in errors


async def test_process_that_is_only_busy_lives_on() -> None:
    """For longer than the limit, with calls that wait for a thread for as long."""
    assert await run("busy", 2.5) == (0, "")


async def test_watchdog_that_was_stopped_ends_nothing() -> None:
    assert await run("stopped", 0.5) == (0, "")
