"""Deleting many objects: with as few requests as the store allows."""

import asyncio
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from coatcheck_schemas.store import Store

AT_ONCE = 16
"""Of single deletes, where the store has no request for many."""


@runtime_checkable
class DeletesMany(Protocol):
    """What a store may offer beside `coatcheck_schemas.store.Store`."""

    async def delete_many(self, keys: Sequence[str]) -> None:
        """Remove the objects; no error for those that are not there. Raises StoreError, and then some may be gone."""
        ...


class Deletes(Protocol):
    async def delete(self, key: str) -> None: ...


async def delete_many(store: Store, keys: Sequence[str]) -> None:
    """Remove the objects, in any order. Raises StoreError, and then some may be gone."""
    if isinstance(store, DeletesMany):
        await store.delete_many(keys)
    else:
        await delete_singly(store, keys)


async def delete_singly(store: Deletes, keys: Sequence[str]) -> None:
    """As `delete_many`, by a request for each."""
    for start in range(0, len(keys), AT_ONCE):
        await asyncio.gather(*(store.delete(key) for key in keys[start : start + AT_ONCE]))
