"""A worker that a client's requests are answered by, in memory: texts to read, matches to find."""

from collections.abc import Callable
from typing import Any, cast

import msgspec
from nats.aio.msg import Msg

from coatcheck.client.requesting import Requests
from coatcheck_core.paging import Page, page_bytes, page_chars, page_lines
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.requests import Match, ReadReply, ReadRequest, SearchReply
from coatcheck_schemas.subjects import Subjects

REF = f"coat://a=2Eb/call_1-{'0' * 32}"
Answer = Callable[[str, dict[str, Any]], msgspec.Struct]


class FakeConnection:
    """Answers as a worker; an `answer` that raises RequestError is an error reply."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.seconds: list[float] = []
        self.closed: RequestError | None = None

    def check_open(self) -> None:
        if self.closed is not None:
            raise self.closed

    async def request(self, subject: str, body: bytes, headers: Any = None, *, timeout: float) -> Msg:  # noqa: ASYNC109
        fields = msgspec.json.decode(body)
        self.asked.append((subject, fields))
        self.seconds.append(timeout)
        try:
            reply: dict[str, Any] = {"ok": self.answer(subject, fields)}
        except RequestError as error:
            reply = {"error": {"code": error.code, "message": error.message, "details": error.details}}
        return Msg(_client=cast(Any, self), subject="", data=msgspec.json.encode(reply))


def requests_on(answer: Answer) -> tuple[Requests, FakeConnection]:
    connection = FakeConnection(answer)
    return Requests(cast(Any, connection), Subjects("coat")), connection


def reader_of(text: str, budget: int = 100_000) -> Answer:
    """A worker that has one text, and cuts it as workers do."""

    def answer(subject: str, fields: dict[str, Any]) -> ReadReply:
        request = msgspec.convert(fields, ReadRequest)
        page = _page_of(text, request, budget)
        return ReadReply(
            content=page.content,
            offset=page.offset,
            limit=page.limit,
            unit=request.unit,
            parts=None,
            total_chars=len(text),
            total_lines=text.count("\n") + (not text.endswith("\n") and text != ""),
            total_bytes=len(text.encode()),
            has_more=page.has_more,
            next=page.next,
        )

    return answer


def _page_of(text: str, request: ReadRequest, budget: int) -> Page:
    limit = 20 if request.limit is None else request.limit
    if request.unit == "bytes":
        return page_bytes(text.encode(), request.offset, limit, budget)
    if request.unit == "lines":
        return page_lines(text, request.offset, limit, budget, numbered=request.numbered)
    return page_chars(text, request.offset, limit, budget)


def finder_of(found: list[list[int]]) -> Answer:
    """A worker that gives these matches, a reply after the other; its cursors are numbers."""

    def answer(subject: str, fields: dict[str, Any]) -> SearchReply:
        at = int(fields.get("cursor", 0))
        matches = [
            Match(ref=REF, offset=offset, line=0, byte_offset=offset, length=1, snippet="x", snippet_offset=offset)
            for offset in found[at]
        ]
        has_more = at + 1 < len(found)
        return SearchReply(matches=matches, total=None, has_more=has_more, cursor=str(at + 1) if has_more else None)

    return answer
