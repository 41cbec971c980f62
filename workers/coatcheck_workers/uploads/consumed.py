"""The uploads whose pieces have become a result: their event may come again when nothing is left of them."""

import msgspec

from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.streams.ports import Log, Publishing
from coatcheck_workers.uploads.opening import Opening


class Consumed(msgspec.Struct, frozen=True, kw_only=True):
    """One empty message in COAT_LEDGER for each, where it goes with its session, or by its age."""

    subjects: Subjects
    publisher: Publishing
    ledger: Log

    async def has(self, opening: Opening) -> bool:
        """Raises PublishError."""
        return await self.ledger.last(self._subject(opening)) is not None

    async def note(self, opening: Opening) -> None:
        """Raises PublishError."""
        await self.publisher.append(self._subject(opening), b"", {})

    def _subject(self, opening: Opening) -> str:
        return self.subjects.consumed(opening.address, opening.upload)
