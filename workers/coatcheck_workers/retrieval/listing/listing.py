"""`list`: a session's results in the order of their arrival, by the by-time entries."""

from collections.abc import Coroutine
from contextlib import aclosing
from time import monotonic
from typing import Annotated, Any

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import ListReply, ListRequest
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.clock import utc_now

from ..cursors import decode_cursor, encode_cursor, malformed_cursor, question
from ..filling import Filling
from ..fitting import with_fitting_parts
from ..missing import check_readable, is_readable
from ..model import Retrieval
from ..originals.loading import load_metadata
from .candidates import Candidate, Candidates, newest_with_facts, oldest_with_facts, without_facts
from .facts import FIRST_PAGE, FactsPage, keep_page, open_page
from .list_filter import Filter, filter_of
from .newest import newest_entries
from .session_entries import fetched, is_deleted, read_time_entry, time_entries

_AHEAD = 16
_SHORT_CHARS = 200
_PARTS_BYTES = 16 * 1024


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """The last entry that was gone through, or `""`, and where that is known the page that has its facts."""

    entry: Annotated[str, msgspec.Meta(max_length=200)] = ""
    page: Annotated[str, msgspec.Meta(max_length=200)] = ""


async def list_results(retrieval: Retrieval, session: str, request: ListRequest) -> ListReply:
    """Raises RequestError, InvalidId, StoreError. It answers with what it has after the time of a search."""
    wanted = filter_of(request)
    fields = (request.tool_name, request.kind, request.turn_id, request.since, request.until, request.order)
    asked = question("list", session, *fields)
    return await _Listing(retrieval, session, request, wanted, asked, _resume(request.cursor, asked)).run()


class _Listing:
    """One request's way through the entries."""

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        request: ListRequest,
        wanted: Filter,
        asked: str,
        position: _Position,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._request = request
        self._wanted = wanted
        self._asked = asked
        self._position = position
        self._page: FactsPage | None = None
        self._last: Candidate | None = None
        self._doubtful: set[TimeEntry] = set()
        self._filling: Filling[Metadata] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)

    async def run(self) -> ListReply:
        is_whole = await self._fill()
        await self._turn_to(None)
        cursor = None if is_whole else encode_cursor(self._asked, self._reached())
        # What was deleted since its metadata was read is not shown either.
        items = [one for one in self._filling.items if is_readable(self._retrieval, self._session, one)]
        return ListReply(tool_results=items, has_more=cursor is not None, cursor=cursor)

    async def _fill(self) -> bool:
        """Whether all were gone through."""
        clock = monotonic
        deadline = clock() + self._retrieval.settings.requests.search_seconds
        async with aclosing(fetched(await self._candidates(), self._start, ahead=self._ahead)) as found:
            async for candidate, metadata in found:
                await self._turn_to(candidate.page)
                self._doubtful.discard(candidate.entry)
                if metadata is not None and not self._offer(candidate, metadata):
                    return False
                self._last = candidate
                if clock() >= deadline:
                    return False
        return True

    def _reached(self) -> _Position:
        last = self._last
        return self._position if last is None else _Position(str(last.entry), last.page.name if last.page else "")

    def _ahead(self) -> int:
        """One more than the reply has room for, which says that there is more, and those that may not be wanted."""
        return min(_AHEAD, self._filling.missing + 1 + len(self._doubtful))

    async def _candidates(self) -> Candidates:
        retrieval, session, last = self._retrieval, self._session, self._position.entry
        needs_facts = self._wanted.needs_facts_of_many
        if self._request.order == "oldest":
            after = max(last, self._wanted.after)
            walk = time_entries(retrieval, session, after=after, below=self._wanted.below)
            if needs_facts:
                return oldest_with_facts(retrieval, session, walk, await self._page_of(after))
            return without_facts(walk)
        within = self._wanted.within(last)
        now, aim = to_milliseconds(utc_now()), self._request.limit + _AHEAD
        walk = newest_entries(retrieval, session, within, now=now, aim=aim)
        if needs_facts:
            return newest_with_facts(retrieval, session, walk, to_the_first=within.floor == 0)
        return without_facts(walk)

    async def _page_of(self, after: str) -> FactsPage | None:
        """The page that has the facts of the first entry after `after`, unless that begins one."""
        if not after:
            return await open_page(self._retrieval, self._session, FIRST_PAGE)
        if not self._position.page or after != self._position.entry:
            return None
        return await open_page(self._retrieval, self._session, self._position.page, is_vouched=False)

    def _start(self, candidate: Candidate) -> Coroutine[Any, Any, Metadata | None] | None:
        """None where the metadata need not be read to know that this is not wanted."""
        entry, wanted = candidate.entry, self._wanted
        if not wanted.wants_entry(entry):
            return None
        facts = None if candidate.page is None else candidate.page.get(entry)
        if facts is not None and not wanted.wants(facts.tool_name, facts.kind):
            return None
        if is_deleted(self._retrieval, self._session, entry):
            return None
        if wanted.is_of_facts and facts is None:
            self._doubtful.add(entry)
        return self._metadata(entry.result_id)

    async def _metadata(self, result_id: str) -> Metadata | None:
        try:
            metadata = await load_metadata(self._retrieval, self._session, result_id)
            check_readable(self._retrieval, self._session, metadata)
        except RequestError:  # deleted, or damaged, which is reported: one such must not hide all the others
            return None
        return metadata

    def _offer(self, candidate: Candidate, metadata: Metadata) -> bool:
        """False where it is wanted and there is no room for it."""
        if candidate.page is not None:
            candidate.page.learn(candidate.entry, metadata)
        if not self._wanted.wants(metadata.tool_name, metadata.synopsis_kind):
            return True
        return _take(self._filling, metadata)

    async def _turn_to(self, page: FactsPage | None) -> None:
        """Leave one page of facts for another."""
        left, self._page = self._page, page
        if left is not None and left is not page:
            await keep_page(self._retrieval, self._session, left)


def _resume(cursor: str | None, asked: str) -> _Position:
    """Where to go on."""
    if cursor is None:
        return _Position()
    position = decode_cursor(cursor, asked, _Position)
    names = [position.entry, "" if position.page == FIRST_PAGE else position.page]
    if any(name and read_time_entry(name) is None for name in names):
        raise malformed_cursor()
    return position


def _take(filling: Filling[Metadata], metadata: Metadata) -> bool:
    """One that no message carries is listed in short: it must not end the list for good.

    Of many parts the first are listed, so that a page holds more than a few results.
    """
    metadata = with_fitting_parts(metadata, _PARTS_BYTES)
    if filling.take(metadata):
        return True
    if filling.items:
        return False
    short = msgspec.structs.replace(
        metadata,
        tool_name=metadata.tool_name[:_SHORT_CHARS],
        message_id=(metadata.message_id or "")[:_SHORT_CHARS] or None,
        agent_id=(metadata.agent_id or "")[:_SHORT_CHARS] or None,
        mime_type=(metadata.mime_type or "")[:_SHORT_CHARS] or None,
        parts=None,
        warnings=["too long for one message: parts are left out, names are cut"],
    )
    if not filling.take(short):
        raise RequestError(Code.TOO_LARGE, f"one message has no room for the metadata of {metadata.result_id}")
    return True
