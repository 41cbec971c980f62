"""A few children, each with one call at a time, for what costs too much beside an event loop."""

import asyncio
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from .isolated import IDLE_SECONDS, Isolated, NoChild, WorkerKilled

log = logging.getLogger("coatcheck.isolation")

P = ParamSpec("P")
T = TypeVar("T")


class IsolatedPool:
    """As `Isolated`, with up to `size` calls at a time; the others wait for their turn.

    The child that was used last is used first, so that those that are not needed come to their idle end.
    """

    def __init__(
        self, size: int, timeout_seconds: float, max_memory_bytes: int, *, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._all = [Isolated(timeout_seconds, max_memory_bytes, idle_seconds=idle_seconds) for _ in range(size)]
        self._free = self._all[::-1]
        self._slots = asyncio.Semaphore(size)
        self._preparing: asyncio.Task[None] | None = None

    @property
    def children(self) -> int:
        """The processes that there are now."""
        return sum(one.children for one in self._all)

    def prepare(self, function: Callable[[], object]) -> None:
        """Where there is no child, start one that runs the function: what it loads is there when a call comes.

        Nobody waits here, and nothing is raised; calls wait until it is ready, as they would for a child of their own.
        """
        if self.children == 0 and self._preparing is None:
            self._preparing = asyncio.create_task(self._prepare(function), name="coatcheck-prepare")

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns, or its own exception; raises WorkerKilled and NoChild as `Isolated.run` does."""
        if self._preparing is not None:
            await asyncio.wait({self._preparing})
        return await self._run(function, *args, **kwargs)

    async def close(self) -> None:
        """End the children; what runs in them, or waits to, raises NoChild."""
        await asyncio.gather(*(one.close() for one in self._all))
        if self._preparing is not None:
            await self._preparing

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._slots:
            one = self._free.pop()
            try:
                return await one.run(function, *args, **kwargs)
            finally:
                self._free.append(one)

    async def _prepare(self, function: Callable[[], object]) -> None:
        try:
            await self._run(function)
        except (NoChild, WorkerKilled) as error:
            log.debug("no child is ready beforehand: %s", error)
        finally:
            self._preparing = None
