"""Going on where a reply says that there is more: each request is the one before, moved on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeVar

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import TO_THE_END, ListRequest, Next, ReadReply, ReadRequest, SearchRequest

MOST_IDLE = 3
"""A cursor that stays, with nothing found, is asked again so often: a store may have been too slow for one step."""


class Continued(Protocol):
    """A reply that a cursor goes on from."""

    @property
    def has_more(self) -> bool: ...

    @property
    def cursor(self) -> str | None: ...


_Reply = TypeVar("_Reply", bound=Continued)
_Request = TypeVar("_Request", SearchRequest, ListRequest)
Read = Callable[[ReadRequest], Awaitable[ReadReply]]


async def replies(ask: Callable[[_Request], Awaitable[_Reply]], request: _Request) -> AsyncIterator[_Reply]:
    """Each reply, until there is no more. Raises what `ask` raises, and `unavailable` where it does not get on."""
    idle = 0
    while True:
        reply = await ask(request)
        yield reply
        if not reply.has_more or reply.cursor is None:
            return
        idle = idle + 1 if reply.cursor == request.cursor else 0
        if idle >= MOST_IDLE:
            raise RequestError(
                Code.UNAVAILABLE, "it does not get on: the store may be too slow for one step within the workers' limit"
            )
        request = msgspec.structs.replace(request, cursor=reply.cursor)


async def pages(read: Read, request: ReadRequest) -> AsyncIterator[ReadReply]:
    """Each page from the request's on: joined, they are the original from there.

    Of a line that is longer than a page the parts after the first are pages by chars; after its end lines go on.
    Metadata comes with the first page alone. Raises what `read` raises, and `internal` where a reply does not get on.
    """
    inside: int | None = None
    asked = request
    while True:
        page = await read(asked)
        if inside is not None:
            page = _to_line_end(page, inside)
        yield page
        if page.next is None:
            return
        if page.next == Next(unit=page.unit, offset=page.offset):
            raise RequestError(Code.INTERNAL, f"the read does not get on at {page.unit} {page.offset}: it gave nothing")
        if page.next.unit == request.unit:
            inside = None
        elif page.unit == "lines":
            inside = page.offset
        asked = _moved_on(request, page.next)


def _moved_on(request: ReadRequest, at: Next) -> ReadRequest:
    """Limit and numbers count in the unit that was asked for, and go on where it does."""
    if at.unit == request.unit:
        return msgspec.structs.replace(request, offset=at.offset, metadata=False)
    limit = TO_THE_END if request.limit == TO_THE_END else None
    return ReadRequest(ref=request.ref, offset=at.offset, unit=at.unit, limit=limit)


def _to_line_end(page: ReadReply, line: int) -> ReadReply:
    """A page by chars that goes on inside of a line, cut where that ends: from there lines go on."""
    end = page.content.find("\n") + 1
    if not end:
        return page
    stop = page.offset + end
    has_more = page.has_more or end < len(page.content)
    if page.total_chars is not None:
        has_more = stop < page.total_chars
    return msgspec.structs.replace(
        page,
        content=page.content[:end],
        limit=end if end < len(page.content) else page.limit,
        has_more=has_more,
        next=Next(unit="lines", offset=line + 1) if has_more else None,
    )
