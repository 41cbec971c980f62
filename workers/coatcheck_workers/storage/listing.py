"""Listings: what they cost, which `coatcheck_schemas.store.Store` does not say, and many keys at once."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol, runtime_checkable

from coatcheck_schemas.store import Store


def lists_from_anywhere(store: Store) -> bool:
    """Whether a listing costs what it gives, wherever it begins; of a folder each reads all of the names.

    A store may say so by an attribute of this name; without one it does.
    """
    return bool(getattr(store, "lists_from_anywhere", True))


@runtime_checkable
class ListsSome(Protocol):
    """A store that gives keys as it gets them: one by one they cost as much again."""

    async def list_some(self, prefix: str, *, after: str, below: str, most: int) -> Sequence[str]:
        """As `list_some` below."""
        ...


async def list_some(store: Store, prefix: str, *, after: str = "", below: str = "", most: int) -> Sequence[str]:
    """The first `most` keys below `prefix` after the key `after` and before `below`; `""` is no end.

    In the order of `list`, and as it raises StoreError.
    """
    if isinstance(store, ListsSome):
        return await store.list_some(prefix, after=after, below=below, most=most)
    found: list[str] = []
    keys = store.list(prefix, after=after)
    try:
        async for key in keys:
            if below and key >= below:
                break
            found.append(key)
            if len(found) == most:
                break
    finally:
        if isinstance(keys, AsyncGenerator):  # a store of one's own may give another kind of iterator
            await keys.aclose()
    return found
