"""An async iterator that another task reads, and that can be ended from outside."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any


class Ended(Exception):
    """Raised to whoever reads a stream that was ended."""


class Stoppable:
    """The chunks of another iterator, until `stop`: then the reader gets an error, also while it waits for the next.

    A multipart upload that is cancelled is left where it is; one whose source fails is taken back.
    """

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._stopped.done():
            raise Ended("the stream was ended")
        following = asyncio.ensure_future(_next(self._chunks))
        both: set[asyncio.Future[Any]] = {following, self._stopped}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not following.done():
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            raise Ended("the stream was ended")
        data = following.result()
        if data is None:
            raise StopAsyncIteration
        return data


async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
    """A task cannot end with StopAsyncIteration."""
    return await anext(chunks, None)
