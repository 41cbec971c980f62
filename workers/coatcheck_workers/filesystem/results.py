"""A session's results as files of `/large_tool_result`."""

from contextlib import aclosing

from coatcheck_core.filesystem.paths import is_below
from coatcheck_core.filesystem.results import call_of, named_result
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_workers.retrieval.listing.newest import PAGE
from coatcheck_workers.retrieval.listing.session_entries import is_deleted, read_stretch
from coatcheck_workers.retrieval.model import Retrieval

from .newest_of_calls import NewestOfCalls
from .tree import is_folder

MOST_ENTRIES = 5 * PAGE
"""Of a session, or since its call's result: of more the newest is looked for from their end."""


def is_result(path: str) -> bool:
    """Whether a normalized path is that of a result, or of their folder."""
    return is_below(path, RESULTS_FOLDER)


async def result_of(retrieval: Retrieval, session: str, path: str) -> Ref:
    """The original that a normalized path in the folder names.

    Raises RequestError: `invalid_argument` for the folder itself, `not_found` where there is none; StoreError.
    """
    remembered = remembered_newest(retrieval, session, path)
    if remembered is not None:
        newest = await newest_since(retrieval, session, path, remembered)
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
        result_id = await _newest_of(retrieval, session, path, call)
    if result_id is None:
        raise RequestError(
            Code.NOT_FOUND,
            f"there is no result {name[:200]!r} in this session: ls {RESULTS_FOLDER} shows those there are, by the"
            " call's id and by their own",
        )
    return Ref(session, result_id)


def remembered_newest(retrieval: Retrieval, session: str, path: str) -> TimeEntry | None:
    """The entry of what a call's path named last; None for other paths, and where that counts for nothing."""
    entry = retrieval.known.newest.get((session, path))
    return None if entry is None or is_deleted(retrieval, session, entry) else entry


async def newest_since(retrieval: Retrieval, session: str, path: str, before: TimeEntry) -> str | None:
    """The id of the result that is the call's newest by now; None where one listing does not tell.

    That is where too much came since, or the entry is not there any more. A result has its entry before anybody is
    told of it, and the entry tells when it came.
    """
    # A name's beginning comes before it: so it is listed itself, too.
    since = await read_stretch(retrieval, session, after=str(before)[:-1], below="", most=MOST_ENTRIES)
    if since.is_cut or before not in since.entries:
        return None
    newest = _last_of(retrieval, session, call_of(before.result_id), since.entries)
    if newest is None:
        return None  # deleted while the store was asked
    retrieval.known.newest.put((session, path), newest, 1)
    return newest.result_id


async def _newest_of(retrieval: Retrieval, session: str, path: str, call: str) -> str | None:
    """By all entries of a session that has not very many: they lie in one folder, where each result has its own."""
    all_of_them = await read_stretch(retrieval, session, after="", below="", most=MOST_ENTRIES)
    if not all_of_them.is_cut and (entry := _last_of(retrieval, session, call, all_of_them.entries)) is not None:
        retrieval.known.newest.put((session, path), entry, 1)
        return entry.result_id
    async with aclosing(NewestOfCalls(retrieval, session)) as newest:
        return await newest.of(call)


def _last_of(retrieval: Retrieval, session: str, call: str, entries: list[TimeEntry]) -> TimeEntry | None:
    """The last entry of a call's that was not deleted."""
    begin = f"{call}-"
    for entry in reversed(entries):
        is_of_call = entry.result_id.startswith(begin) and call_of(entry.result_id) == call
        if is_of_call and not is_deleted(retrieval, session, entry):
            return entry
    return None
