"""A few children, each with one call at a time, for what costs too much beside an event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from .isolated import IDLE_SECONDS, Isolated

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

    @property
    def children(self) -> int:
        """The processes that there are now."""
        return sum(one.children for one in self._all)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns, or its own exception; raises WorkerKilled and NoChild as `Isolated.run` does."""
        async with self._slots:
            one = self._free.pop()
            try:
                return await one.run(function, *args, **kwargs)
            finally:
                self._free.append(one)

    async def close(self) -> None:
        """End the children; what runs in them, or waits to, raises NoChild."""
        await asyncio.gather(*(one.close() for one in self._all))
