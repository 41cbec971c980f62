"""`read`: a page of an original, cut from the whole."""

import msgspec

from coatcheck_core.lines import count_lines
from coatcheck_core.paging import Page, page_bytes, page_chars, page_lines
from coatcheck_core.parts import fitting_parts
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import DEFAULT_LIMITS, MAX_NUMBER, TO_THE_END, Next, ReadReply, ReadRequest

from .fitting import count_of_parts, with_fitting_parts
from .model import Retrieval
from .originals import Original, load, off_loop, resolve

_ENVELOPE_BYTES = len(b'{"ok":}')


async def read(retrieval: Retrieval, session: str, request: ReadRequest) -> ReadReply:
    """Raises RequestError, InvalidRef, StoreError."""
    limit = _limit(request)
    original = await load(retrieval, resolve(session, request.ref))
    return await off_loop(len(original.data), lambda: _reply(original, request, limit, retrieval.max_reply_bytes))


def _limit(request: ReadRequest) -> int:
    """The limit to apply. Raises RequestError `invalid_argument` for what no read can mean."""
    if request.limit is not None and request.limit != TO_THE_END and not 0 < request.limit <= MAX_NUMBER:
        raise RequestError(Code.INVALID_ARGUMENT, "limit must be at least 1, or -1 to read to the end")
    if abs(request.offset) > MAX_NUMBER:
        raise RequestError(Code.INVALID_ARGUMENT, f"offset must lie between -{MAX_NUMBER} and {MAX_NUMBER}")
    if request.numbered and request.unit != "lines":
        raise RequestError(Code.INVALID_ARGUMENT, "numbered needs unit=lines: only lines have numbers")
    return DEFAULT_LIMITS[request.unit] if request.limit is None else request.limit


def _reply(original: Original, request: ReadRequest, limit: int, max_bytes: int) -> ReadReply:
    text = original.text()
    frame = ReadReply(
        content="",
        offset=MAX_NUMBER,
        limit=MAX_NUMBER,
        unit=request.unit,
        parts=fitting_parts(
            None if original.ref.part is not None else original.metadata.parts,
            max_bytes // (4 if request.metadata else 2),
        ),
        total_chars=None if text is None else len(text),
        total_lines=None if text is None else count_lines(text),
        total_bytes=len(original.data),
        has_more=False,
        next=Next(unit="chars", offset=MAX_NUMBER),
        metadata=with_fitting_parts(original.metadata, max_bytes // 4) if request.metadata else None,
        total_parts=None if original.ref.part is not None else count_of_parts(original.metadata),
    )
    budget = max_bytes - _ENVELOPE_BYTES - len(msgspec.json.encode(frame))
    if budget <= 0 and request.metadata:
        raise RequestError(Code.TOO_LARGE, "one message does not carry this metadata; read without it")
    page = _page(original.data, text, request, limit, budget)
    return msgspec.structs.replace(
        frame, content=page.content, offset=page.offset, limit=page.limit, has_more=page.has_more, next=page.next
    )


def _page(data: bytes, text: str | None, request: ReadRequest, limit: int, budget: int) -> Page:
    if request.unit == "bytes":
        return page_bytes(data, request.offset, limit, budget)
    if text is None:
        raise RequestError(Code.INVALID_ARGUMENT, "this is not text: read it with unit=bytes, which gives base64")
    if request.unit == "lines":
        return page_lines(text, request.offset, limit, budget, numbered=request.numbered)
    return page_chars(text, request.offset, limit, budget)
