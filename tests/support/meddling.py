"""A store in which something happens meanwhile: just before or after an operation that a test names."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

from coatcheck.testing import MemoryStore

Operation = Literal["get", "get_range", "get_stream", "put", "put_stream", "copy", "delete", "list"]


class MeddlingStore(MemoryStore):
    """What is to happen happens once, at the first operation of that kind on a key that contains `part`."""

    def __init__(self) -> None:
        super().__init__()
        self._meddling: list[tuple[Operation, str, bool, Callable[[], Awaitable[object]]]] = []
        self.listed: list[str] = []

    def meddle(
        self, operation: Operation, part: str, what: Callable[[], Awaitable[object]], *, after: bool = False
    ) -> None:
        self._meddling.append((operation, part, after, what))

    @property
    def is_calm(self) -> bool:
        """Whether all has happened that was to happen."""
        return not self._meddling

    async def _at(self, operation: Operation, key: str, *, after: bool) -> None:
        for one in [one for one in self._meddling if one[0] == operation and one[1] in key and one[2] == after]:
            self._meddling.remove(one)
            await one[3]()

    async def get(self, key: str) -> bytes:
        await self._at("get", key, after=False)
        data = await super().get(key)
        await self._at("get", key, after=True)
        return data

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        await self._at("get_range", key, after=False)
        data = await super().get_range(key, start, end)
        await self._at("get_range", key, after=True)
        return data

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        await self._at("get_stream", key, after=False)
        async for chunk in super().get_stream(key, version=version):
            yield chunk
        await self._at("get_stream", key, after=True)

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await self._at("put", key, after=False)
        await super().put(key, data, exclusive=exclusive)
        await self._at("put", key, after=True)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        body = b"".join([chunk async for chunk in chunks])
        await self._at("put_stream", key, after=False)
        await super().put(key, body)
        await self._at("put_stream", key, after=True)

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        body = await super().get(source)
        await self._at("copy", target, after=False)
        await super().put(target, body)
        await self._at("copy", target, after=True)

    async def delete(self, key: str) -> None:
        await self._at("delete", key, after=False)
        await super().delete(key)
        await self._at("delete", key, after=True)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        await self._at("list", prefix, after=False)
        async for key in super().list(prefix, after=after):
            self.listed.append(key)
            yield key
