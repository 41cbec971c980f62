"""`search`: a literal text in one original, or in all of a session's, oldest first."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

import msgspec

from coatcheck_core.searching import count
from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_QUERY_CHARS, Match, SearchReply, SearchRequest

from .cursors import MAX_POSITION, decode_cursor, encode_cursor, question
from .filling import Filling
from .indexed import Indexed
from .limits import check_limit
from .model import Retrieval
from .originals import Original, load, load_checked, load_metadata, resolve
from .scanning import Scanned, SectionScan, not_text, scan_section, scan_text
from .sections import Section, whole_section
from .session_entries import fetched, time_entries
from .stored import is_indexed, off_loop

_AHEAD = 4
"""Originals of a session in memory at a time."""
_LATER_OPTIONS = ("regex", "ignore_case", "whole_word", "invert")


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """Where the next match is looked for: in which entry (`""` where one original is searched), from which char."""

    entry: str = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)] = 0


async def search(retrieval: Retrieval, session: str, request: SearchRequest) -> SearchReply:
    """Raises RequestError, InvalidRef, StoreError."""
    _check(request)
    ref = None if request.ref is None else resolve(session, request.ref)
    asked = question("search", session, None if ref is None else str(ref), request.query)
    position = None if request.cursor is None else decode_cursor(request.cursor, asked, _Position)
    if ref is None:
        return await _SessionSearch(retrieval, session, request, asked, position).run()
    return await _search_one(retrieval, ref, request, asked, position or _Position())


def _check(request: SearchRequest) -> None:
    for option in _LATER_OPTIONS:
        if getattr(request, option):
            raise RequestError(
                Code.INVALID_ARGUMENT, f"this version does not offer {option}: search for a literal text"
            )
    if not request.query:
        raise RequestError(Code.INVALID_ARGUMENT, "query is empty: give the text to search for")
    if len(request.query) > MAX_QUERY_CHARS:
        raise RequestError(Code.INVALID_ARGUMENT, f"query may have {MAX_QUERY_CHARS} chars")
    if not 0 <= request.context_chars <= MAX_CONTEXT_CHARS:
        raise RequestError(Code.INVALID_ARGUMENT, f"context_chars must lie between 0 and {MAX_CONTEXT_CHARS}")
    check_limit(request.limit)


async def _search_one(
    retrieval: Retrieval, ref: Ref, request: SearchRequest, asked: str, position: _Position
) -> SearchReply:
    original = await load(retrieval, ref)
    filling: Filling[Match] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    if isinstance(original, Section):
        scan = SectionScan(filling, original, request, position.offset, counting=True)
        done = await scan_section(scan, original, deadline=_deadline(retrieval), clock=_clock())
    else:
        done = await off_loop(len(original.data), partial(_scan_whole, filling, ref, original, request, position))
    cursor = None if done.stop is None else encode_cursor(asked, _Position("", done.stop))
    return SearchReply(matches=filling.items, total=done.total, has_more=cursor is not None, cursor=cursor)


def _scan_whole(
    filling: Filling[Match], ref: Ref, original: Original, request: SearchRequest, position: _Position
) -> Scanned:
    text = original.text()
    if text is None:
        raise not_text(ref)
    stop = scan_text(filling, ref, text, request, position.offset)
    return Scanned(stop, count(text, request.query))


def _clock() -> Callable[[], float]:
    return asyncio.get_running_loop().time


def _deadline(retrieval: Retrieval) -> float:
    return _clock()() + retrieval.settings.requests.search_seconds


class _SessionSearch:
    """One request's scan over a session. An original that came again in later turns is searched once."""

    def __init__(
        self, retrieval: Retrieval, session: str, request: SearchRequest, asked: str, position: _Position | None
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._request = request
        self._asked = asked
        self._from_start = position is None
        self._position = position or _Position()
        self._deadline = _deadline(retrieval)
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
                if name > self._position.entry and _clock()() >= self._deadline:
                    return self._reply(_Position(name, MAX_POSITION))
        return self._reply(None)

    def _start(self, entry: TimeEntry) -> Coroutine[Any, Any, str | Indexed | None] | None:
        if entry.result_id in self._seen:
            return None
        self._seen.add(entry.result_id)
        name = str(entry)
        done = name == self._position.entry and self._position.offset == MAX_POSITION
        return None if done or name < self._position.entry else self._text(entry.result_id)

    async def _text(self, result_id: str) -> str | Indexed | None:
        """What to scan: the text, or of a large one where it lies.

        None where there is none, the original is no text, or it is damaged (which is logged).
        """
        try:
            metadata = await load_metadata(self._retrieval, self._session, result_id)
            if metadata.original_chars is None:
                return None
            if is_indexed(metadata):
                return Indexed(self._retrieval, self._session, metadata)
            original = await load_checked(self._retrieval, Ref(self._session, result_id), metadata)
        except RequestError:
            self._damaged = True
            return None
        return await off_loop(len(original.data), original.text)

    async def _scan(self, name: str, result_id: str, original: str | Indexed) -> int | None:
        start = self._position.offset if name == self._position.entry else 0
        ref = Ref(self._session, result_id)
        if isinstance(original, Indexed):
            return await self._scan_large(ref, original, start)
        return await off_loop(len(original), partial(scan_text, self._filling, ref, original, self._request, start))

    async def _scan_large(self, ref: Ref, original: Indexed, start: int) -> int | None:
        try:
            section = await whole_section(ref, original)
            scan = SectionScan(self._filling, section, self._request, start, counting=False)
            return (await scan_section(scan, section, deadline=self._deadline, clock=_clock())).stop
        except ObjectNotFound:
            return None
        except RequestError as error:
            if error.code != Code.INTERNAL:
                raise
            self._damaged = True
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
