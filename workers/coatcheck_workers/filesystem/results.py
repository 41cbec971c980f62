"""A session's results as files of `/large_tool_result`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from coatcheck_core.filesystem.paths import is_below
from coatcheck_core.filesystem.results import call_of, named_result
from coatcheck_schemas.errors import Code, InvalidRef, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.refs import Ref, check_result_id
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.retrieval.listing.newest import Range, newest_entries
from coatcheck_workers.retrieval.model import Retrieval

from .tree import is_folder


def is_result(path: str) -> bool:
    """Whether a normalized path is that of a result, or of their folder."""
    return is_below(path, RESULTS_FOLDER)


async def result_of(retrieval: Retrieval, session: str, path: str) -> Ref:
    """The original that a normalized path in the folder names.

    Raises RequestError: `invalid_argument` for the folder itself, `not_found` where there is none; StoreError.
    """
    name = path.removeprefix(RESULTS_FOLDER)[1:]
    if not name:
        raise is_folder(path)
    result_id, call = (None, None) if "/" in name else named_result(name)
    if call is not None:
        result_id = await newest_of(retrieval, session, call)
    if result_id is None:
        raise RequestError(
            Code.NOT_FOUND,
            f"there is no result {name[:200]!r} in this session: ls {RESULTS_FOLDER} shows those there are, by the"
            " call's id and by their own",
        )
    return Ref(session, result_id)


async def newest_of(retrieval: Retrieval, session: str, call: str) -> str | None:
    """The id of the result that a call, by its segment, brought last; None where it has none."""
    found = await _first_two(retrieval, session, call)
    if len(found) < 2:
        return found[0] if found else None
    now = to_milliseconds(retrieval.now())
    async with aclosing(newest_entries(retrieval, session, Range(), now=now, aim=16)) as entries:
        async for entry in entries:
            if call_of(entry.result_id) == call:
                return entry.result_id
    return found[0]


async def _first_two(retrieval: Retrieval, session: str, call: str) -> list[str]:
    """Two of the call's results, which lie together by their ids."""
    folder = retrieval.keys.result(session, "")[:-1]
    keys = retrieval.store.list(folder, after=f"{folder}{call}-")
    found: list[str] = []
    try:
        async for key in keys:
            name = key.removeprefix(folder).partition("/")[0]
            if not name.startswith(f"{call}-"):
                break
            if _is_of(name, call) and name not in found:
                found.append(name)
            if len(found) == 2:
                break
    finally:
        if isinstance(keys, AsyncGenerator):
            await keys.aclose()
    return found


def _is_of(name: str, call: str) -> bool:
    try:
        return call_of(check_result_id(name)) == call
    except InvalidRef:
        return False
