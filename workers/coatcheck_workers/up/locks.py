"""One `up` at a time on a data directory, and none beside what an earlier one left behind."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from coatcheck_schemas.errors import CoatcheckError

from ..embedded.files import PRIVATE_FILE

ORPHANS_SECONDS = 12.0
POLL_SECONDS = 0.1


class AlreadyRunning(CoatcheckError):
    """The data directory is in use; the message says by whom."""


@asynccontextmanager
async def held(data_dir: Path) -> AsyncIterator[int]:
    """Hold the directory; the value is a descriptor for every child to inherit, so that each holds it too.

    Two locks: one that `up` alone holds, so that a second one is refused at once, and one that its children share, so
    that after a SIGKILL of `up` the next one waits until the last of them has gone. Raises AlreadyRunning.
    """
    own = _open(data_dir / "up.lock")
    children = _open(data_dir / "children.lock")
    try:
        if not _lock(own):
            raise AlreadyRunning(f"another `coatcheck up` (pid {_holder(own)}) runs on {data_dir}; stop it first")
        os.ftruncate(own, 0)
        os.pwrite(own, f"{os.getpid()}\n".encode(), 0)
        await _wait_for_orphans(children, data_dir)
        yield children
    finally:
        os.close(children)
        os.close(own)


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
