"""A store in memory."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Literal

from coatcheck_schemas.errors import ObjectChanged, ObjectExists, ObjectNotFound
from coatcheck_schemas.store import ObjectInfo

CHUNK_BYTES = 4 * 1024**2


class MemoryStore:
    """A `coatcheck_schemas.store.Store` in memory, for tests: as strict as S3, gone with the process.

    Every operation but those on streams is atomic within one event loop: none yields before it is done.
    """

    def __init__(self, bucket: str = "memory") -> None:
        self.bucket = bucket
        self._objects: dict[str, bytes] = {}
        self._order: list[tuple[bytes, str]] = []

    def __len__(self) -> int:
        return len(self._objects)

    def __contains__(self, key: str) -> bool:
        return key in self._objects

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        """Store; with `exclusive` raise ObjectExists where the key is taken. A malformed key is a ValueError."""
        _check_key(key)
        if key not in self._objects:
            insort(self._order, (key.encode(), key))
        elif exclusive:
            raise ObjectExists(f"there is an object under {key}")
        self._objects[key] = bytes(data)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        await self.put(key, b"".join([bytes(chunk) async for chunk in chunks]))

    async def abandon(self, key: str) -> None:
        """Nothing is ever left here."""
        _check_key(key)

    async def get(self, key: str) -> bytes:
        return self._get(key)

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        if start < 0 or end < start:
            raise ValueError(f"{start} to {end} is not a range")
        return self._get(key)[start:end]

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        data = self._of_version(key, version)
        for start in range(0, len(data), CHUNK_BYTES):
            yield data[start : start + CHUNK_BYTES]

    async def head(self, key: str) -> ObjectInfo:
        data = self._get(key)
        return ObjectInfo(size=len(data), version=_version(data))

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        await self.put(target, self._of_version(source, version))

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        """The keys at the time when each is yielded: a put or a delete meanwhile shows where it is still ahead."""
        start = bisect_left(self._order, (prefix.encode(), ""))
        position = max(start, bisect_right(self._order, (after.encode(), after)))
        while position < len(self._order):
            raw, key = self._order[position]
            if not key.startswith(prefix):
                return
            yield key
            position = bisect_right(self._order, (raw, key))

    async def delete(self, key: str) -> None:
        if self._objects.pop(key, None) is not None:
            del self._order[bisect_left(self._order, (key.encode(), key))]

    async def check(self) -> None:
        """Always there."""

    def uri(self, key: str) -> str:
        return f"memory://{self.bucket}/{key}"

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        """A URL of the right shape, which nobody serves."""
        _check_key(key)
        return f"{self.uri(key)}?method={method}&expires={expires_seconds}"

    def _of_version(self, key: str, version: str | None) -> bytes:
        data = self._get(key)
        if version is not None and version != _version(data):
            raise ObjectChanged(f"{key} is no longer the version that was read")
        return data

    def _get(self, key: str) -> bytes:
        try:
            return self._objects[key]
        except KeyError:
            raise ObjectNotFound(f"there is no object under {key}") from None


def _version(data: bytes) -> str:
    return sha256(data).hexdigest()


def _check_key(key: str) -> None:
    """What S3 clients refuse must not pass a test."""
    if any(piece in ("", ".", "..") for piece in key.split("/")):
        raise ValueError(f"{key!r} is no key: pieces are separated by one slash and none is . or ..")
