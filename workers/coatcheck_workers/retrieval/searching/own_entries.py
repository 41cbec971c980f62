"""Each result of a session once, though it has an entry for every turn in which it came."""

from collections.abc import Coroutine
from datetime import datetime
from typing import Any

from coatcheck_schemas.errors import Code, InvalidInput, ObjectNotFound, RequestError
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import to_milliseconds

from ..limits import turn_segment
from ..listing.session_entries import is_deleted
from ..missing import check_readable
from ..model import Retrieval
from ..originals.loading import load_metadata


class OwnEntries:
    """One request's view. A result's own entry is the one that its metadata tells of, wherever a cursor stands.

    `damaged` are results whose metadata could not be read, which is reported.
    """

    def __init__(self, retrieval: Retrieval, session: str) -> None:
        self._retrieval = retrieval
        self._session = session
        self._standing_in: dict[str, TimeEntry] = {}
        self.damaged: set[str] = set()

    def metadata(self, entry: TimeEntry) -> Coroutine[Any, Any, Metadata | None] | None:
        """None where the result was deleted; else its metadata, or None where this is not its own entry.

        Where its own is missing, as a crash may leave it for a while, another one stands in.
        """
        return None if is_deleted(self._retrieval, self._session, entry) else self._metadata(entry)

    async def _metadata(self, entry: TimeEntry) -> Metadata | None:
        try:
            metadata = await load_metadata(self._retrieval, self._session, entry.result_id)
            check_readable(self._retrieval, self._session, metadata)
        except RequestError as error:
            if error.code != Code.GONE:
                self.damaged.add(entry.result_id)
            return None
        own = own_entry(metadata)
        if own is None or own == entry:
            return metadata
        if self._standing_in.setdefault(entry.result_id, entry) != entry or await self._is_there(own):
            return None
        return metadata

    async def _is_there(self, entry: TimeEntry) -> bool:
        try:
            await self._retrieval.store.head(self._retrieval.keys.time_entry(self._session, entry))
        except ObjectNotFound:
            return False
        return True


def own_entry(metadata: Metadata) -> TimeEntry | None:
    """The entry that was written with the metadata; None where that says no time or turn that could be one's."""
    try:
        moment = to_milliseconds(datetime.fromisoformat(metadata.created_at))
        return TimeEntry(moment, turn_hash(turn_segment(metadata.turn_id)), metadata.result_id)
    except (InvalidInput, ValueError):
        return None
