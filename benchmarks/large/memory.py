"""What a process takes of the machine's memory, and the most it took, as Linux tells it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

MB = 1_000_000
_EACH_SECONDS = 0.05


class Memory:
    """In bytes, of one process and, apart, of all its children together. Made by `watched`."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.idle = _status(pid, "VmRSS")
        self.peak = self.idle
        self.idle_children = self.peak_children = self._children()

    @property
    def grown(self) -> int:
        return max(0, self.peak - self.idle)

    @property
    def grown_children(self) -> int:
        return max(0, self.peak_children - self.idle_children)

    def look(self) -> None:
        self.peak = max(self.peak, _status(self._pid, "VmRSS"))
        self.peak_children = max(self.peak_children, self._children())

    def _children(self) -> int:
        found = 0
        for task in Path(f"/proc/{self._pid}/task").iterdir():
            for child in _read(task / "children").split():
                found += _status(int(child), "VmRSS")
        return found


@asynccontextmanager
async def watched(pid: int) -> AsyncIterator[Memory]:
    """From what it has now; the most it had is the kernel's own note, where that can be begun anew."""
    memory = Memory(pid)
    is_noted = _begin_anew(pid)

    async def watch() -> None:
        while True:
            await asyncio.sleep(_EACH_SECONDS)
            memory.look()

    watching = asyncio.create_task(watch())
    try:
        yield memory
        memory.look()
        if is_noted:
            memory.peak = max(memory.peak, _status(pid, "VmHWM"))
    finally:
        watching.cancel()


def _begin_anew(pid: int) -> bool:
    """Let the kernel forget the most that the process had."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _status(pid: int, name: str) -> int:
    """0 of a process that is gone."""
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
