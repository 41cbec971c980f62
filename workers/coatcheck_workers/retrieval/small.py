"""A small original, of which no index is stored: proved whole by its sha256 once, and from then on block by block."""

from coatcheck_core.encodings import UTF_8
from coatcheck_core.original import NOTED_BLOCK_BYTES, Index, Span, noted
from coatcheck_schemas.errors import DamagedOriginal
from coatcheck_schemas.events import Part
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import sha256_hex

from .indexed import Indexed
from .model import Retrieval
from .stored import off_loop


class Small(Indexed):
    """One request's view of it, as of a large one. The first that a worker is asked for gets the whole of it.

    Its bytes make the index that is kept, and serve this request; later ones are a ranged read each. Where a block does
    not match, the whole is fetched anew, once.
    """

    block_bytes = NOTED_BLOCK_BYTES

    def __init__(self, retrieval: Retrieval, session: str, metadata: Metadata, *, is_hint: bool = False) -> None:
        super().__init__(retrieval, session, metadata, is_hint=is_hint)
        self._sha256: str | None = metadata.sha256
        self._size: int | None = metadata.original_bytes
        self._encoding = metadata.encoding
        self._whole: bytes | None = None

    async def _fetch(self, *, anew: bool) -> Index:
        whole = await self._retrieval.store.get(self._key)
        try:
            index = await off_loop(len(whole), lambda: self._noted(whole))
        except DamagedOriginal as error:
            raise self._damaged(error) from None
        self._whole = whole
        self._retrieval.indexes.put(self._name, index)
        return index

    def _noted(self, whole: bytes) -> Index:
        if self._size is not None and len(whole) != self._size:
            raise DamagedOriginal(f"{len(whole)} bytes are there of {self._size}: neither has it the right sha256")
        sha256 = sha256_hex(whole)
        if self._sha256 is not None and sha256 != self._sha256:
            raise DamagedOriginal("it does not have the sha256 that its metadata says")
        return noted(whole, self._encoding, sha256, self.block_bytes)

    async def _stored(self, span: Span) -> bytes:
        if self._whole is not None:
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
