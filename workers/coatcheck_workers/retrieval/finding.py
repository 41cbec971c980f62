"""`search`: in one original, or in all of a session's, oldest first."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

import msgspec

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import Match, SearchReply, SearchRequest

from .cursors import MAX_POSITION, decode_cursor, encode_cursor, question
from .filling import Filling
from .indexed import Indexed
from .model import Retrieval
from .originals import Original, load_checked, load_metadata, resolve
from .scanning import scan_section, scan_small
from .searching_one import search_one
from .sections import whole_section
from .seeking import Seeking, seeking_for
from .session_entries import fetched, time_entries
from .stored import is_indexed
from .threads import in_request_thread

_AHEAD = 4
"""Originals of a session in memory at a time."""


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """Where the next match is looked for: in which entry, from which char."""

    entry: str = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)] = 0


async def search(retrieval: Retrieval, session: str, request: SearchRequest) -> SearchReply:
    """Raises RequestError, InvalidRef, StoreError."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + retrieval.settings.requests.search_seconds
    seeking = await in_request_thread(partial(seeking_for, request, deadline=deadline, clock=clock))
    ref = None if request.ref is None else resolve(session, request.ref)
    options = (request.regex, request.ignore_case, request.whole_word, request.invert)
    asked = question("search", session, None if ref is None else str(ref), request.query, *options)
    if ref is not None:
        return await search_one(retrieval, ref, request, seeking, asked)
    position = None if request.cursor is None else decode_cursor(request.cursor, asked, _Position)
    return await _SessionSearch(retrieval, session, request, seeking, asked, position).run()


class _SessionSearch:
    """One request's scan over a session. An original that came again in later turns is searched once."""

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        request: SearchRequest,
        seeking: Seeking,
        asked: str,
        position: _Position | None,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._seeking = seeking
        self._asked = asked
        self._from_start = position is None
        self._position = position or _Position()
        self._filling: Filling[Match] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
        self._seen: set[str] = set()
        self._damaged = False

    async def run(self) -> SearchReply:
        entries = time_entries(self._retrieval, self._session)
        async with aclosing(fetched(entries, self._start, ahead=_AHEAD)) as found:
            async for entry, original in found:
                name = str(entry)
                if original is not None:
                    stop = await self._scan(name, entry.result_id, original)
                    if stop is not None:
                        return self._reply(_Position(name, stop))
                # Past at least one entry, so that a search that goes on by its cursor always gets on.
                if name > self._position.entry and self._seeking.is_over():
                    return self._reply(_Position(name, MAX_POSITION))
        return self._reply(None)

    def _start(self, entry: TimeEntry) -> Coroutine[Any, Any, Original | Indexed | None] | None:
        if entry.result_id in self._seen:
            return None
        self._seen.add(entry.result_id)
        name = str(entry)
        done = name == self._position.entry and self._position.offset == MAX_POSITION
        return None if done or name < self._position.entry else self._original(entry.result_id)

    async def _original(self, result_id: str) -> Original | Indexed | None:
        """What to scan: it, or of a large one where it lies.

        None where there is none, the original is no text, or it is damaged (which is logged).
        """
        try:
            metadata = await load_metadata(self._retrieval, self._session, result_id)
            if metadata.original_chars is None:
                return None
            if is_indexed(metadata):
                return Indexed(self._retrieval, self._session, metadata)
            return await load_checked(self._retrieval, Ref(self._session, result_id), metadata)
        except RequestError:
            self._damaged = True
            return None

    async def _scan(self, name: str, result_id: str, original: Original | Indexed) -> int | None:
        start = self._position.offset if name == self._position.entry else 0
        try:
            if isinstance(original, Original):
                return (await scan_small(self._filling, original, self._seeking, start)).stop
            section = await whole_section(Ref(self._session, result_id), original)
            return (await scan_section(self._filling, section, self._seeking, start, counting=False)).stop
        except ObjectNotFound:
            return None
        except RequestError as error:
            if error.code == Code.INTERNAL:
                self._damaged = True
            elif error.code != Code.INVALID_ARGUMENT:  # that says that it is no text
                raise
            return None

    def _reply(self, position: _Position | None) -> SearchReply:
        matches = self._filling.items
        whole = position is None and self._from_start and not self._damaged
        return SearchReply(
            matches=matches,
            total=len(matches) if whole else None,
            has_more=position is not None,
            cursor=None if position is None else encode_cursor(self._asked, position),
        )
