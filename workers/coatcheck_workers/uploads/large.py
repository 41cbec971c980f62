"""One large original on its way: into a spool file, as far as that has room, and into the store."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from coatcheck_core.original import Writing, Written
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.uploads.describing import Describer
from coatcheck_workers.uploads.spool import Spool

T = TypeVar("T")

Check = Callable[[str, int], None]
"""Takes the sha256 and the size of what came; raises InvalidResult where it is not what was sent."""
Rest = Callable[[], bytes]
"""Gives the last bytes of what a producer did not finish, once all else has come: a text's last char may be cut."""


class Large:
    """One original on its way."""

    def __init__(
        self,
        writing: Writing,
        spool: Spool,
        executor: Executor,
        describer: Describer,
        mime_type: str | None,
        rest: Rest,
    ) -> None:
        self.spool = spool
        self._writing = writing
        self._executor = executor
        self._describer = describer
        self._mime_type = mime_type
        self._rest = rest
        self._is_spooled = False

    def __enter__(self) -> "Large":
        return self

    def __exit__(self, *_: object) -> None:
        self.spool.close()

    @property
    def written(self) -> Written:
        return self._writing.written

    async def fill(self, head: bytes, source: AsyncIterator[bytes]) -> bytes | None:
        """Spool what comes; the first that has no room there, or None where all has come."""
        chunk: bytes | None = head
        while chunk is not None and self._writing.size + len(chunk) <= self.spool.most_bytes:
            await self._run(partial(self._spool, chunk))
            chunk = await self._next(source)
        return chunk

    async def finish(self, check: Check) -> None:
        """All that came is in the spool."""
        await self._run(self._finish_spool)
        check(self.written.sha256, self.written.size)
        self._is_spooled = True

    async def stored(self, chunk: bytes, source: AsyncIterator[bytes], check: Check) -> AsyncIterator[bytes]:
        """What is stored of the original: what is in the spool, of `chunk`, and of what is still to come."""
        async for spooled in self.spool.chunks():
            yield spooled
        following: bytes | None = chunk
        while following is not None:
            if piece := await self._run(partial(self._writing.feed, following)):
                yield piece
            following = await self._next(source)
        last = await self._run(self._writing.finish)
        check(self.written.sha256, self.written.size)
        if last:
            yield last

    async def describe(self) -> Synopsis:
        if self._is_spooled:
            return await self._describer.whole(self.spool.path, self.written, self._mime_type)
        return await self._describer.ends(self.written, self._mime_type)

    async def _next(self, source: AsyncIterator[bytes]) -> bytes | None:
        """All that came before has been fed to the writing."""
        chunk = await next_chunk(source)
        if chunk is None and (rest := self._rest()):
            return await self._run(partial(self._writing.whole, rest))
        return chunk

    def _spool(self, chunk: bytes) -> None:
        with _telling_of_the_disk():
            self.spool.write(self._writing.feed(chunk))

    def _finish_spool(self) -> None:
        with _telling_of_the_disk():
            self.spool.write(self._writing.finish())
            self.spool.flush()

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


@contextmanager
def _telling_of_the_disk() -> Iterator[None]:
    """A full disk is to be waited for, like a store that is away: it is no fault of the result's."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"the folder of temporary files takes no more: {error}") from error


async def next_chunk(source: AsyncIterator[bytes]) -> bytes | None:
    async for chunk in source:
        return chunk
    return None
