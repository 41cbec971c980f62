"""What Coatcheck asks of an object store. `coatcheck.testing` ships fakes of it, and the suite that any must pass."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec


class ObjectInfo(msgspec.Struct, frozen=True, kw_only=True):
    """An object as it is now: its bytes, and what is another for other bytes under the same key (an ETag)."""

    size: int
    version: str


class Store(Protocol):
    """Objects by key. Keys are relative, `/`-separated, without `..` or an empty segment.

    Every method raises StoreUnavailable where a later try may go through, and StoreRejected where it may not until
    somebody mends the configuration.
    """

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        """Store whole or not at all. `exclusive` raises ObjectExists where the key is taken, and changes nothing."""
        ...

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """Store what comes, of any size, in memory of some MiB; whole or not at all.

        What `chunks` raises is raised, and neither then nor where this is cancelled is anything left behind.
        """
        ...

    async def abandon(self, key: str) -> None:
        """Free what a `put_stream` to this key left whose process died; the object itself stays as it is."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole object. Raises ObjectNotFound."""
        ...

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        """Bytes `start` to `end` (exclusive), cut at the object's end; empty past it. Raises ObjectNotFound."""
        ...

    def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        """The whole object in order, some MiB at a time; however long it takes, all of one version.

        Raises ObjectNotFound, and ObjectChanged where it is not, or is no longer, the version asked for.
        """
        ...

    async def head(self, key: str) -> ObjectInfo:
        """Raises ObjectNotFound."""
        ...

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        """Copy within the store, over what is there, of any size, without a byte through this process.

        Raises ObjectNotFound, and ObjectChanged where the source is not `version`: the target is then as it was, or
        absent.
        """
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

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        """A URL that needs no credentials until it expires; no object need be there.

        Raises StoreRejected where the store has none to give.
        """
        ...
