"""`search`: a literal text in one original, or in all of a session's, oldest first."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

import msgspec

from coatcheck_core.searching import count, find, narrow
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_QUERY_CHARS, Match, SearchReply, SearchRequest

from .cursors import MAX_POSITION, decode_cursor, encode_cursor, question
from .filling import Filling
from .limits import check_limit
from .model import Retrieval
from .originals import load, load_checked, load_metadata, off_loop, resolve
from .session_entries import fetched, time_entries

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

    def scan() -> SearchReply:
        text = original.text()
        if text is None:
            raise RequestError(Code.INVALID_ARGUMENT, f"{ref} is not text, so it cannot be searched")
        stop = _fill(filling, ref, text, request, position.offset)
        cursor = None if stop is None else encode_cursor(asked, _Position("", stop))
        total = count(text, request.query)
        return SearchReply(matches=filling.items, total=total, has_more=cursor is not None, cursor=cursor)

    return await off_loop(len(original.data), scan)


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
        self._filling: Filling[Match] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
        self._seen: set[str] = set()
        self._damaged = False

    async def run(self) -> SearchReply:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._retrieval.settings.requests.search_seconds
        entries = time_entries(self._retrieval, self._session)
        async with aclosing(fetched(entries, self._start, ahead=_AHEAD)) as found:
            async for entry, text in found:
                name = str(entry)
                if text is not None:
                    stop = await self._scan(name, entry.result_id, text)
                    if stop is not None:
                        return self._reply(_Position(name, stop))
                # Past at least one entry, so that a search that goes on by its cursor always gets on.
                if name > self._position.entry and clock() >= deadline:
                    return self._reply(_Position(name, MAX_POSITION))
        return self._reply(None)

    def _start(self, entry: TimeEntry) -> Coroutine[Any, Any, str | None] | None:
        if entry.result_id in self._seen:
            return None
        self._seen.add(entry.result_id)
        name = str(entry)
        done = name == self._position.entry and self._position.offset == MAX_POSITION
        return None if done or name < self._position.entry else self._text(entry.result_id)

    async def _text(self, result_id: str) -> str | None:
        """The text to scan; None where there is none, the original is no text, or it is damaged (which is logged)."""
        try:
            metadata = await load_metadata(self._retrieval, self._session, result_id)
            if metadata.original_chars is None:
                return None
            original = await load_checked(self._retrieval, Ref(self._session, result_id), metadata)
        except RequestError:
            self._damaged = True
            return None
        return await off_loop(len(original.data), original.text)

    async def _scan(self, name: str, result_id: str, text: str) -> int | None:
        start = self._position.offset if name == self._position.entry else 0
        fill = partial(_fill, self._filling, Ref(self._session, result_id), text, self._request, start)
        return await off_loop(len(text), fill)

    def _reply(self, position: _Position | None) -> SearchReply:
        matches = self._filling.items
        whole = position is None and self._from_start and not self._damaged
        return SearchReply(
            matches=matches,
            total=len(matches) if whole else None,
            has_more=position is not None,
            cursor=None if position is None else encode_cursor(self._asked, position),
        )


def _fill(filling: Filling[Match], ref: Ref, text: str, request: SearchRequest, start: int) -> int | None:
    """Take matches until the reply is full; the offset of the first that had no room, or None where all had."""
    for found in find(text, request.query, context_chars=request.context_chars, start=start):
        match = Match(ref=str(ref), **msgspec.structs.asdict(found))
        if filling.take(match):
            continue
        if filling.items:
            return found.offset
        if not filling.take(_narrowed(match, filling.room, request.context_chars)):
            raise RequestError(Code.TOO_LARGE, "one message has no room for a single match of this query")
    return None


def _narrowed(match: Match, room: int, context_chars: int) -> Match:
    """The match with as much context, halved and halved again, as the message has room for."""
    while context_chars and len(msgspec.json.encode(match)) >= room:
        context_chars //= 2
        snippet, off = narrow(match.snippet, match.offset - match.snippet_offset, match.length, context_chars)
        match = msgspec.structs.replace(match, snippet=snippet, snippet_offset=match.snippet_offset + off)
    return match
