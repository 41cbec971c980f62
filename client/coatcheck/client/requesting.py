"""What a session asks of its originals."""

from typing import Any, Literal, TypeVar

import msgspec

from coatcheck_schemas.requests import (
    DEFAULT_LINK_SECONDS,
    LinkReply,
    LinkRequest,
    ListReply,
    ListRequest,
    ReadReply,
    ReadRequest,
    ReplayReply,
    ReplayRequest,
    SearchReply,
    SearchRequest,
    Unit,
)
from coatcheck_schemas.subjects import Subjects

from .asking import ask
from .connection import Connection
from .encoding import session_segment

REQUEST_SECONDS = 15.0

Blocks = list[dict[str, Any]]

_Ok = TypeVar("_Ok")


class Requests:
    """A client's requests. Each raises RequestError: a worker's own, or `unavailable` where none answers."""

    def __init__(self, connection: Connection, subjects: Subjects) -> None:
        self._connection = connection
        self._subjects = subjects

    async def read(
        self,
        session: str,
        ref: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        unit: Unit = "chars",
        numbered: bool = False,
        metadata: bool = False,
    ) -> ReadReply:
        """A part of an original; `next` of the reply says where to go on. Bytes come as base64."""
        request = ReadRequest(ref=ref, offset=offset, limit=limit, unit=unit, numbered=numbered, metadata=metadata)
        return await self._ask("read", session, request, ReadReply)

    async def search(
        self,
        session: str,
        query: str,
        *,
        ref: str | None = None,
        context_chars: int = 300,
        limit: int = 20,
        cursor: str | None = None,
    ) -> SearchReply:
        """Where a text occurs in an original, or in all of the session's; offsets go straight into `read`."""
        request = SearchRequest(query=query, ref=ref, context_chars=context_chars, limit=limit, cursor=cursor)
        return await self._ask("search", session, request, SearchReply)

    async def list(
        self,
        session: str,
        *,
        tool_name: str | None = None,
        kind: str | None = None,
        turn: str | None = None,
        since: str | None = None,
        until: str | None = None,
        order: Literal["oldest", "newest"] = "oldest",
        limit: int = 50,
        cursor: str | None = None,
    ) -> ListReply:
        """The session's originals; `since` and `until` are RFC 3339 times."""
        request = ListRequest(
            tool_name=tool_name,
            kind=kind,
            turn_id=turn,
            since=since,
            until=until,
            order=order,
            limit=limit,
            cursor=cursor,
        )
        return await self._ask("list", session, request, ListReply)

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

    async def link(self, session: str, ref: str, *, expires_seconds: int = DEFAULT_LINK_SECONDS) -> LinkReply:
        """A URL by which whoever has it can GET an original's bytes until it expires, straight from object storage.

        Of a large text that is kept compressed a plain copy is made first: `unavailable` says to ask again.
        """
        request = LinkRequest(ref=ref, expires_seconds=expires_seconds)
        return await self._ask("link", session, request, LinkReply)

    async def blocks(self, session: str, ref: str) -> Blocks:
        """The blocks that a result came as, restored exactly and in memory as a whole; one text is one text block."""
        from .restoring import restored_blocks

        async def read(request: ReadRequest) -> ReadReply:
            return await self._ask("read", session, request, ReadReply)

        return await restored_blocks(read, ref)

    async def _ask(self, verb: str, session: str, request: msgspec.Struct, ok: type[_Ok]) -> _Ok:
        segment = session_segment(session)
        return await ask(self._connection, self._subjects, verb, segment, request, ok, REQUEST_SECONDS)
