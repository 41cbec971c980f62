"""However a process ends, on the event loop that workers run on, it leaves no child behind."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.processes import is_alive
from tests.support.wait import eventually

PARENT = """
import asyncio, os, sys
import uvloop
from coatcheck_workers.isolation import Isolated
from tests.support import poison

async def main():
    isolated = Isolated(600, 2**30)
    print(await isolated.run(os.getpid), flush=True)
    await isolated.run(poison.count, sys.argv[1])

uvloop.run(main())
"""


@asynccontextmanager
async def parent_of_a_child(text: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A process in a group of its own, and the pid of its child that works on the text."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, text),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        assert process.stdout is not None
        yield process, int(await process.stdout.readline())
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
async def test_signal_to_the_process_group_leaves_no_child_even_in_an_endless_loop(number: signal.Signals) -> None:
    async with parent_of_a_child("poison:loop") as (parent, child):
        assert is_alive(child)
        os.killpg(parent.pid, number)
        await parent.wait()
        await eventually(lambda: not is_alive(child), expecting="the end of the child")


async def test_process_that_ends_in_order_leaves_no_child() -> None:
    async with parent_of_a_child("harmless") as (parent, child):
        assert await parent.wait() == 0
        await eventually(lambda: not is_alive(child), expecting="the end of the child")
