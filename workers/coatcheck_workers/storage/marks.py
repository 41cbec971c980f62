"""What marks an object's content in a listing, where the store tells."""

from collections.abc import AsyncGenerator
from typing import Protocol, runtime_checkable

from coatcheck_schemas.store import Store

First = tuple[str, str | None]
"""A key, and the mark of what it has: another content has another mark. None where the store tells none."""


@runtime_checkable
class GivesMarks(Protocol):
    """A store that tells what an object has been marked with (S3's `ETag`), by which it need not be fetched again."""

    async def first_of(self, prefix: str) -> First | None:
        """The first key under a prefix, in the order of a listing; None where there is none."""
        ...


async def first_of(store: Store, prefix: str) -> First | None:
    """As `GivesMarks` has it, of any store; raises what `list` does."""
    if isinstance(store, GivesMarks):
        return await store.first_of(prefix)
    keys = store.list(prefix)
    try:
        async for key in keys:
            return key, None
    finally:
        if isinstance(keys, AsyncGenerator):
            await keys.aclose()
    return None
