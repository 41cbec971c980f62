"""How many pieces, or batches of them, are on their way to one worker at a time, however many uploads it follows."""

import asyncio

from coatcheck_workers.streams.ports import Kept, Log

LANES = 1


class Lanes:
    """A stream's log of which few batches are read at a time; who asks first, reads first.

    All that NATS sends comes over one connection, in order: a small result that is due waits until every batch before
    it has come, and of a dozen uploads that would be tens of MB. The first or the last message of an upload is mostly a
    piece, too: of a dozen that are opened at once, as many MB.
    """

    def __init__(self, log: Log, lanes: int = LANES) -> None:
        self._log = log
        self._lanes = asyncio.Semaphore(lanes)

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        async with self._lanes:
            return await self._log.read(pattern, after, max_bytes)

    async def last(self, subject: str) -> Kept | None:
        async with self._lanes:
            return await self._log.last(subject)

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        async with self._lanes:
            return await self._log.first(pattern, after)

    async def purge(self, pattern: str, through: int | None = None) -> None:
        await self._log.purge(pattern, through)
