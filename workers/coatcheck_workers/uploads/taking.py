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
from coatcheck_core.encodings import whole_chars
from coatcheck_core.original import Compression, Writing
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.blocks import MAX_BLOCKS_BYTES, blocks_too_large
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.store import Store
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.process.side_by_side import all_of
from coatcheck_workers.uploads.describing import Describer
from coatcheck_workers.uploads.large import Check, Large, Rest, next_chunk
from coatcheck_workers.uploads.spool import Spool

SPOOL_BYTES = 64 * 1024**2
"""Of an original: so much is looked at whole for its synopsis, and waits for the name that its hash gives it."""

T = TypeVar("T")


def _no_rest() -> bytes:
    return b""


class Place(msgspec.Struct, frozen=True):
    """Where an original goes, or has its result already: then nothing is put, for it may lie there in another form.

    `size` is there of one of which more is to come, where its producer has said it already.
    """

    key: str
    is_there: bool = False
    size: int | None = None


class Route(msgspec.Struct, frozen=True):
    """Where an original goes: `place` says it of a sha256, `foresee` of one of which more is to come."""

    place: Callable[[str], Awaitable[Place]]
    foresee: Callable[[], Awaitable[Place]]


class Taken(msgspec.Struct, frozen=True):
    """`synopsis` is there where the contents are not in memory; `blocks`, a JSON list, in place of contents."""

    contents: Contents | None = None
    synopsis: Synopsis | None = None
    blocks: bytes | None = None


class Taking(msgspec.Struct, frozen=True, kw_only=True):
    """One worker's way of taking originals; `executor` has as many threads as may work on bytes at once."""

    store: Store
    storage: StorageSettings
    executor: Executor
    describer: Describer
    spool_bytes: int = SPOOL_BYTES

    async def take(
        self,
        chunks: AsyncGenerator[bytes, None],
        *,
        mime_type: str | None,
        check: Check,
        route: Route,
        rest: Rest = _no_rest,
    ) -> Taken:
        """Store what comes. Raises what `chunks` and `check` raise, and StoreError; then nothing of it is stored."""
        async with aclosing(chunks) as source:
            head = await self._head(source, mime_type, rest)
            if len(head) <= self.storage.large_bytes:
                return await self._in_memory(head, mime_type, check)
            with self._begin(mime_type, head, self.storage.compression, rest) as one:
                foreseen = await route.foresee()
                # One that is known to have no room in the spool, and where it goes, need not wait there.
                is_passed_on = foreseen.size is not None and foreseen.size > self.spool_bytes
                following = head if is_passed_on else await one.fill(head, source)
                if following is None:
                    await one.finish(check)
                    place = await route.place(one.written.sha256)
                    # The spool is closed once both have come to their end.
                    synopsis, _ = await all_of([one.describe(), self._put(place, one.spool.chunks())])
                else:
                    place = foreseen if is_passed_on else await route.foresee()
                    await self._put(place, one.stored(following, source, check))
                    synopsis = await one.describe()
                return Taken(one.written.contents(place.key), synopsis)

    async def scan(
        self,
        chunks: AsyncGenerator[bytes, None],
        *,
        mime_type: str | None,
        check: Check,
        key: str,
        version: str | None,
        rest: Rest = _no_rest,
    ) -> Taken:
        """Look at what the store has under `key` already, as it is."""
        async with aclosing(chunks) as source:
            head = await self._head(source, mime_type, rest)
            if len(head) <= self.storage.large_bytes:
                return await self._in_memory(head, mime_type, check)
            with self._begin(mime_type, head, "none", rest) as one:
                following = await one.fill(head, source)
                if following is None:
                    await one.finish(check)
                else:
                    async for _ in one.stored(following, source, check):
                        pass
                return Taken(one.written.contents(key, version), await one.describe())

    async def gather(self, chunks: AsyncGenerator[bytes, None], *, check: Check) -> Taken:
        """Of a list of content blocks, which is taken apart as a whole. Raises InvalidResult where it is too large."""
        async with aclosing(chunks) as source:
            data = bytearray()
            async for chunk in source:
                data += chunk
                if len(data) > MAX_BLOCKS_BYTES:
                    raise blocks_too_large(len(data))
        whole = bytes(data)
        sha256 = await self._run(partial(sha256_hex, whole))
        check(sha256, len(whole))
        return Taken(blocks=whole)

    async def _head(self, source: AsyncIterator[bytes], mime_type: str | None, rest: Rest) -> bytes:
        """The first bytes: all, or a few more than make an original large."""
        head = bytearray()
        while len(head) <= self.storage.large_bytes:
            if (chunk := await next_chunk(source)) is None:
                last = rest()
                return await self._run(partial(whole_chars, bytes(head) + last, mime_type)) if last else bytes(head)
            head += chunk
        return bytes(head)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.executor, work)

    async def _in_memory(self, data: bytes, mime_type: str | None, check: Check) -> Taken:
        contents = await self._run(partial(contents_of_bytes, data, mime_type))
        check(contents.sha256, contents.size)
        return Taken(contents)

    def _begin(self, mime_type: str | None, head: bytes, compression: Compression, rest: Rest) -> Large:
        self.describer.prepare()
        writing = Writing(mime_type=mime_type, compression=compression, head=head)
        spool = Spool(self.executor, self.spool_bytes)
        return Large(writing, spool, self.executor, self.describer, mime_type, rest)

    async def _put(self, place: Place, chunks: AsyncIterator[bytes]) -> None:
        if place.is_there:
            async for _ in chunks:  # it is read to its end all the same: only then is it known for what it is
                pass
            return
        await self.store.abandon(place.key)
        await self.store.put_stream(place.key, chunks)
