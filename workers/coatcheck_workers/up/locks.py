"""One `up` at a time on a data directory, and none beside what an earlier one left behind."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from coatcheck_schemas.errors import CoatcheckError

from ..embedded.files import PRIVATE_FILE

ORPHANS_SECONDS = 12.0
POLL_SECONDS = 0.1


class AlreadyRunning(CoatcheckError):
    """The data directory is in use; the message says by whom."""


@contextmanager
def held(data_dir: Path) -> Iterator[None]:
    """Hold the directory for this process alone, so that a second `up` is refused at once. Raises AlreadyRunning."""
    descriptor = _open(data_dir / "up.lock")
    try:
        if not _lock(descriptor):
            raise AlreadyRunning(
                f"another `coatcheck up` (pid {_holder(descriptor)}) runs on {data_dir}; stop it first"
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


@asynccontextmanager
async def shared_with_children(data_dir: Path) -> AsyncIterator[int]:
    """Hold a second lock by a descriptor that every child is to inherit, so that it is held while any of them lives.

    After a SIGKILL of `up` the next one waits here until the last of them has gone. Raises AlreadyRunning.
    """
    descriptor = _open(data_dir / "children.lock")
    try:
        await _wait_for_orphans(descriptor, data_dir)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"


async def _wait_for_orphans(descriptor: int, data_dir: Path) -> None:
    deadline = asyncio.get_running_loop().time() + ORPHANS_SECONDS
    while not _lock(descriptor):
        if asyncio.get_running_loop().time() > deadline:
            raise AlreadyRunning(
                f"servers or workers of an earlier `coatcheck up` still run on {data_dir} and do not end;"
                f" end them (`fuser {data_dir / 'children.lock'}` lists them) and try again"
            )
        await asyncio.sleep(POLL_SECONDS)
