"""What a session asks of its originals."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

import msgspec

from coatcheck_schemas.clearing import ClearReply, ClearRequest
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import (
    DEFAULT_LINK_SECONDS,
    DELETE_SECONDS,
    REQUEST_SECONDS,
    DeleteReply,
    DeleteRequest,
    LinkReply,
    LinkRequest,
    ListReply,
    ListRequest,
    Match,
    ReadReply,
    ReadRequest,
    ReplayReply,
    ReplayRequest,
    SearchReply,
    SearchRequest,
    Unit,
)
from coatcheck_schemas.subjects import CLEAR, Subjects

from . import following
from .addressing import one_original, what_to_search
from .asking import ask, ask_subject
from .clear_rules import ClearRules
from .connection import Connection
from .encoding import session_segment
from .files import Files

if TYPE_CHECKING:
    from coatcheck_core.settings import Settings

    from .offloading import OldResult

FIRST_DELAY = 0.25
TRIES = 5
"""Of a request that goes on where one before it was answered; the delays between them double."""

Blocks = list[dict[str, Any]]

_Ok = TypeVar("_Ok")
_Request = TypeVar("_Request", bound=msgspec.Struct)


MATCHES_AT_A_TIME = 200
"""A request costs some milliseconds beside what it searches."""


class SearchOptions(TypedDict, total=False):
    """How a text is searched for; "search" in the contract has the meanings.

    `regex`: the query is a regular expression (RE2). `ignore_case`, `whole_word`, `invert` (the lines without a match)
    are off unless set. `context_chars` (300) are shown on either side of a match, `limit` (20) matches come at a time.
    """

    regex: bool
    ignore_case: bool
    whole_word: bool
    invert: bool
    context_chars: int
    limit: int


class ListFilters(TypedDict, total=False):
    """Which results are listed, and in which order.

    `turn` `""` is without a turn; `since` (inclusive) and `until` (exclusive) are RFC 3339 times; `limit` (50) results
    come at a time.
    """

    tool_name: str | None
    kind: str | None
    turn: str | None
    since: str | None
    until: str | None
    order: Literal["oldest", "newest"]
    limit: int


class Requests:
    """A client's requests. Each raises RequestError: a worker's own, or `unavailable` where none answers.

    What asks for one original takes a session and a reference, or a whole reference (`coat://...`) alone. An iterator
    goes on to the end by itself; where a worker does not answer on the way, it tries some times more.
    """

    _own_settings: "Settings | None" = None

    def __init__(self, connection: Connection, subjects: Subjects) -> None:
        self._connection = connection
        self._subjects = subjects

    async def read(
        self,
        session: str,
        ref: str | None = None,
        *,
        offset: int = 0,
        limit: int | None = None,
        unit: Unit = "chars",
        numbered: bool = False,
        metadata: bool = False,
    ) -> ReadReply:
        """A part of an original; `next` of the reply says where to go on. Bytes come as base64."""
        session, ref = one_original(session, ref)
        request = ReadRequest(ref=ref, offset=offset, limit=limit, unit=unit, numbered=numbered, metadata=metadata)
        return await self._ask("read", session, request, ReadReply)

    def pages(
        self,
        session: str,
        ref: str | None = None,
        *,
        offset: int = 0,
        limit: int | None = None,
        unit: Unit = "chars",
        numbered: bool = False,
        metadata: bool = False,
    ) -> AsyncIterator[ReadReply]:
        """An original's pages from an offset to its end: the contents joined are the original, numbers apart.

        `limit` is that of each page; -1 is as much as one message carries. A line that is longer than a page is given
        in pages by chars, then lines go on. Metadata comes with the first page.
        """
        session, ref = one_original(session, ref)
        request = ReadRequest(ref=ref, offset=offset, limit=limit, unit=unit, numbered=numbered, metadata=metadata)
        return following.pages(self._asking("read", session, ReadReply), request)

    async def search(
        self,
        session: str,
        query: str,
        *,
        ref: str | None = None,
        cursor: str | None = None,
        **options: Unpack[SearchOptions],
    ) -> SearchReply:
        """Where a text occurs in an original, or in all of the session's; offsets go straight into `read`.

        A whole reference in the session's place searches that original. A search ends at a time limit of the workers,
        with what was found by then, and a cursor to go on.
        """
        session, ref = what_to_search(session, ref)
        request = SearchRequest(query=query, ref=ref, cursor=cursor, **options)
        return await self._ask("search", session, request, SearchReply)

    async def matches(
        self,
        session: str,
        query: str,
        *,
        ref: str | None = None,
        cursor: str | None = None,
        **options: Unpack[SearchOptions],
    ) -> AsyncIterator[Match]:
        """Every match, one after the other, as `search` finds them; `limit` (200) come with each request."""
        options.setdefault("limit", MATCHES_AT_A_TIME)
        session, ref = what_to_search(session, ref)
        request = SearchRequest(query=query, ref=ref, cursor=cursor, **options)
        async for reply in following.replies(self._asking("search", session, SearchReply), request):
            for match in reply.matches:
                yield match

    async def list(self, session: str, *, cursor: str | None = None, **filters: Unpack[ListFilters]) -> ListReply:
        """The session's originals by time of arrival."""
        return await self._ask("list", session, _list_request(cursor, filters), ListReply)

    async def results(
        self, session: str, *, cursor: str | None = None, **filters: Unpack[ListFilters]
    ) -> AsyncIterator[Metadata]:
        """The metadata of every original of the session, one after the other, as `list` has them."""
        request = _list_request(cursor, filters)
        async for reply in following.replies(self._asking("list", session, ListReply), request):
            for metadata in reply.tool_results:
                yield metadata

    async def replay(
        self,
        session: str,
        *,
        turn: str | None = None,
        after: str | None = None,
        limit: int = 100,
        settled: bool = False,
    ) -> ReplayReply:
        """The events that the session's stream keeps, after a cursor; with `limit` 0 just the present cursor.

        With `settled` the manifest of the turn, once it is settled, and no stub events.
        """
        request = ReplayRequest(turn_id=turn, after=after, limit=limit, settled=settled)
        return await self._ask("replay", session, request, ReplayReply)

    async def link(
        self, session: str, ref: str | None = None, *, expires_seconds: int = DEFAULT_LINK_SECONDS
    ) -> LinkReply:
        """A URL by which whoever has it can GET an original's bytes until it expires, straight from object storage.

        Of a large text that is kept compressed a plain copy is made first: `unavailable` says to ask again.
        """
        session, ref = one_original(session, ref)
        request = LinkRequest(ref=ref, expires_seconds=expires_seconds)
        return await self._ask("link", session, request, LinkReply)

    async def delete(self, session: str, ref: str | None = None) -> DeleteReply:
        """Delete one result: once this returns nobody reads it any more, and its reference is answered with `gone`.

        Its bytes are erased. To delete a session is `delete_session`: a session alone is refused here.
        """
        session, ref = one_original(session, ref)
        return await self._ask("delete", session, DeleteRequest(ref=ref), DeleteReply, DELETE_SECONDS)

    async def delete_session(self, session: str) -> DeleteReply:
        """Delete all that there is of a session, its stub events and dead letters too; `deleted` counts its results.

        Once this returns nobody reads any of it; the bytes of many results are erased after that.
        """
        return await self._ask("delete", session, DeleteRequest(all=True), DeleteReply, DELETE_SECONDS)

    async def blocks(self, session: str, ref: str | None = None) -> Blocks:
        """The blocks that a result came as, restored exactly and in memory as a whole; one text is one text block."""
        from .restoring import restored_blocks

        session, ref = one_original(session, ref)

        async def read(request: ReadRequest) -> ReadReply:
            return await self._ask("read", session, request, ReadReply)

        return await restored_blocks(read, ref)

    async def clear(
        self,
        session: str,
        messages: Sequence[Any],
        *,
        offload: bool | None = None,
        light: bool = False,
        count: Callable[[str], int] | str | None = None,
        settings: "Settings | None" = None,
        **rules: Unpack[ClearRules],
    ) -> ClearReply:
        """A conversation with placeholders for its old tool results, as `coatcheck.clear` does it, by a worker.

        With `offload` a result is stored before it is cleared, and its placeholder names its reference; where the store
        fails that is a RequestError (`unavailable`), nothing is cleared, and what was stored by then is found at the
        next try. What no message carries is decided by its sizes alone, as it is where `count` is given, and where that
        is too large as well, here; then the results that are to go are sent some at a time. One that no request
        carries is published, as `submit` does it, and one that cannot be stored stays. With `light` sizes alone are
        sent, and nothing is stored: `offloaded` of the reply is false then. What is not given is as the workers'
        settings say, and where it is decided here as `settings` do, by default those of the environment. What is done
        here is done in a thread, `count` too: leave the messages as they are until it returns.
        """
        from .clearing import clear_there, counting

        segment = session_segment(session)

        async def ask_clear(request: ClearRequest) -> ClearReply:
            return await self._ask(CLEAR, session, request, ClearReply)

        async def keep_apart(result: "OldResult") -> str | None:
            return await self._keep_apart(session, result)

        return await clear_there(
            segment,
            ask_clear,
            keep_apart,
            messages,
            rules,
            settings=self._settings(settings),
            count=counting(count),
            offload=offload,
            light=light,
        )

    def fs(self, session: str) -> Files:
        """The session's files: its own, and its results as if they were files."""
        segment = session_segment(session)

        async def ask_file(operation: str, request: msgspec.Struct, ok: type[_Ok]) -> _Ok:
            subject = self._subjects.file_request(segment, operation)
            return await ask_subject(self._connection, subject, request, ok, REQUEST_SECONDS)

        return Files(ask_file)

    def _asking(self, verb: str, session: str, ok: type[_Ok]) -> Callable[[_Request], Awaitable[_Ok]]:
        """A request after another: once one was answered, the next is tried again where no answer comes."""
        tries = 1

        async def asking(request: _Request) -> _Ok:
            nonlocal tries
            delay = FIRST_DELAY
            for _ in range(tries - 1):
                try:
                    return await self._ask(verb, session, request, ok)
                except RequestError as error:
                    if error.code is not Code.UNAVAILABLE or error.details.get("denied"):
                        raise
                    self._connection.check_open()
                await asyncio.sleep(delay)
                delay *= 2
            answer = await self._ask(verb, session, request, ok)
            tries = TRIES
            return answer

        return asking

    def _settings(self, given: "Settings | None") -> "Settings":
        """Those that are given, else those of the environment, which is read once. Raises ConfigError."""
        if given is not None:
            return given
        if self._own_settings is None:
            from .environment import settings_of_environment

            self._own_settings = settings_of_environment()
        return self._own_settings

    async def _keep_apart(self, session: str, result: "OldResult") -> str | None:
        """The ref of a result that no request carries, once it is stored; None where that cannot be."""
        return None

    async def _ask(
        self, verb: str, session: str, request: msgspec.Struct, ok: type[_Ok], seconds: float = REQUEST_SECONDS
    ) -> _Ok:
        segment = session_segment(session)
        return await ask(self._connection, self._subjects, verb, segment, request, ok, seconds)


def _list_request(cursor: str | None, filters: ListFilters) -> ListRequest:
    named: dict[str, Any] = {**filters}
    if "turn" in named:
        named["turn_id"] = named.pop("turn")
    return ListRequest(cursor=cursor, **named)
