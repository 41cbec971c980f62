"""`coatcheck up` as a process, seen from outside: its ready file, its output, its children."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from .wait import eventually

READY_SECONDS = 60.0


class UpProcess:
    """A running `coatcheck up` on a data directory."""

    def __init__(self, process: Process, data_dir: Path, log: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        self.log = log

    def ready_now(self) -> dict[str, Any] | None:
        """The ready file, or None where there is none."""
        try:
            content: dict[str, Any] = json.loads((self.data_dir / "ready.json").read_text())
        except FileNotFoundError:
            return None
        return content

    async def ready(self) -> dict[str, Any]:
        """The ready file, once this `up` has written it; fails at once where it ends instead."""

        def look() -> dict[str, Any] | None:
            if self.process.returncode is not None:
                raise RuntimeError(f"up ended with code {self.process.returncode}:\n{self.text()}")
            found = self.ready_now()
            # A killed one leaves its file behind.
            return found if found and set(found["worker_pids"]) <= self.family() else None

        found = await eventually(look, READY_SECONDS, "the ready file")
        assert found is not None
        return found

    def text(self) -> str:
        return self.log.read_text()

    def family(self) -> set[int]:
        """The process ids of `up`'s children: servers and workers. They are looked up where the kernel lists them."""
        found = set()
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = stat.read_text().rpartition(")")[2].split()[1]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(parent) == self.process.pid:
                found.add(int(stat.parent.name))
        return found

    def command_lines(self) -> dict[int, str]:
        """The command line of each child, by its process id."""
        lines = {}
        for pid in self.family():
            with suppress(FileNotFoundError, ProcessLookupError):
                lines[pid] = Path(f"/proc/{pid}/cmdline").read_text()
        return lines

    def environment(self, pid: int) -> bytes:
        return Path(f"/proc/{pid}/environ").read_bytes()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def end(self, seconds: float) -> int:
        """The exit code; fails where it does not end within `seconds`."""
        return await asyncio.wait_for(self.process.wait(), seconds)


@asynccontextmanager
async def up(data_dir: Path, *options: str | Path, **environment: str) -> AsyncIterator[UpProcess]:
    """Start `coatcheck up` on the directory; it and its children are gone afterwards."""
    log = data_dir.with_name(f"{data_dir.name}-{len(list(data_dir.parent.iterdir()))}.log")
    argv = [sys.executable, "-m", "coatcheck", "up", "--data-dir", str(data_dir), *map(str, options)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *argv, stdout=output, stderr=output, env={**inherited, **environment}
        )
    running = UpProcess(process, data_dir, log)
    try:
        yield running
    finally:
        if process.returncode is None:
            family = running.family()
            process.kill()
            await process.wait()
            await eventually(lambda: all_gone(family), expecting="the end of up's children")


def all_gone(pids: set[int]) -> bool:
    """Whether none of the processes lives; one that has ended and waits for its parent does not live."""
    return not any(_lives(pid) for pid in pids)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
