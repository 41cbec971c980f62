"""Which result a call brought last."""

import asyncio
from collections.abc import AsyncGenerator

from coatcheck_core.filesystem.results import call_of
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.retrieval.listing.newest import Range, newest_entries
from coatcheck_workers.retrieval.listing.session_entries import is_deleted
from coatcheck_workers.retrieval.model import Retrieval

from .results_of_call import is_of_call, results_of_call


class NewestOfCalls:
    """The newest result of each of one request's calls: however many there are, the session is gone through once.

    `are_many`: that is likely, so that none is looked for by itself first. It is to be closed. It keeps some hundred
    bytes for each call that it has come by.
    """

    def __init__(self, retrieval: Retrieval, session: str, *, are_many: bool = False) -> None:
        self._retrieval = retrieval
        self._session = session
        self._are_many = are_many
        self._known: dict[str, str] = {}
        self._walk: AsyncGenerator[TimeEntry, None] | None = None
        self._turn = asyncio.Lock()

    async def of(self, call: str) -> str | None:
        """The result's id, by the call's segment; None where it has none."""
        if self._are_many:
            async with self._turn:
                newest = await self._walk_to(call)
            if newest is not None:
                return newest
        if call in self._known:
            return self._known[call]
        found = await results_of_call(self._retrieval, self._session, call)
        if found is None:
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
                if is_deleted(self._retrieval, self._session, entry):
                    continue
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
            if is_of_call(name, call) and name not in found:
                found.append(name)
            if len(found) == 2:
                break
    finally:
        if isinstance(keys, AsyncGenerator):
            await keys.aclose()
    return found
