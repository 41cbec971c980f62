"""An original as far as it is in memory: for whoever knows by other means that it is there still."""

from coatcheck_core.original import Index, Span
from coatcheck_schemas.errors import DamagedOriginal

from .indexed import Indexed


class NotAtHand(Exception):
    """The store would have to be asked."""


class AtHand(Indexed):
    """One request's view of it, which asks the store for nothing, and raises NotAtHand where it would have to.

    What is kept is proved by its checksums at each reading, as what is fetched is.
    """

    async def index(self) -> Index:
        index = self._retrieval.indexes.get(self._name)
        if index is None:
            raise NotAtHand
        return index

    async def _stored(self, span: Span) -> bytes:
        if span.first == span.last:
            return b""
        passage = self._retrieval.known.passages.get(self._name)
        stored = None if passage is None else passage.get(span.stored_start, span.stored_stop)
        if stored is None:
            raise NotAtHand
        return stored

    async def _renew(self, error: DamagedOriginal) -> None:
        self._retrieval.known.passages.drop(self._name)
        raise NotAtHand
