"""A result that kills whatever worker computes it is found out, alone, and becomes a dead letter."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import yaml
from tests.support import poison
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.servers import deployed
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_workers.embedded import NatsServer, S3Server

WORKER = """
from coatcheck.cli import main
from coatcheck_workers.flow import rehearsal
from coatcheck_workers.commands import worker

rehearsal.TIMEOUT_SECONDS = worker.STUCK_SECONDS = 11.0
main()
"""
"""`coatcheck worker`, less patient. What is harmless takes seconds on a busy machine, for what it imports first."""


class Supervised:
    """A worker that is started again whenever it ends; `ends` has how it did."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.ends: list[int] = []
        self._config, self._log = folder / "worker.yaml", folder / "worker.log"
        self._config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
        self._process: asyncio.subprocess.Process | None = None
        self._is_over = False

    async def run(self) -> None:
        argv = [sys.executable, "-c", WORKER, "worker", "--config", str(self._config)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        while not self._is_over:
            with self._log.open("ab") as output:
                self._process = await asyncio.create_subprocess_exec(*argv, stderr=output, env=environment)
            code = await self._process.wait()
            if not self._is_over:
                self.ends.append(code)

    def kill(self) -> None:
        self._is_over = True
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


@asynccontextmanager
async def supervised(settings: Settings, folder: Path) -> AsyncIterator[Supervised]:
    worker = Supervised(settings, folder)
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.kill()
        await running


@pytest.mark.parametrize(
    ("marker", "ending", "error"),
    [
        (poison.EXIT, 3, "ended with code 3"),
        (poison.HANG, 1, "took longer than 11 s"),
    ],
)
async def test_result_that_kills_is_a_dead_letter_and_its_neighbours_have_their_stubs(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path, marker: str, ending: int, error: str
) -> None:
    sections = {"budget": {"unit": "tests.support.poison:count"}, "worker": {"ack_wait_seconds": 1}}
    async with deployed(nats_server, s3_server, **sections) as settings, agent(settings) as it:
        calls = [f"c{number}" for number in range(30)]
        for call in calls[:15]:
            await it.publish(call, f"harmless {call}")
        await it.publish("poison", f"some text {marker}", turn="t1", turn_size=3)
        for number in range(2):
            await it.publish(f"turn{number}", "of the same turn", turn="t1", turn_size=3)
        for call in calls[15:]:
            await it.publish(call, f"harmless {call}")
        async with supervised(settings, tmp_path) as worker:
            await eventually(lambda: len(it.events) == 33, 180, expecting="a stub for each")
            await eventually(lambda: _none_waits(settings), expecting="an empty queue")
            (letter,) = await dead_letters(settings)
            headers = letter.headers or {}
    # A worker that hangs may be sent the result again meanwhile, and count as two.
    assert worker.ends in ([ending], [ending, ending])
    failed = [(event.call_id, event.tool_name) for event in it.events if event.disposition == "failed"]
    assert failed == [("poison", "cat")]
    assert headers["Coat-Reason"] == "killed_worker"
    assert error in headers["Coat-Error"]
    assert set(it.subject_counts.values()) == {1}


async def _none_waits(settings: Settings) -> bool:
    return await waiting_results(settings) == 0
