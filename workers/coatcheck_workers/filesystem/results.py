"""A session's results as files of `/large_tool_result`."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from coatcheck_core.filesystem.paths import is_below
from coatcheck_core.filesystem.results import call_of, named_result
from coatcheck_schemas.errors import Code, InvalidRef, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.keys import TimeEntry
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
    async with aclosing(NewestOfCalls(retrieval, session)) as newest:
        return await newest.of(call)


class NewestOfCalls:
    """`newest_of` for many calls of one request: however many are asked for, the session is gone through once.

    It is to be closed. It keeps some hundred bytes for each call that it has come by.
    """

    def __init__(self, retrieval: Retrieval, session: str) -> None:
        self._retrieval = retrieval
        self._session = session
        self._known: dict[str, str] = {}
        self._walk: AsyncGenerator[TimeEntry, None] | None = None
        self._turn = asyncio.Lock()

    async def of(self, call: str) -> str | None:
        if call in self._known:
            return self._known[call]
        found = await _first_two(self._retrieval, self._session, call)
        if len(found) < 2:
            return found[0] if found else None
        async with self._turn:
            return self._known.setdefault(call, await self._walk_to(call) or found[0])

    async def aclose(self) -> None:
        if self._walk is not None:
            await self._walk.aclose()

    async def _walk_to(self, call: str) -> str | None:
        if call in self._known:
            return self._known[call]
        if self._walk is None:
            now = to_milliseconds(self._retrieval.now())
            self._walk = newest_entries(self._retrieval, self._session, Range(), now=now, aim=16)
        try:
            async for entry in self._walk:
                self._known.setdefault(call_of(entry.result_id), entry.result_id)
                if call in self._known:
                    return self._known[call]
        except BaseException:
            self._walk = None  # broken off, it would pass for one that came to its end
            raise
        return None


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
