"""A session's results as files of `/large_tool_result`."""

import asyncio
from contextlib import aclosing

from coatcheck_core.filesystem.paths import is_below
from coatcheck_core.filesystem.results import call_of, named_result
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.refs import Ref
from coatcheck_workers.retrieval.listing.newest import PAGE
from coatcheck_workers.retrieval.listing.session_entries import is_deleted, read_stretch
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.known import Newest
from coatcheck_workers.retrieval.searching.own_entries import own_entry

from .newest_of_calls import NewestOfCalls
from .tree import is_folder

REMEMBERED_SECONDS = 600.0
"""What expires meanwhile is not noticed before: so long it may still stand for its call."""


def is_result(path: str) -> bool:
    """Whether a normalized path is that of a result, or of their folder."""
    return is_below(path, RESULTS_FOLDER)


async def result_of(retrieval: Retrieval, session: str, path: str) -> Ref:
    """The original that a normalized path in the folder names.

    Raises RequestError: `invalid_argument` for the folder itself, `not_found` where there is none; StoreError.
    """
    remembered = remembered_newest(retrieval, session, path)
    if remembered is not None:
        newest = await newest_since(retrieval, session, remembered)
        if newest is not None:
            return Ref(session, newest)
    return await looked_up(retrieval, session, path)


async def looked_up(retrieval: Retrieval, session: str, path: str) -> Ref:
    """As `result_of`, whatever is remembered."""
    name = path.removeprefix(RESULTS_FOLDER)[1:]
    if not name:
        raise is_folder(path)
    result_id, call = (None, None) if "/" in name else named_result(name)
    if call is not None:
        async with aclosing(NewestOfCalls(retrieval, session)) as newest:
            result_id = await newest.of(call)
    if result_id is None:
        raise RequestError(
            Code.NOT_FOUND,
            f"there is no result {name[:200]!r} in this session: ls {RESULTS_FOLDER} shows those there are, by the"
            " call's id and by their own",
        )
    return Ref(session, result_id)


def remembered_newest(retrieval: Retrieval, session: str, path: str) -> Newest | None:
    """What a call's path named when it was read last; None for other paths, and where that counts for nothing."""
    newest = retrieval.known.newest.get((session, path))
    if newest is None or newest.until < _now() or is_deleted(retrieval, session, newest.entry):
        return None
    return newest


async def newest_since(retrieval: Retrieval, session: str, before: Newest) -> str | None:
    """The id of the result that is the call's newest by now; None where too much came since to tell by one listing.

    A result has its entry before anybody is told of it, and the entry tells when it came.
    """
    since = await read_stretch(retrieval, session, after=str(before.entry), below="", most=PAGE)
    if since.is_cut:
        return None
    call, newest = call_of(before.entry.result_id), before.entry.result_id
    for entry in since.entries:
        if call_of(entry.result_id) == call and not is_deleted(retrieval, session, entry):
            newest = entry.result_id
    return newest


def remember(retrieval: Retrieval, session: str, path: str, result_id: str) -> None:
    """A call's path names this result, which has just been read."""
    metadata = retrieval.known.get(session, result_id)
    entry = None if metadata is None else own_entry(metadata)
    if entry is not None and named_result(path.rpartition("/")[2])[1] is not None:
        retrieval.known.newest.put((session, path), Newest(entry, _now() + REMEMBERED_SECONDS), 1)


def _now() -> float:
    return asyncio.get_running_loop().time()
