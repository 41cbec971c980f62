"""`fs read`: a page of a file."""

from functools import partial

import msgspec

from coatcheck_core.filesystem.paths import ROOT, normalized
from coatcheck_core.filesystem.versions import Version
from coatcheck_core.lines import count_lines
from coatcheck_core.paging import Page, page_bytes, page_chars, page_lines
from coatcheck_schemas.filesystem import FileReadReply, FileReadRequest
from coatcheck_schemas.requests import MAX_NUMBER, Next, ReadRequest
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.stored import off_loop
from coatcheck_workers.retrieval.reading.reading import limit_of

from .reading_results import read_result
from .results import is_result
from .stored_versions import StoredVersions
from .tree import is_folder, no_file

_ENVELOPE_BYTES = len(b'{"ok":}')


async def read_file(retrieval: Retrieval, session: str, request: FileReadRequest) -> FileReadReply:
    """Raises RequestError, StoreError."""
    path = normalized(request.path)
    asked = ReadRequest(
        ref="", offset=request.offset, limit=request.limit, unit=request.unit, numbered=request.numbered
    )
    if is_result(path):
        return await read_result(retrieval, session, path, asked)
    if path == ROOT:
        raise is_folder(path)
    limit = limit_of(asked)
    found = await StoredVersions(retrieval, session, path).newest()
    version = found.version
    if version is None:
        raise await no_file(retrieval, session, path, found)
    return await off_loop(len(version.text), partial(_reply, version, asked, limit, retrieval.max_reply_bytes))


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
