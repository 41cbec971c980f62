"""Bytes of an object without a copy of them, where the store can."""

from typing import Protocol, runtime_checkable

from coatcheck_schemas.store import Store


@runtime_checkable
class GivesBuffers(Protocol):
    """A store that gives what it has received as it lies there: a copy of some MiB costs more than to search it."""

    async def get_buffer(self, key: str, start: int, end: int) -> memoryview:
        """As `get_range` of a Store."""
        ...


async def get_buffer(store: Store, key: str, start: int, end: int) -> memoryview:
    """The bytes `start` to `end`; raises what `get_range` does."""
    if isinstance(store, GivesBuffers):
        return await store.get_buffer(key, start, end)
    return memoryview(await store.get_range(key, start, end))
