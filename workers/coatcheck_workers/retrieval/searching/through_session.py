"""Going through a session's originals, oldest first, for what is searched in them."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Annotated, Any

import msgspec

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.filesystem import PassedWhy
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from ..cursors import MAX_POSITION
from ..listing.session_entries import fetched, time_entries
from ..missing import is_readable
from ..model import Retrieval
from ..originals.indexed import Indexed
from ..originals.loading import Original, load_checked
from ..originals.sections import whole_section
from ..originals.stored import is_indexed
from .own_entries import OwnEntries
from .scanning import Scanned, no_end_in_time, scan_section, scan_small
from .seeking import Seeking
from .taking import Taker

_AHEAD = 16
_AHEAD_BYTES = 16 * 1024 * 1024
"""Originals of a session in memory at a time, and their bytes before the last; of large ones no more than some MiB."""

_Found = tuple[TimeEntry, Metadata | None]


class Position(msgspec.Struct, frozen=True, array_like=True):
    """Where the next match is looked for: in which entry, from which char; `MAX_POSITION` is past all of its chars."""

    entry: Annotated[str, msgspec.Meta(max_length=200)] = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)] = 0


class SessionSearch:
    """One request's scan. An original that came in several turns is searched once, at the entry it was first kept with.

    `total` is how many matches there are, or None where not all of the session was searched, or it is not `counting`.
    `wants` says of a result id whether it is to be searched; `passed` is told of each that could not be.
    """

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        seeking: Seeking,
        taker: Taker,
        position: Position | None,
        *,
        counting: bool,
        wants: Callable[[str], bool] = lambda _: True,
        passed: Callable[[str, PassedWhy], None] = lambda *_: None,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._seeking = seeking
        self._taker = taker
        self._wants = wants
        self._passed = passed
        self._position = position or Position()
        self._own = OwnEntries(retrieval, session)
        self._stop: Position | None = None
        self._held_bytes = 0
        self._given: list[Metadata] = []
        """What the reply has matches of: it may be deleted before the reply is out."""
        self.total: int | None = 0 if counting else None

    async def run(self) -> Position | None:
        """Where to go on, or None where all was searched."""
        found = fetched(self._entries(), self._metadata, ahead=_AHEAD)
        async with aclosing(fetched(found, self._start, ahead=self._ahead)) as originals:
            async for (entry, metadata), original in originals:
                if metadata is not None:
                    self._held_bytes -= _memory_bytes(metadata)
                    await self._search(str(entry), metadata, original)
                elif entry.result_id in self._own.damaged:
                    self._passed(entry.result_id, "damaged")
                if self._is_enough(str(entry)):
                    break
        if self._own.damaged:
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

    def _metadata(self, entry: TimeEntry) -> Coroutine[Any, Any, Metadata | None] | None:
        return self._own.metadata(entry) if self._wants(entry.result_id) else None

    def _ahead(self) -> int:
        return _AHEAD if self._held_bytes < _AHEAD_BYTES else 1

    def _start(self, found: _Found) -> Coroutine[Any, Any, Original | Indexed | PassedWhy] | None:
        metadata = found[1]
        if metadata is None:
            return None
        self._held_bytes += _memory_bytes(metadata)
        return self._original(metadata)

    async def _original(self, metadata: Metadata) -> Original | Indexed | PassedWhy:
        """What to scan: it, or of a large one where it lies; or why it cannot be."""
        if metadata.original_chars is None:
            return "binary"
        if is_indexed(metadata):
            return Indexed(self._retrieval, self._session, metadata)
        try:
            return await load_checked(self._retrieval, Ref(self._session, metadata.result_id), metadata)
        except RequestError:
            return "damaged"

    async def _search(self, name: str, metadata: Metadata, original: Original | Indexed | PassedWhy | None) -> None:
        if not is_readable(self._retrieval, self._session, metadata):  # deleted since it was fetched
            return
        before = self._taker.count
        if isinstance(original, Original | Indexed):
            scanned = await self._scan(name, metadata.result_id, original)
        else:
            scanned = original or "gone"
        if self._taker.count > before:
            self._given.append(metadata)
        if isinstance(scanned, Scanned):
            self._note(name, metadata.result_id, scanned)
            return
        self._passed(metadata.result_id, scanned)
        if scanned != "binary":
            self.total = None

    def _note(self, name: str, result_id: str, scanned: Scanned) -> None:
        if scanned.stop is not None and self._stop is None:
            self._stop = Position(name, scanned.stop)
            if self._stop == self._position:
                seconds = self._retrieval.settings.requests.search_seconds
                raise no_end_in_time(Ref(self._session, result_id), scanned.stop, seconds)
        if self.total is not None:
            self.total = None if scanned.counted is None else self.total + scanned.counted

    async def _scan(self, name: str, result_id: str, original: Original | Indexed) -> Scanned | PassedWhy:
        start = self._position.offset if name == self._position.entry else 0
        counting = self.total is not None
        try:
            if isinstance(original, Original):
                return await scan_small(self._taker, original, self._seeking, start, counting=counting)
            section = await whole_section(Ref(self._session, result_id), original)
            return await scan_section(self._taker, section, self._seeking, start, counting=counting)
        except ObjectNotFound:
            return "gone"
        except RequestError as error:
            if error.code == Code.INTERNAL:
                return "damaged"
            if error.code == Code.INVALID_ARGUMENT:  # that says that it is no text
                return "binary"
            raise

    def _drop_deleted(self) -> None:
        """Of what was deleted since it was searched nothing is given; how many matches there are is not known then."""
        for metadata in self._given:
            if not is_readable(self._retrieval, self._session, metadata):
                self._taker.drop(metadata.ref)
                self.total = None

    def _is_enough(self, name: str) -> bool:
        """Whether to end here; with a full reply the rest is still counted for a while."""
        if self._stop is None:
            # Past at least one entry, so that a search that goes on by its cursor always gets on.
            if name > self._position.entry and self._seeking.pace.is_over():
                self._stop = Position(name, MAX_POSITION)
                self.total = None
                return True
            return False
        if self._seeking.pace.is_over():
            self.total = None
        return self.total is None


def _memory_bytes(metadata: Metadata) -> int:
    """What its original takes as a whole; a large one passes, and one that is no text is not fetched."""
    return 0 if metadata.original_chars is None or is_indexed(metadata) else metadata.original_bytes
