"""A small original, of which no index is stored: proved whole by its sha256 once, and from then on block by block."""

from collections.abc import AsyncGenerator
from functools import partial

from coatcheck_core.encodings import UTF_8
from coatcheck_core.original import NOTED_BLOCK_BYTES, Index, Noting, Span
from coatcheck_schemas.errors import DamagedOriginal, ObjectChanged, StoreUnavailable
from coatcheck_schemas.events import Part
from coatcheck_schemas.metadata import Metadata

from ..model import Retrieval
from .indexed import Indexed
from .stored import off_loop

WHOLE_BYTES = 1024 * 1024
"""What has no more is got in one request, which serves the first page too; of more, nothing is kept as it passes."""

_STEP_BYTES = 1024 * 1024


class Small(Indexed):
    """One request's view of it, as of a large one.

    The first that a worker is asked for gets the whole of it. Its bytes make the index that is kept; later ones are a
    ranged read each. Where a block does not match, the whole is fetched anew, once.
    """

    block_bytes = NOTED_BLOCK_BYTES

    def __init__(
        self, retrieval: Retrieval, session: str, metadata: Metadata, *, is_hint: bool = False, keeps: bool = False
    ) -> None:
        super().__init__(retrieval, session, metadata, is_hint=is_hint, keeps=keeps)
        self._sha256: str | None = metadata.sha256
        self._size: int | None = metadata.original_bytes
        self._encoding = metadata.encoding
        self._whole: bytes | None = None

    async def _fetch(self, *, anew: bool) -> Index:
        """Alone: many who ask at once for what nobody has asked for before need it in memory once."""
        indexes = self._retrieval.indexes
        async with indexes.alone(self._name):
            kept = None if anew else indexes.get(self._name)
            if kept is not None:
                return kept
            try:
                index = await self._noted()
            except DamagedOriginal as error:
                raise self._damaged(error) from None
            indexes.put(self._name, index)
            return index

    async def _noted(self) -> Index:
        """Raises DamagedOriginal where it is not the one that its metadata says."""
        noting = Noting(self._encoding, self.block_bytes)
        if self._size is not None and self._size <= WHOLE_BYTES:
            whole = await self._retrieval.store.get(self._key)
            index = await off_loop(len(whole), partial(_all_noted, noting, whole))
        else:
            whole = None
            index = await self._noted_as_it_passes(noting)
        if self._size is not None and index.facts.bytes != self._size:
            raise DamagedOriginal(
                f"{index.facts.bytes} bytes are there of {self._size}, which do not have the sha256 of those"
            )
        if self._sha256 is not None and index.facts.sha256 != self._sha256:
            raise DamagedOriginal("it does not have the sha256 that its metadata says")
        self._whole = whole
        return index

    async def _noted_as_it_passes(self, noting: Noting) -> Index:
        async with self._retrieval.indexes.passing:
            chunks = self._retrieval.store.get_stream(self._key)
            try:
                async for chunk in chunks:
                    for at in range(0, len(chunk), _STEP_BYTES):
                        step = memoryview(chunk)[at : at + _STEP_BYTES]
                        await off_loop(len(step), partial(noting.feed, step))
            except ObjectChanged as error:
                raise StoreUnavailable(f"{self._key} was replaced while it was read") from error
            finally:
                if isinstance(chunks, AsyncGenerator):
                    await chunks.aclose()
        return noting.finish()

    async def _buffer(self, span: Span) -> memoryview:
        return memoryview(await self._stored(span))

    async def _stored(self, span: Span) -> bytes:
        if self._whole is not None:
            if self._keeps:
                self._keep(0, self._whole)
            return self._whole[span.stored_start : span.stored_stop]
        return await super()._stored(span)


class PartObject(Small):
    """A part that is an object of its own; metadata of old may not say its size or its sha256."""

    def __init__(
        self, retrieval: Retrieval, session: str, metadata: Metadata, part: Part, *, is_hint: bool = False
    ) -> None:
        super().__init__(retrieval, session, metadata, is_hint=is_hint)
        self._key = retrieval.keys.part(session, metadata.result_id, part.index)
        self._name = (session, f"{metadata.result_id}/{part.index}", part.sha256 or "")
        self._sha256 = part.sha256
        self._size = part.bytes
        self._encoding = UTF_8


def _all_noted(noting: Noting, whole: bytes) -> Index:
    noting.feed(whole)
    return noting.finish()
