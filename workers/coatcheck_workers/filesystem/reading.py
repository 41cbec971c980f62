"""`fs read`: a page of a file."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from coatcheck_core.filesystem.paths import ROOT, normalized
from coatcheck_core.filesystem.versions import Version
from coatcheck_core.lines import count_lines
from coatcheck_core.paging import Page, page_bytes, page_chars, page_lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import FileReadReply, FileReadRequest
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import MAX_NUMBER, Next, ReadRequest
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.stored import off_loop
from coatcheck_workers.retrieval.reading.reading import limit_of, read

from .results import is_result, looked_up, newest_since, remembered_newest
from .tree import is_folder, no_file
from .versions import Versions

_ENVELOPE_BYTES = len(b'{"ok":}')
_BY_WHAT_IS_STORED = frozenset({Code.NOT_FOUND, Code.GONE, Code.INTERNAL})
"""Errors that may be the fault of what is remembered; another is the request's own."""
_MORE_BYTES = 300
"""What the reply of a file that is a result has more than that of a read: its ref, of two segments at most."""


async def read_file(retrieval: Retrieval, session: str, request: FileReadRequest) -> FileReadReply:
    """Raises RequestError, StoreError."""
    path = normalized(request.path)
    asked = ReadRequest(
        ref="", offset=request.offset, limit=request.limit, unit=request.unit, numbered=request.numbered
    )
    if is_result(path):
        return await _read_result(retrieval, session, path, asked)
    if path == ROOT:
        raise is_folder(path)
    limit = limit_of(asked)
    version = (await Versions(retrieval, session, path).newest()).version
    if version is None:
        raise await no_file(retrieval, session, path)
    return await off_loop(len(version.text), partial(_reply, version, asked, limit, retrieval.max_reply_bytes))


async def _read_result(retrieval: Retrieval, session: str, path: str, asked: ReadRequest) -> FileReadReply:
    """Which result a call's path names is looked up while the one is read that it named before."""
    narrower = msgspec.structs.replace(retrieval, max_reply_bytes=retrieval.max_reply_bytes - _MORE_BYTES)

    async def page(result_id: str) -> FileReadReply:
        reply = await read(narrower, session, msgspec.structs.replace(asked, ref=result_id))
        return FileReadReply(**msgspec.structs.asdict(reply), ref=str(Ref(session, result_id)))

    before = remembered_newest(retrieval, session, path)
    if before is not None:
        reply = await _of_newest(retrieval, session, path, before, page)
        if reply is not None:
            return reply
    return await page((await looked_up(retrieval, session, path)).result_id)


async def _of_newest(
    retrieval: Retrieval, session: str, path: str, before: TimeEntry, page: Callable[[str], Awaitable[FileReadReply]]
) -> FileReadReply | None:
    """Of what a call named before, or of what came since; None where neither is there any more, or can be told."""
    result_id = before.result_id
    reading = asyncio.ensure_future(page(result_id))
    try:
        newest = await newest_since(retrieval, session, path, before)
        if newest is None:
            return None
        return await (reading if newest == result_id else page(newest))
    except RequestError as error:
        if error.code not in _BY_WHAT_IS_STORED:
            raise
        return None
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def _reply(version: Version, request: ReadRequest, limit: int, max_bytes: int) -> FileReadReply:
    frame = FileReadReply(
        content="",
        offset=MAX_NUMBER,
        limit=MAX_NUMBER,
        unit=request.unit,
        parts=None,
        total_chars=len(version.text),
        total_lines=count_lines(version.text),
        total_bytes=version.head.bytes,
        has_more=False,
        next=Next(unit="chars", offset=MAX_NUMBER),
        version=str(version.head.version),
    )
    page = _page(version.text, request, limit, max_bytes - _ENVELOPE_BYTES - len(msgspec.json.encode(frame)))
    return msgspec.structs.replace(
        frame, content=page.content, offset=page.offset, limit=page.limit, has_more=page.has_more, next=page.next
    )


def _page(text: str, request: ReadRequest, limit: int, budget: int) -> Page:
    if request.unit == "bytes":
        return page_bytes(text.encode(), request.offset, limit, budget)
    if request.unit == "chars":
        return page_chars(text, request.offset, limit, budget)
    return page_lines(text, request.offset, limit, budget, numbered=request.numbered)
