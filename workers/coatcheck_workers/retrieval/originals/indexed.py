"""A large original, of which only what is asked for is fetched, and proved by the checksums of its index."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from itertools import islice
from typing import TypeVar

from coatcheck_core.original import Index, Span, grouped, span_from, span_of_bytes, unpacked
from coatcheck_schemas.errors import DamagedOriginal, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref
from coatcheck_workers.storage.buffers import get_buffer

from ..model import Retrieval
from ..pace import Pace
from ..working import PIECE_BYTES, Working
from .indexes import fetch_index
from .known import Passage
from .stored import damaged, log, off_loop, output_key

FETCHED_BYTES = 4 * 1024 * 1024
"""What one request to the store is for while an original passes."""
PASSAGE_BYTES = 256 * 1024
"""What is fetched at once for a page, where the next ones are likely to be asked for: a dozen of them."""
_PASSAGE_MEMORY = 400
"""What a passage takes beside its bytes."""
_AHEAD = 3
"""Such requests under way while the last one's bytes are worked on: one alone does not keep a store busy."""

_T = TypeVar("_T")


class Indexed:
    """One request's view of it. All raise StoreError, and RequestError `internal` where the bytes are not those stored.

    Where a checksum does not match, the index is fetched anew, once: the object may have been written again, with the
    same content in another form.
    """

    def __init__(
        self, retrieval: Retrieval, session: str, metadata: Metadata, *, is_hint: bool = False, keeps: bool = False
    ) -> None:
        """`is_hint`: the metadata is remembered, and no alarm where it does not fit: who asks then reads it anew.

        `keeps`: what `read` fetches, and something of what comes next, stays in memory for `AtHand`.
        """
        self.metadata = metadata
        self._retrieval = retrieval
        self._session = session
        self._is_hint = is_hint
        self._keeps = keeps
        self._key = output_key(retrieval, session, metadata)
        self._name = (session, metadata.result_id, metadata.sha256)
        self._index: Index | None = None
        self._is_renewed = False

    async def index(self) -> Index:
        if self._index is None:
            kept = self._retrieval.indexes.get(self._name)
            self._index = kept if kept is not None else await self._fetch(anew=False)
        return self._index

    async def read(self, choose: Callable[[Index], Span], make: Callable[[Span, bytes], _T]) -> _T:
        """What `make` makes of the blocks that `choose` names of an index, and of their raw bytes.

        By one ranged read, and where they are many in one go in a thread.
        """
        while True:
            index = await self.index()
            span = choose(index)
            try:
                stored = await self._stored(span)
                return await off_loop(span.size, partial(_made, index, span, stored, make))
            except DamagedOriginal as error:
                await self._renew(error)

    async def raw(self, start: int, stop: int) -> AsyncGenerator[bytes, None]:
        """The bytes `start` to `stop` in order, some of `PIECE_BYTES` at a time, in memory of a few of them.

        A piece ends where a block ends, and so never within a char, if `start` and `stop` do not.
        """
        working = Working(start, stop, lambda _, data: bytes(data), Pace())
        async with aclosing(self.passing(working, PIECE_BYTES)) as pieces:
            async for data in pieces:
                yield data

    async def passing(self, working: Working[_T], step_bytes: int) -> AsyncGenerator[_T, None]:
        """What is made of the bytes in a thread, which has `step_bytes` at a time or one block where that is larger.

        What comes of one step is given before the next one begins.
        """
        while working.at < working.stop:
            index = await self.index()
            try:
                async with aclosing(self._pieces(index, working.at, working.stop, step_bytes)) as pieces:
                    async for span, stored in pieces:
                        while working.at < min(span.stop, working.stop):
                            step = partial(working.through, index, span, stored)
                            made, error = await working.pace.run(span.size, step)
                            for one in made:
                                yield one
                            if error is not None:
                                raise error
                return
            except DamagedOriginal as error:
                await self._renew(error)

    async def _pieces(
        self, index: Index, start: int, stop: int, step_bytes: int
    ) -> AsyncGenerator[tuple[Span, memoryview], None]:
        """As they are stored; what is next is fetched meanwhile."""
        wanted = span_of_bytes(index, start, stop)
        coming = iter(grouped(index, index.stored, wanted.first, wanted.last, FETCHED_BYTES))
        fetching = deque(map(self._begun, islice(coming, _AHEAD)))
        try:
            while fetching:
                group, task = fetching[0]
                stored = await task
                fetching.popleft()
                fetching.extend(map(self._begun, islice(coming, 1)))
                for span in grouped(index, index.ends, group.first, group.last, step_bytes):
                    yield span, stored[span.stored_start - group.stored_start : span.stored_stop - group.stored_start]
        finally:
            for _, task in fetching:
                task.cancel()
            await asyncio.gather(*(task for _, task in fetching), return_exceptions=True)

    def _begun(self, span: Span) -> tuple[Span, asyncio.Task[memoryview]]:
        return span, asyncio.create_task(self._buffer(span))

    async def _buffer(self, span: Span) -> memoryview:
        return await get_buffer(self._retrieval.store, self._key, span.stored_start, span.stored_stop)

    async def _stored(self, span: Span) -> bytes:
        if span.first == span.last:
            # Nothing is to be had, and yet it must be there: its metadata may be no more than remembered.
            await self._retrieval.store.head(self._key)
            return b""
        if self._keeps:
            return await self._stored_and_more(span)
        return await self._retrieval.store.get_range(self._key, span.stored_start, span.stored_stop)

    async def _stored_and_more(self, span: Span) -> bytes:
        """Whoever asks for a second page is likely to ask for a third."""
        stop = span.stored_stop
        if self._retrieval.known.passages.get(self._name) is not None:
            index = await self.index()
            more = span_from(index, index.stored, span.first, index.facts.blocks, PASSAGE_BYTES)
            stop = max(stop, more.stored_stop)
        data = await self._retrieval.store.get_range(self._key, span.stored_start, stop)
        self._keep(span.stored_start, data)
        return data[: span.stored_stop - span.stored_start]

    def _keep(self, start: int, data: bytes) -> None:
        self._retrieval.known.passages.put(self._name, Passage(start, data), len(data) + _PASSAGE_MEMORY)

    async def _fetch(self, *, anew: bool) -> Index:
        store, keys = self._retrieval.store, self._retrieval.keys
        try:
            index = await fetch_index(store, keys, self._session, self._key, self.metadata, anew=anew)
        except DamagedOriginal as error:
            raise self._damaged(error) from None
        self._retrieval.indexes.put(self._name, index)
        return index

    async def _renew(self, error: DamagedOriginal) -> None:
        self._retrieval.indexes.drop(self._name)
        if self._is_renewed:
            raise self._damaged(error)
        self._is_renewed = True
        log.info("%s is not as its index says, which is fetched anew: %s", self._key, error)
        self._index = await self._fetch(anew=True)

    def _damaged(self, error: DamagedOriginal) -> RequestError:
        if not self._is_hint:
            self._retrieval.damage.report(self._key, str(error))
        return damaged(Ref(self._session, self.metadata.result_id))


def _made(index: Index, span: Span, stored: bytes, make: Callable[[Span, bytes], _T]) -> _T:
    return make(span, unpacked(index, span, stored))
