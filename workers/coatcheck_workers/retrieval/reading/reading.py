"""`read`: a page of an original."""

from collections.abc import Awaitable, Callable

import msgspec

from coatcheck_core.paging import Page
from coatcheck_core.parts import fitting_parts
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import DEFAULT_LIMITS, MAX_NUMBER, TO_THE_END, Next, ReadReply, ReadRequest

from ..fitting import count_of_parts, with_fitting_parts
from ..model import Retrieval
from ..originals.loading import resolve
from ..originals.opening import using, using_at_hand
from ..originals.sections import Section
from .pages import section_bytes_page, section_page

_ENVELOPE_BYTES = len(b'{"ok":}')


class _Totals(msgspec.Struct, frozen=True, kw_only=True):
    """`chars` and `lines` are None of what is no text."""

    chars: int | None
    lines: int | None
    bytes: int


async def read(retrieval: Retrieval, session: str, request: ReadRequest, *, keeps: bool = False) -> ReadReply:
    """Raises RequestError, InvalidRef, StoreError. `keeps`: for `read_at_hand`, of this page and of those after it."""
    reply = _replying(retrieval, request)
    ref = resolve(retrieval, session, request.ref)
    return await using(retrieval, ref, reply, is_anew=request.metadata, keeps=keeps)


async def read_at_hand(retrieval: Retrieval, session: str, request: ReadRequest) -> ReadReply | None:
    """As `read`, by what is in memory alone; None where the store must be asked.

    Whether the original is there still is for the caller to find out. Raises RequestError and InvalidRef.
    """
    reply = _replying(retrieval, request)
    return await using_at_hand(retrieval, resolve(retrieval, session, request.ref), reply)


def _replying(retrieval: Retrieval, request: ReadRequest) -> Callable[[Section], Awaitable[ReadReply]]:
    limit = limit_of(request)

    async def reply(section: Section) -> ReadReply:
        return await _reply(section, request, limit, retrieval.max_reply_bytes)

    return reply


def limit_of(request: ReadRequest) -> int:
    """The limit to apply. Raises RequestError `invalid_argument` for what no read can mean."""
    if request.limit is not None and request.limit != TO_THE_END and not 0 < request.limit <= MAX_NUMBER:
        raise RequestError(
            Code.INVALID_ARGUMENT, f"limit must lie between 1 and {MAX_NUMBER}, or be -1 to read to the end"
        )
    if abs(request.offset) > MAX_NUMBER:
        raise RequestError(Code.INVALID_ARGUMENT, f"offset must lie between -{MAX_NUMBER} and {MAX_NUMBER}")
    if request.numbered and request.unit != "lines":
        raise RequestError(Code.INVALID_ARGUMENT, "numbered needs unit=lines: only lines have numbers")
    return DEFAULT_LIMITS[request.unit] if request.limit is None else request.limit


async def _reply(section: Section, request: ReadRequest, limit: int, max_bytes: int) -> ReadReply:
    is_text = section.encoding is not None
    totals = _Totals(
        chars=section.chars if is_text else None, lines=section.lines if is_text else None, bytes=section.size
    )
    frame, budget = _frame(section, totals, request, max_bytes)
    if request.unit == "bytes":
        return _with_page(frame, await section_bytes_page(section, request, limit, budget))
    if section.encoding is None:
        raise _not_text()
    return _with_page(frame, await section_page(section, section.encoding, request, limit, budget))


def _frame(section: Section, totals: _Totals, request: ReadRequest, max_bytes: int) -> tuple[ReadReply, int]:
    """The reply without its page, and how many bytes of JSON that may have."""
    frame = ReadReply(
        content="",
        offset=MAX_NUMBER,
        limit=MAX_NUMBER,
        unit=request.unit,
        parts=fitting_parts(
            None if section.ref.part is not None else section.metadata.parts,
            max_bytes // (4 if request.metadata else 2),
        ),
        total_chars=totals.chars,
        total_lines=totals.lines,
        total_bytes=totals.bytes,
        has_more=False,
        next=Next(unit="chars", offset=MAX_NUMBER),
        metadata=with_fitting_parts(section.metadata, max_bytes // 4) if request.metadata else None,
        total_parts=None if section.ref.part is not None else count_of_parts(section.metadata),
    )
    budget = max_bytes - _ENVELOPE_BYTES - len(msgspec.json.encode(frame))
    if budget <= 0 and request.metadata:
        raise RequestError(Code.TOO_LARGE, "one message does not carry this metadata; read without it")
    return frame, budget


def _with_page(frame: ReadReply, page: Page) -> ReadReply:
    return msgspec.structs.replace(
        frame, content=page.content, offset=page.offset, limit=page.limit, has_more=page.has_more, next=page.next
    )


def _not_text() -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, "this is not text: read it with unit=bytes, which gives base64")
