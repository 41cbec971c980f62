"""A session's results as files of `/large_tool_result`."""

from contextlib import aclosing

from coatcheck_core.filesystem.paths import is_below
from coatcheck_core.filesystem.results import call_of, named_result
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.refs import Ref
from coatcheck_workers.retrieval.listing.newest import PAGE
from coatcheck_workers.retrieval.listing.session_entries import is_deleted, read_names, read_time_entry
from coatcheck_workers.retrieval.missing import gone, is_readable
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.known import Named

from .newest_of_calls import NewestOfCalls
from .results_of_call import deletion_of_call, results_of_call
from .tree import is_folder

FIRST_ENTRIES = PAGE
"""Of a session; where there are more its call's results are asked for, if the store tells them by themselves."""
MOST_ENTRIES = 5 * PAGE
"""Of a session, or since its call's result: of more the newest is looked for from their end."""
MANY_ENTRIES = 100
"""Since a call's result: to list more takes more than to ask for the results of the call, which is a thread's work."""


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
        raise await _no_result(retrieval, session, name, call)
    return Ref(session, result_id)


async def _no_result(retrieval: Retrieval, session: str, name: str, call: str | None) -> RequestError:
    """Of a call whose results were deleted that is told, as it is of one by its id."""
    deleted = None if call is None else await deletion_of_call(retrieval, session, call)
    if deleted is not None:
        return gone(Ref(session, deleted[0]), deleted[1])
    return RequestError(
        Code.NOT_FOUND,
        f"there is no result {name[:200]!r} in this session: `ls {RESULTS_FOLDER}` shows those there are, by the"
        " call's id and by their own",
    )


def remembered_newest(retrieval: Retrieval, session: str, path: str) -> Named | None:
    """What a call's path named last; None for other paths, and where that counts for nothing."""
    named = retrieval.known.newest.get((session, path))
    return None if named is None or _is_gone(retrieval, session, named) else named


async def newest_since(retrieval: Retrieval, session: str, path: str, before: Named) -> str | None:
    """The id of the result that is the call's newest by now; None where one listing does not tell.

    A result has its metadata and its entry before anybody is told of it, and the entry tells when it came.
    """
    call = call_of(before.result_id)
    if before.is_far and (results := await results_of_call(retrieval, session, call)) is not None and len(results) < 2:
        is_same = results == [before.result_id] and not _is_gone(retrieval, session, before)
        return before.result_id if is_same else None
    if before.entry is None:
        return None
    # A name's beginning comes before it: so it is listed itself, too.
    names = await read_names(retrieval, session, after=str(before.entry)[:-1], most=MOST_ENTRIES)
    # None also where it was deleted, or its entry is gone, and nothing came since.
    return _last_named(retrieval, session, path, call, names) if len(names) < MOST_ENTRIES else None


async def _newest_of(retrieval: Retrieval, session: str, path: str, call: str) -> str | None:
    """By all entries of a session that has not very many: they lie in one folder, where each result has its own.

    Of a large session by the call's results, where there are not two of them to choose from.
    """
    names = await read_names(retrieval, session, most=FIRST_ENTRIES)
    if is_large := len(names) == FIRST_ENTRIES:
        results = await results_of_call(retrieval, session, call)
        if results is not None and len(results) < 2:
            return _named(retrieval, session, path, Named(results[0], is_far=True)) if results else None
        names = await read_names(retrieval, session, most=MOST_ENTRIES)
        is_large = len(names) == MOST_ENTRIES
    if not is_large and (newest := _last_named(retrieval, session, path, call, names)) is not None:
        return newest
    async with aclosing(NewestOfCalls(retrieval, session)) as calls:
        return await calls.of(call)


def _last_named(retrieval: Retrieval, session: str, path: str, call: str, names: list[str]) -> str | None:
    """The call's newest by entries to the session's end, which is remembered; None where it is not among them."""
    last = _last_of(retrieval, session, call, names)
    if last is None:
        return None
    is_far = len(names) > MANY_ENTRIES and names[-MANY_ENTRIES] > str(last)
    return _named(retrieval, session, path, Named(last.result_id, last, is_far))


def _named(retrieval: Retrieval, session: str, path: str, named: Named) -> str:
    retrieval.known.newest.put((session, path), named, 1)
    return named.result_id


def _is_gone(retrieval: Retrieval, session: str, named: Named) -> bool:
    """Whether it was deleted, as far as this worker knows; no I/O."""
    if named.entry is not None:
        return is_deleted(retrieval, session, named.entry)
    metadata = retrieval.known.get(session, named.result_id)
    return metadata is not None and not is_readable(retrieval, session, metadata)


def _last_of(retrieval: Retrieval, session: str, call: str, names: list[str]) -> TimeEntry | None:
    """The last entry of a call's that was not deleted."""
    piece = f"-{call}-"
    for name in reversed(names):
        entry = read_time_entry(name) if piece in name else None
        if entry is not None and call_of(entry.result_id) == call and not is_deleted(retrieval, session, entry):
            return entry
    return None
