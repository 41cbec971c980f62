"""Take an original's bytes as they come: counted and hashed, and in the store when the last has come.

Small ones stay in memory and go on as if they had come in one message. Larger ones are written in the form in which
they are stored into a spool file, from where they go to their place; of what is too large for that, the store has the
rest while it still comes.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from contextlib import aclosing
from functools import partial
from typing import TypeVar

import msgspec

from coatcheck_core.contents import Contents, contents_of_bytes
from coatcheck_core.original import Writing
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.store import Store
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.uploads.describing import Describer
from coatcheck_workers.uploads.spool import Spool

SPOOL_BYTES = 64 * 1024**2
"""Of an original: so much is looked at whole for its synopsis, and waits for the name that its hash gives it."""

T = TypeVar("T")

Check = Callable[[str, int], None]
"""Takes the sha256 and the size of what came; raises InvalidResult where it is not what was sent."""


class Target(msgspec.Struct, frozen=True):
    """Where an original goes before all of it has come: its own place where the sha256 is known, else `incoming`."""

    key: str
    sha256: str | None = None


class Taken(msgspec.Struct, frozen=True):
    contents: Contents
    synopsis: Synopsis | None = None


class Taking(msgspec.Struct, frozen=True, kw_only=True):
    """One worker's way of taking originals; `executor` has as many threads as may work on bytes at once."""

    store: Store
    storage: StorageSettings
    executor: Executor
    describer: Describer

    async def take(
        self,
        chunks: AsyncGenerator[bytes, None],
        *,
        mime_type: str | None,
        check: Check,
        place: Callable[[str], str],
        foresee: Callable[[], Awaitable[Target]],
    ) -> Taken:
        """`place` says where an original of a sha256 belongs, `foresee` where one goes of which more is to come.

        Raises what `chunks` and `check` raise, and StoreError; then nothing of it is left in the store.
        """
        async with aclosing(chunks) as source:
            head = bytearray()
            async for chunk in source:
                head += chunk
                if len(head) > self.storage.large_bytes:
                    return await self._take_large(bytes(head), source, mime_type, check, place, foresee)
        data = bytes(head)
        contents = await self._run(lambda: contents_of_bytes(data, mime_type))
        check(contents.sha256, contents.size)
        return Taken(contents)

    async def _take_large(
        self,
        head: bytes,
        source: AsyncIterator[bytes],
        mime_type: str | None,
        check: Check,
        place: Callable[[str], str],
        foresee: Callable[[], Awaitable[Target]],
    ) -> Taken:
        writing = Writing(mime_type=mime_type, compression=self.storage.compression, head=head)
        spool = Spool(self.executor)
        try:
            data: bytes | None = head
            del head
            while data is not None and writing.size + len(data) <= SPOOL_BYTES:
                await self._run(partial(_write, writing, spool, data))
                data = await _next(source)
            if data is None:
                return await self._place_spooled(writing, spool, mime_type, check, place)
            return await self._pass_on(writing, spool, data, source, mime_type, check, await foresee())
        finally:
            spool.close()

    async def _place_spooled(
        self, writing: Writing, spool: Spool, mime_type: str | None, check: Check, place: Callable[[str], str]
    ) -> Taken:
        """All has come, and is looked at whole while it goes to its place."""
        await self._run(lambda: spool.write(writing.finish()))
        written = writing.written
        check(written.sha256, written.size)
        await self._run(spool.flush)
        key = place(written.sha256)
        synopsis, _ = await asyncio.gather(
            self.describer.whole(spool.path, written, mime_type), self._put(key, spool.chunks())
        )
        return Taken(written.contents(key), synopsis)

    async def _pass_on(
        self,
        writing: Writing,
        spool: Spool,
        data: bytes,
        source: AsyncIterator[bytes],
        mime_type: str | None,
        check: Check,
        target: Target,
    ) -> Taken:
        async def stored() -> AsyncIterator[bytes]:
            async for chunk in spool.chunks():
                yield chunk
            following: bytes | None = data
            while following is not None:
                if piece := await self._run(partial(writing.feed, following)):
                    yield piece
                following = await _next(source)
            last = await self._run(writing.finish)
            check(writing.written.sha256, writing.written.size)
            if last:
                yield last

        await self._put(target.key, stored())
        written = writing.written
        return Taken(written.contents(target.key), await self.describer.ends(written, mime_type))

    async def _put(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        await self.store.abandon(key)
        await self.store.put_stream(key, chunks)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.executor, work)


async def _next(source: AsyncIterator[bytes]) -> bytes | None:
    async for chunk in source:
        return chunk
    return None


def _write(writing: Writing, spool: Spool, data: bytes) -> None:
    spool.write(writing.feed(data))
