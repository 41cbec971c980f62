"""Workers for tests: in this process, where a test looks inside or is quick; as a process, where one is killed."""

import asyncio
import os
import secrets
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import yaml

from coatcheck_core.settings import Settings
from coatcheck_schemas.store import Store
from coatcheck_workers.worker import Worker


@asynccontextmanager
async def worker_here(settings: Settings, store: Store | None = None) -> AsyncIterator[Worker]:
    """A worker on this event loop; `store` stands in for the real one."""
    worker = Worker(settings, store)
    try:
        await worker.start()
        yield worker
    finally:
        await worker.stop()


class WorkerProcess:
    """`coatcheck worker` as a process, with its log in a file."""

    def __init__(self, process: Process, log: Path) -> None:
        self.process = process
        self.log = log

    def text(self) -> str:
        return self.log.read_text()

    async def kill(self) -> None:
        """SIGKILL, as the kernel does when memory is short."""
        self.process.kill()
        await self.process.wait()

    async def terminate(self, seconds: float = 60) -> int:
        """SIGTERM; the exit code. Fails where it does not end in time."""
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), seconds)


@asynccontextmanager
async def worker_process(settings: Settings, folder: Path, *, ready: bool = True) -> AsyncIterator[WorkerProcess]:
    """A worker process; yielded once it answers, or at once where `ready` is false. Gone afterwards."""
    name = f"worker-{secrets.token_hex(4)}"
    config, log = folder / f"{name}.yaml", folder / f"{name}.log"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COATCHECK_")}
    read_end, write_end = os.pipe()
    argv = [sys.executable, "-m", "coatcheck", "worker", "--config", str(config), "--ready-fd", str(write_end)]
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*argv, stderr=output, env=environment, pass_fds=(write_end,))
    os.close(write_end)
    try:
        if ready and not await asyncio.to_thread(os.read, read_end, 16):
            raise AssertionError(f"the worker ended before it was ready:\n{log.read_text()}")
        yield WorkerProcess(process, log)
    finally:
        os.close(read_end)
        if process.returncode is None:
            process.kill()
        await process.wait()
