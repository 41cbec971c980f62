"""`fs glob`: the files whose paths match a pattern; the session's own in order, then its results, oldest first."""

from collections.abc import Coroutine
from contextlib import aclosing
from time import monotonic
from typing import Annotated, Any

import msgspec

from coatcheck_core.filesystem.globs import Match, path_glob
from coatcheck_core.filesystem.paths import ROOT, normalized
from coatcheck_core.filesystem.results import call_of, call_path, result_path
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER, FileEntry, GlobReply, GlobRequest
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.metadata import Metadata
from coatcheck_workers.retrieval.cursors import decode_cursor, encode_cursor, malformed_cursor, question
from coatcheck_workers.retrieval.filling import Filling
from coatcheck_workers.retrieval.limits import check_limit
from coatcheck_workers.retrieval.listing.session_entries import fetched, is_deleted, read_time_entry, time_entries
from coatcheck_workers.retrieval.missing import check_readable
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.loading import load_metadata
from coatcheck_workers.retrieval.searching.own_entries import own_entry

from .listing import entry_of_result, metadata_of
from .newest_of_calls import NewestOfCalls
from .pages import index_after, short_name
from .results import is_result
from .stored_versions import StoredVersions
from .tree import AHEAD, entries_of, file_below, no_file, own_paths


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """The last that was gone through: one of the own, by its stored name, or once these are through a time entry.

    `given` names of the one after it have been given already.
    """

    name: Annotated[str, msgspec.Meta(max_length=250)] = ""
    entry: Annotated[str, msgspec.Meta(max_length=200)] = ""
    given: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0


async def glob(retrieval: Retrieval, session: str, request: GlobRequest) -> GlobReply:
    """Raises RequestError, StoreError. It answers with what it has after the time of a search."""
    check_limit(request.limit)
    folder = normalized(request.path)
    matches = path_glob(request.pattern, folder)
    asked = question("glob", session, request.pattern, folder)
    position = _Position() if request.cursor is None else decode_cursor(request.cursor, asked, _Position)
    if position.entry and read_time_entry(position.entry) is None:
        raise malformed_cursor()
    if request.cursor is None and not request.pattern.startswith(ROOT):
        await _check_folder(retrieval, session, folder)
    globbing = _Globbing(retrieval, session, matches, request.limit, position)
    at = await globbing.run()
    cursor = None if at is None else encode_cursor(asked, at)
    return GlobReply(entries=globbing.filling.items, has_more=cursor is not None, cursor=cursor)


async def _check_folder(retrieval: Retrieval, session: str, path: str) -> None:
    """Raises RequestError: `not_found` where nothing is there, `invalid_argument` where that is a file."""
    if path in (ROOT, RESULTS_FOLDER):
        return
    if is_result(path):
        await metadata_of(retrieval, session, path)
    else:
        if await file_below(retrieval, session, path) is not None:
            return
        found = await StoredVersions(retrieval, session, path).newest(most_bytes=0)
        if found.version is None:
            raise await no_file(retrieval, session, path, found)
    raise RequestError(
        Code.INVALID_ARGUMENT, f"{path[:200]} is a file, so nothing lies below it: give a folder, or a pattern alone"
    )


class _Globbing:
    """One request's way."""

    def __init__(self, retrieval: Retrieval, session: str, matches: Match, limit: int, position: _Position) -> None:
        self._retrieval = retrieval
        self._session = session
        self._matches = matches
        self._position = position
        self._newest = NewestOfCalls(retrieval, session, are_many=True)
        self.filling: Filling[FileEntry] = Filling(limit=limit, max_reply_bytes=retrieval.max_reply_bytes)
        self._clock = monotonic
        self._deadline = self._clock() + retrieval.settings.requests.search_seconds

    async def run(self) -> _Position | None:
        """Where to go on, or None where all was gone through."""
        if not self._position.entry and not self._position.given:
            at = await self._own()
            if at is not None:
                return at
        return await self._results()

    async def _own(self) -> _Position | None:
        paths = [path for path in await own_paths(self._retrieval, self._session) if self._matches(path)]
        wanted = paths[index_after(paths, self._position.name) :]
        async with aclosing(entries_of(self._retrieval, self._session, wanted)) as entries:
            async for entry in entries:
                if not self.filling.take(entry):
                    return self._position
                self._position = _Position(name=short_name(entry.path))
                if self._clock() >= self._deadline:
                    return self._position
        return None

    async def _results(self) -> _Position | None:
        """Each by its id, and by its call's where it is that one's newest, as far as the pattern wants either."""
        last, given = self._position.entry, self._position.given
        walk = time_entries(self._retrieval, self._session, after=last)
        async with aclosing(self._newest), aclosing(fetched(walk, self._start, ahead=AHEAD)) as found:
            async for entry, named in found:
                names = named or []
                for number, one in enumerate(names[given:], given):
                    if not self.filling.take(one):
                        return _Position(name=self._position.name, entry=last, given=number)
                last, given = str(entry), 0 if names else given
                if self._clock() >= self._deadline:
                    return _Position(entry=last)
        return None

    def _start(self, entry: TimeEntry) -> Coroutine[Any, Any, list[FileEntry]] | None:
        paths = [result_path(entry.result_id), call_path(call_of(entry.result_id))]
        wanted = [self._matches(path) for path in paths]
        if not any(wanted) or is_deleted(self._retrieval, self._session, entry):
            return None
        return self._entries(
            entry, *(path if is_wanted else None for path, is_wanted in zip(paths, wanted, strict=True))
        )

    async def _entries(self, entry: TimeEntry, by_id: str | None, by_call: str | None) -> list[FileEntry]:
        try:
            metadata = await load_metadata(self._retrieval, self._session, entry.result_id)
            check_readable(self._retrieval, self._session, metadata)
        except RequestError:
            return []
        if not _is_own(metadata, entry):
            return []
        named = [by_id] if by_id is not None else []
        if by_call is not None and await self._newest.of(call_of(entry.result_id)) == entry.result_id:
            named.append(by_call)
        return [entry_of_result(path, metadata) for path in named]


def _is_own(metadata: Metadata, entry: TimeEntry) -> bool:
    """Whether this is the entry by which a result that came in several turns is given, once."""
    own = own_entry(metadata)
    return own is None or own == entry
