"""Worker processes that die and are replaced, as under an orchestrator on a very bad day."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from tests.support.workers import WorkerProcess, worker_process

from coatcheck_core.settings import Settings


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
        self._look_for_ended()
        members, self._members = self._members, []
        await asyncio.gather(*(stack.aclose() for stack, _ in members))

    async def kill_one(self) -> None:
        """SIGKILL one, whichever the seed says, and put another in its place at once."""
        self._look_for_ended()
        place = self._random.randrange(len(self._members))
        stack, doomed = self._members[place]
        await doomed.kill()
        await stack.aclose()
        self.kills += 1
        self._members[place] = await self._join(ready=False)

    async def kill_each(self, seconds: float, enough: asyncio.Event) -> None:
        """One after the other, until it is enough. Not to be cancelled: that might leave a process behind."""
        while not enough.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(enough.wait(), seconds)
                return
            await self.kill_one()

    async def _join(self, *, ready: bool) -> tuple[AsyncExitStack, WorkerProcess]:
        stack = AsyncExitStack()
        return stack, await stack.enter_async_context(worker_process(self._settings, self.folder, ready=ready))

    def _look_for_ended(self) -> None:
        for _, member in self._members:
            if member.process.returncode is not None:
                last = member.text().strip().rsplit("\n", 3)[1:]
                self.ended.append(f"{member.log} with code {member.process.returncode}: {' | '.join(last)}")


@asynccontextmanager
async def fleet(settings: Settings, folder: Path, size: int, seed: int) -> AsyncIterator[Fleet]:
    """Workers that answer, all gone afterwards."""
    members = Fleet(settings, folder, seed)
    try:
        await members.start(size)
        yield members
    finally:
        await members.stop()
