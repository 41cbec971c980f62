"""The indexes of originals: fetched once, or noted, and kept as long as there is room."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from coatcheck_core.original import LIKELY_BYTES, Index, decode_index, enough_of_end, index_at_end
from coatcheck_schemas.errors import DamagedOriginal, ObjectNotFound
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.store import Store

from .recent import Recent

MOST_BYTES = 8 * 1024 * 1024
"""What the kept ones may take; one of a gigabyte takes a third of a megabyte, one of a megabyte 3 KB."""

PASSING_AT_ONCE = 4
"""Of those that are noted as they pass, in memory of some MiB each."""

Name = tuple[str, str, str]
"""Session, result id (and part) and the whole sha256."""


class Indexes:
    """One worker's. `passing` are the places of originals that pass whole to be noted."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._recent: Recent[Name, Index] = Recent(most_bytes)
        self._turns: WeakValueDictionary[Name, asyncio.Lock] = WeakValueDictionary()
        self.passing = asyncio.Semaphore(PASSING_AT_ONCE)

    def get(self, name: Name) -> Index | None:
        return self._recent.get(name)

    def put(self, name: Name, index: Index) -> None:
        self._recent.put(name, index, index.memory_bytes)

    def drop(self, name: Name) -> None:
        self._recent.drop(name)

    @asynccontextmanager
    async def alone(self, name: Name) -> AsyncIterator[None]:
        """Within, nobody else is for this one; whoever comes meanwhile may find it kept."""
        turn = self._turns.get(name)
        if turn is None:
            turn = self._turns[name] = asyncio.Lock()
        async with turn:
            yield


async def fetch_index(store: Store, keys: Keys, session: str, key: str, metadata: Metadata, *, anew: bool) -> Index:
    """The index of the original that lies under `key`: where its metadata says, or wherever else one may lie.

    `anew`: not where the metadata says, for the object is not the one that it was: two workers may have stored the
    same original in two forms, and the metadata is the one's, the object the other's. Raises DamagedOriginal where
    there is no index of this original, and ObjectNotFound.
    """
    why = "there is none"
    async for found in _candidates(store, keys, session, key, metadata, anew=anew):
        if isinstance(found, str):
            why = found
        elif found.facts.sha256 == metadata.sha256:
            return found
        else:
            why = "it is another original's"
    raise DamagedOriginal(f"no index to be had: {why}")


async def _candidates(
    store: Store, keys: Keys, session: str, key: str, metadata: Metadata, *, anew: bool
) -> AsyncIterator[Index | str]:
    """Each index that may be the one, or why there is none."""
    if metadata.form == "plain" and not anew:
        yield await _beside(store, keys.index(session, metadata.result_id))
    elif metadata.stored_bytes is not None and not anew:
        yield await _inside(store, key, metadata.stored_bytes, metadata.index_bytes)
    yield await _inside(store, key, (await store.head(key)).size, LIKELY_BYTES)
    if metadata.form != "plain" or anew:
        yield await _beside(store, keys.index(session, metadata.result_id))


async def _beside(store: Store, key: str) -> Index | str:
    try:
        return decode_index(await store.get(key))
    except ObjectNotFound:
        return "there is none beside it"
    except DamagedOriginal as error:
        return str(error)


async def _inside(store: Store, key: str, size: int, likely: int) -> Index | str:
    """The index in the last `likely` bytes of the object, or in as many as its end says."""
    try:
        end = await store.get_range(key, max(0, size - likely), size)
        if len(end) < min(size, enough_of_end(end)):
            try:
                return index_at_end(end)
            except DamagedOriginal:
                end = await store.get_range(key, max(0, size - enough_of_end(end)), size)
        return index_at_end(end)
    except DamagedOriginal as error:
        return str(error)
