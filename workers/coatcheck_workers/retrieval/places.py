"""Who may be at work at a time: so many in all and of one session, or one at a thing."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from coatcheck_schemas.errors import Code, RequestError


class Turns:
    """One after the other, by name."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def alone(self, name: Hashable) -> AsyncIterator[None]:
        """Within, nobody else of this worker is at this one."""
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        async with lock:
            yield


class Places:
    """One worker's, of one kind of work."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, session: str, *, most: int, of_session: int, seconds: float) -> AsyncIterator[None]:
        """A place, which is free again at the end of the block.

        Raises RequestError `unavailable` where none is within so many seconds.
        """

        def is_free() -> bool:
            return self._taken.total() < most and self._taken[session] < of_session

        async with self._freed:
            try:
                async with asyncio.timeout(seconds):
                    await self._freed.wait_for(is_free)
            except TimeoutError:
                raise RequestError(
                    Code.UNAVAILABLE, f"{most} of these are done at a time, {of_session} of a session: try again later"
                ) from None
            self._taken[session] += 1
        try:
            yield
        finally:
            self._taken[session] -= 1
            if not self._taken[session]:
                del self._taken[session]
            async with self._freed:
                self._freed.notify_all()
