"""What is stored of an original, in a file of no name until it is known where it goes."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

READ_BYTES = 1024**2

T = TypeVar("T")


class Spool:
    """A file that is gone with its last descriptor, whatever this process dies of. Its work is done on `executor`.

    It is for the first `most_bytes` of an original.
    """

    def __init__(self, executor: Executor, most_bytes: int) -> None:
        self._executor = executor
        self.most_bytes = most_bytes
        self._file = tempfile.TemporaryFile(prefix="coatcheck-")  # noqa: SIM115 - it is closed by `close`
        self.size = 0

    @property
    def path(self) -> str:
        """Where a child process opens it while this process has it open."""
        return f"/proc/{os.getpid()}/fd/{self._file.fileno()}"

    def write(self, data: bytes) -> None:
        """Blocking."""
        self._file.write(data)
        self.size += len(data)

    def flush(self) -> None:
        """Blocking."""
        self._file.flush()

    async def chunks(self) -> AsyncIterator[bytes]:
        """All of it, from its start."""
        for start in range(0, self.size, READ_BYTES):
            yield await self._run(partial(os.pread, self._file.fileno(), READ_BYTES, start))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        self._file.close()
