"""Keys by how they begin, of stores that tell them without listing all the others of a folder."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from coatcheck_schemas.store import Store


@runtime_checkable
class ListsBeginnings(Protocol):
    """A store that may know this, as S3 does."""

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """All keys that begin so, wherever in a name that ends; None where there are more, or it cannot be told."""
        ...


async def beginning_with(store: Store, start: str, most: int) -> Sequence[str] | None:
    """As ListsBeginnings has it, of any store. Raises StoreError."""
    return await store.beginning_with(start, most) if isinstance(store, ListsBeginnings) else None
