"""`search` in all of a session's originals, oldest first."""

from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Annotated, Any

import msgspec

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import Match, SearchReply, SearchRequest

from ..cursors import MAX_POSITION, decode_cursor, encode_cursor, malformed_cursor
from ..filling import Filling
from ..listing.session_entries import fetched, read_time_entry, time_entries
from ..missing import is_readable
from ..model import Retrieval
from ..originals.indexed import Indexed
from ..originals.loading import Original, load_checked
from ..originals.sections import whole_section
from ..originals.stored import is_indexed
from .own_entries import OwnEntries
from .scanning import Scanned, no_end_in_time, scan_section, scan_small
from .seeking import Seeking

_AHEAD = 16
_AHEAD_BYTES = 16 * 1024 * 1024
"""Originals of a session in memory at a time, and their bytes before the last; of large ones no more than some MiB."""

_Found = tuple[TimeEntry, Metadata | None]


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """Where the next match is looked for: in which entry, from which char; `MAX_POSITION` is past all of its chars."""

    entry: Annotated[str, msgspec.Meta(max_length=200)] = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)] = 0


async def search_session(
    retrieval: Retrieval, session: str, request: SearchRequest, seeking: Seeking, asked: str
) -> SearchReply:
    """Raises RequestError, StoreError."""
    position = None if request.cursor is None else decode_cursor(request.cursor, asked, _Position)
    if position is not None and read_time_entry(position.entry) is None:
        raise malformed_cursor()
    filling: Filling[Match] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    search = _SessionSearch(retrieval, session, seeking, filling, position)
    stop = await search.run()
    return SearchReply(
        matches=filling.items,
        total=search.total,
        has_more=stop is not None,
        cursor=None if stop is None else encode_cursor(asked, stop),
    )


class _SessionSearch:
    """One request's scan. An original that came in several turns is searched once, at the entry it was first kept with.

    `total` is how many matches there are, or None where not all of the session was searched.
    """

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        seeking: Seeking,
        filling: Filling[Match],
        position: _Position | None,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._seeking = seeking
        self._filling = filling
        self._position = position or _Position()
        self._own = OwnEntries(retrieval, session)
        self._stop: _Position | None = None
        self._held_bytes = 0
        self._given: list[tuple[Metadata, int]] = []
        """What the reply has matches of, and how many: it may be deleted before the reply is out."""
        self.total: int | None = 0 if position is None else None

    async def run(self) -> _Position | None:
        """Where to go on, or None where all was searched."""
        found = fetched(self._entries(), self._own.metadata, ahead=_AHEAD)
        async with aclosing(fetched(found, self._start, ahead=self._ahead)) as originals:
            async for (entry, metadata), original in originals:
                if metadata is not None:
                    self._held_bytes -= _memory_bytes(metadata)
                    await self._search(str(entry), metadata, original)
                if self._is_enough(str(entry)):
                    break
        if self._own.is_damaged:
            self.total = None
        self._drop_deleted()
        return self._stop

    async def _entries(self) -> AsyncGenerator[TimeEntry, None]:
        """Those from the position on."""
        last = self._position.entry
        # A name's beginning comes before it, and after all that is before: so it is listed itself, too.
        async with aclosing(time_entries(self._retrieval, self._session, after=last[:-1])) as entries:
            async for entry in entries:
                if str(entry) > last or (str(entry) == last and self._position.offset < MAX_POSITION):
                    yield entry

    def _ahead(self) -> int:
        return _AHEAD if self._held_bytes < _AHEAD_BYTES else 1

    def _start(self, found: _Found) -> Coroutine[Any, Any, Original | Indexed | None] | None:
        metadata = found[1]
        if metadata is None:
            return None
        self._held_bytes += _memory_bytes(metadata)
        return self._original(metadata)

    async def _original(self, metadata: Metadata) -> Original | Indexed | None:
        """What to scan: it, or of a large one where it lies; None where it is no text, or is damaged."""
        if metadata.original_chars is None:
            return None
        if is_indexed(metadata):
            return Indexed(self._retrieval, self._session, metadata)
        try:
            return await load_checked(self._retrieval, Ref(self._session, metadata.result_id), metadata)
        except RequestError:
            self.total = None
            return None

    async def _search(self, name: str, metadata: Metadata, original: Original | Indexed | None) -> None:
        if not is_readable(self._retrieval, self._session, metadata):  # deleted since it was fetched
            return
        before = len(self._filling.items)
        scanned = None if original is None else await self._scan(name, metadata.result_id, original)
        if len(self._filling.items) > before:
            self._given.append((metadata, len(self._filling.items) - before))
        if scanned is None:
            return
        if scanned.stop is not None and self._stop is None:
            self._stop = _Position(name, scanned.stop)
            if self._stop == self._position:
                seconds = self._retrieval.settings.requests.search_seconds
                raise no_end_in_time(Ref(self._session, metadata.result_id), scanned.stop, seconds)
        if self.total is not None:
            self.total = None if scanned.counted is None else self.total + scanned.counted

    async def _scan(self, name: str, result_id: str, original: Original | Indexed) -> Scanned | None:
        start = self._position.offset if name == self._position.entry else 0
        try:
            if isinstance(original, Original):
                return await scan_small(self._filling, original, self._seeking, start)
            section = await whole_section(Ref(self._session, result_id), original)
            counting = self.total is not None
            return await scan_section(self._filling, section, self._seeking, start, counting=counting)
        except ObjectNotFound:
            return None
        except RequestError as error:
            if error.code == Code.INTERNAL:
                self.total = None
            elif error.code != Code.INVALID_ARGUMENT:  # that says that it is no text
                raise
            return None

    def _drop_deleted(self) -> None:
        """Of what was deleted since it was searched nothing is given; how many matches there are is not known then."""
        start = 0
        for metadata, count in self._given:
            if is_readable(self._retrieval, self._session, metadata):
                start += count
            else:
                del self._filling.items[start : start + count]
                self.total = None

    def _is_enough(self, name: str) -> bool:
        """Whether to end here; with a full reply the rest is still counted for a while."""
        if self._stop is None:
            # Past at least one entry, so that a search that goes on by its cursor always gets on.
            if name > self._position.entry and self._seeking.pace.is_over():
                self._stop = _Position(name, MAX_POSITION)
                self.total = None
                return True
            return False
        if self._seeking.pace.is_over():
            self.total = None
        return self.total is None


def _memory_bytes(metadata: Metadata) -> int:
    """What its original takes as a whole; a large one passes, and one that is no text is not fetched."""
    return 0 if metadata.original_chars is None or is_indexed(metadata) else metadata.original_bytes
