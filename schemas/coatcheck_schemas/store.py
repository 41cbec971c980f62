"""What Coatcheck asks of an object store. `coatcheck.testing` ships fakes of it, and the suite that any must pass."""

from collections.abc import AsyncIterator
from typing import Protocol


class Store(Protocol):
    """Objects by key. Keys are relative, `/`-separated, without `..` or an empty segment.

    Every method raises StoreUnavailable where a later try may go through, and StoreRejected where it may not until
    somebody mends the configuration.
    """

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        """Store whole or not at all. `exclusive` raises ObjectExists where the key is taken, and changes nothing."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole object. Raises ObjectNotFound."""
        ...

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        """Bytes `start` to `end` (exclusive), cut at the object's end; empty past it. Raises ObjectNotFound."""
        ...

    def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        """The keys below `prefix` (which ends in `/`), those after `after` only.

        In ascending order of their bytes within one folder; a store may walk folder by folder.
        """
        ...

    async def delete(self, key: str) -> None:
        """Remove the object; no error where there is none."""
        ...

    async def check(self) -> None:
        """Prove that the store answers and that the bucket is there."""
        ...

    def uri(self, key: str) -> str:
        """The object's name for people and other tools: `s3://bucket/key`."""
        ...
