"""Worker processes that die and are replaced, as under an orchestrator on a very bad day."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from tests.support.workers import WorkerProcess, worker_process

from coatcheck_core.settings import Settings

LOOK_SECONDS = 0.5


class Fleet:
    """So many `coatcheck worker` processes. Made by `fleet`.

    `kills` counts those that were killed here; `ended` tells of each that ended by itself, which none should.
    """

    def __init__(self, settings: Settings, folder: Path, seed: int) -> None:
        self.kills = 0
        self.ended: list[str] = []
        self.folder = folder
        self._settings = settings
        self._random = random.Random(seed + 2)
        self._members: list[tuple[AsyncExitStack, WorkerProcess]] = []

    async def start(self, size: int) -> None:
        """Returns once all answer."""
        joined = await asyncio.gather(*(self._join(ready=True) for _ in range(size)), return_exceptions=True)
        self._members = [one for one in joined if not isinstance(one, BaseException)]
        for one in joined:
            if isinstance(one, BaseException):
                raise one

    async def stop(self) -> None:
        """The end of each, by its process id."""
        self.ended += [_last_words(member) for _, member in self._members if _has_ended(member)]
        members, self._members = self._members, []
        await asyncio.gather(*(stack.aclose() for stack, _ in members))

    def most_bytes(self) -> int:
        """The most memory that any member has had in its life, as Linux tells it; 0 elsewhere."""
        return max((_high_water_bytes(member.process.pid) for _, member in self._members), default=0)

    async def kill_each(self, seconds: float, enough: asyncio.Event) -> None:
        """SIGKILL one after the other until it is enough, whichever the seed says, each replaced at once.

        Not to be cancelled: that might leave a process behind.
        """
        while not await _set_within(enough, seconds):
            await self._replace_ended()
            place = self._random.randrange(len(self._members))
            await self._members[place][1].kill()
            self.kills += 1
            await self._replace(place)

    async def keep_up(self, enough: asyncio.Event) -> None:
        """Replace what ends by itself, until it is enough. Not to be cancelled either."""
        while not await _set_within(enough, LOOK_SECONDS):
            await self._replace_ended()

    async def _replace_ended(self) -> None:
        for place, (_, member) in enumerate(self._members):
            if _has_ended(member):
                self.ended.append(_last_words(member))
                await self._replace(place)

    async def _replace(self, place: int) -> None:
        await self._members[place][0].aclose()
        self._members[place] = await self._join(ready=False)

    async def _join(self, *, ready: bool) -> tuple[AsyncExitStack, WorkerProcess]:
        stack = AsyncExitStack()
        return stack, await stack.enter_async_context(worker_process(self._settings, self.folder, ready=ready))


def _high_water_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _has_ended(member: WorkerProcess) -> bool:
    return member.process.returncode is not None


def _last_words(member: WorkerProcess) -> str:
    last = member.text().strip().rsplit("\n", 3)[1:]
    return f"{member.log} with code {member.process.returncode}: {' | '.join(last)}"


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


@asynccontextmanager
async def fleet(settings: Settings, folder: Path, size: int, seed: int) -> AsyncIterator[Fleet]:
    """Workers that answer, all gone afterwards."""
    members = Fleet(settings, folder, seed)
    try:
        await members.start(size)
        yield members
    finally:
        await members.stop()
