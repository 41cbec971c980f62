"""`fs ls`: what lies in a folder."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated

import msgspec

from coatcheck_core.filesystem.paths import ROOT, child_of, normalized
from coatcheck_core.filesystem.results import call_of, call_path, result_path
from coatcheck_schemas.errors import ObjectNotFound
from coatcheck_schemas.filesystem import RESULTS_FOLDER, FileEntry, LsReply, LsRequest
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import ListRequest
from coatcheck_workers.retrieval.cursors import decode_cursor, encode_cursor, question
from coatcheck_workers.retrieval.filling import Filling
from coatcheck_workers.retrieval.limits import check_limit
from coatcheck_workers.retrieval.listing.listing import list_results
from coatcheck_workers.retrieval.listing.session_entries import fetched
from coatcheck_workers.retrieval.missing import check_readable, missing
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.loading import load_metadata

from .newest_of_calls import NewestOfCalls
from .pages import cursor_after, filled, paths_after
from .results import is_result, result_of
from .stored_versions import StoredVersions
from .tree import AHEAD, entry_of, first_file, no_file, own_entry, own_paths

_MOST_RESULTS = 500
"""Of one reply, each with two names at most: so many fit in any message."""


class _Results(msgspec.Struct, frozen=True, array_like=True):
    """After which of a list's cursors to go on among results; of the first one there so many names were given."""

    after: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    given: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0


async def ls(retrieval: Retrieval, session: str, request: LsRequest) -> LsReply:
    """Raises RequestError, StoreError."""
    check_limit(request.limit)
    path = normalized(request.path)
    if path == RESULTS_FOLDER:
        return await _results(retrieval, session, request)
    if is_result(path):
        metadata = await metadata_of(retrieval, session, path)
        return LsReply(entries=[entry_of_result(path, metadata)], has_more=False, cursor=None)
    return await _own(retrieval, session, path, request)


async def metadata_of(retrieval: Retrieval, session: str, path: str) -> Metadata:
    """Of the result that a normalized path in the results' folder names. Raises RequestError, StoreError."""
    ref = await result_of(retrieval, session, path)
    try:
        metadata = await load_metadata(retrieval, session, ref.result_id)
    except ObjectNotFound:
        raise await missing(retrieval, ref) from None
    check_readable(retrieval, session, metadata)
    return metadata


def folder_entry(path: str) -> FileEntry:
    return FileEntry(path=path, is_dir=True, bytes=None, modified_at=None)


def entry_of_result(path: str, metadata: Metadata) -> FileEntry:
    return FileEntry(path=path, is_dir=False, bytes=metadata.original_bytes, modified_at=metadata.created_at)


async def _own(retrieval: Retrieval, session: str, path: str, request: LsRequest) -> LsReply:
    children = await _children(retrieval, session, path)
    asked = question("ls", session, path)
    wanted = paths_after(sorted(children), request.cursor, asked)
    filling: Filling[FileEntry] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    is_whole = await filled(filling, _entries(retrieval, session, wanted, children))
    if not filling.items and request.cursor is None:
        found = await StoredVersions(retrieval, session, path).newest(most_bytes=0)
        if found.version is None:
            raise await no_file(retrieval, session, path, found)
        return LsReply(entries=[entry_of(path, found.version.head)], has_more=False, cursor=None)
    has_more = not is_whole and bool(filling.items)
    cursor = cursor_after(filling.items[-1].path, asked) if has_more else None
    return LsReply(entries=filling.items, has_more=has_more, cursor=cursor)


async def _children(retrieval: Retrieval, session: str, folder: str) -> dict[str, list[str]]:
    """What may lie directly in a folder, each with the paths below it: it is a folder where one of these is a file."""
    children: dict[str, list[str]] = {}
    for path in await own_paths(retrieval, session, folder):
        child = child_of(path, folder)
        if child is not None:
            name, is_dir = child
            children.setdefault(name, []).extend([path] if is_dir else [])
    if folder == ROOT:
        children[RESULTS_FOLDER] = []
    return children


async def _entries(
    retrieval: Retrieval, session: str, wanted: Sequence[str], children: dict[str, list[str]]
) -> AsyncGenerator[FileEntry, None]:
    async def each() -> AsyncGenerator[str, None]:
        for name in wanted:
            yield name

    async def entry(name: str) -> FileEntry | None:
        # A folder may have, for a moment, the name of a file: then that waits.
        if name == RESULTS_FOLDER or await first_file(retrieval, session, children[name]) is not None:
            return folder_entry(name)
        return await own_entry(retrieval, session, name)

    async with aclosing(fetched(each(), entry, ahead=AHEAD)) as found:
        async for _, one in found:
            if one is not None:
                yield one


async def _results(retrieval: Retrieval, session: str, request: LsRequest) -> LsReply:
    """Each by its id, and by its call's where it is that one's newest; the newest results come first."""
    this = question("ls", session, RESULTS_FOLDER)
    at = _Results() if request.cursor is None else decode_cursor(request.cursor, this, _Results)
    # Where one name of a result was given, the other comes before the next result's.
    most = 1 if at.given else min(max(1, request.limit // 2), _MOST_RESULTS)
    asked = ListRequest(order="newest", limit=most, cursor=at.after or None)
    listed = await list_results(retrieval, session, asked)
    known = {metadata.result_id: metadata for metadata in reversed(listed.tool_results)}
    entries = [entry_of_result(result_path(result_id), metadata) for result_id, metadata in known.items()]
    newest = await _newest_of_calls(retrieval, session, listed.tool_results, is_begin=not at.after)
    entries += [entry_of_result(call_path(call), known[one]) for call, one in newest.items() if one in known]
    entries.sort(key=lambda entry: entry.path)
    stop = at.given + request.limit
    following = _Results(listed.cursor or "") if listed.has_more else None
    if stop < len(entries):
        following = _Results(at.after, stop)
    cursor = None if following is None else encode_cursor(this, following)
    return LsReply(entries=entries[at.given : stop], has_more=cursor is not None, cursor=cursor)


async def _newest_of_calls(
    retrieval: Retrieval, session: str, listed: list[Metadata], *, is_begin: bool
) -> dict[str, str]:
    """The newest result's id by the call's segment. What begins a session's list, newest first, says it by itself."""
    newest: dict[str, str] = {}
    for metadata in listed:
        newest.setdefault(call_of(metadata.result_id), metadata.result_id)
    if is_begin:
        return newest

    async def calls() -> AsyncGenerator[str, None]:
        for call in newest:
            yield call

    told: dict[str, str] = {}
    last = NewestOfCalls(retrieval, session, are_many=True)
    async with aclosing(last), aclosing(fetched(calls(), last.of, ahead=AHEAD)) as found:
        async for call, result_id in found:
            if result_id is not None:
                told[call] = result_id
    return told
