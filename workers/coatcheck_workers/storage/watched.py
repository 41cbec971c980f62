"""A store whose requests are timed and told to whoever watches."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from time import perf_counter
from typing import Literal, TypeVar

from coatcheck_schemas.store import ObjectInfo, Store

from .beginnings import beginning_with
from .buffers import get_buffer
from .deleting import delete_many
from .listing import list_some, lists_from_anywhere
from .marks import First, first_of

T = TypeVar("T")

Told = Callable[[str, float, BaseException | None], None]
"""An operation's name, the seconds that it took, and what it raised; it raises nothing itself, and takes no time."""


class WatchedStore:
    """A store in front of another, as which it behaves, and which it offers all of that the other may offer.

    Of what comes as a stream the first piece is timed.
    """

    def __init__(self, store: Store, told: Told) -> None:
        self._store = store
        self._told = told
        self.lists_from_anywhere = lists_from_anywhere(store)

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await self._timed("put", self._store.put(key, data, exclusive=exclusive))

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        await self._timed("put_stream", self._store.put_stream(key, chunks))

    async def abandon(self, key: str) -> None:
        await self._timed("abandon", self._store.abandon(key))

    async def get(self, key: str) -> bytes:
        return await self._timed("get", self._store.get(key))

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        return await self._timed("get_range", self._store.get_range(key, start, end))

    async def get_buffer(self, key: str, start: int, end: int) -> memoryview:
        return await self._timed("get_range", get_buffer(self._store, key, start, end))

    def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        return self._timed_first("get_stream", self._store.get_stream(key, version=version))

    async def head(self, key: str) -> ObjectInfo:
        return await self._timed("head", self._store.head(key))

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        await self._timed("copy", self._store.copy(source, target, version=version))

    def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        return self._timed_first("list", self._store.list(prefix, after=after))

    async def list_some(self, prefix: str, *, after: str, below: str, most: int) -> Sequence[str]:
        """See `listing.list_some`."""
        return await self._timed("list", list_some(self._store, prefix, after=after, below=below, most=most))

    async def delete(self, key: str) -> None:
        await self._timed("delete", self._store.delete(key))

    async def delete_many(self, keys: Sequence[str]) -> None:
        """With as few requests as the store allows."""
        await self._timed("delete_many", delete_many(self._store, keys))

    async def first_of(self, prefix: str) -> First | None:
        """See `marks.first_of`."""
        return await self._timed("list", first_of(self._store, prefix))

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """See `beginnings.beginning_with`."""
        return await self._timed("list", beginning_with(self._store, start, most))

    async def check(self) -> None:
        await self._timed("check", self._store.check())

    def uri(self, key: str) -> str:
        return self._store.uri(key)

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        """No request to most stores, and so not timed."""
        return await self._store.presign(method, key, expires_seconds)

    async def _timed(self, operation: str, request: Awaitable[T]) -> T:
        began = perf_counter()
        try:
            answer = await request
        except BaseException as error:
            self._told(operation, perf_counter() - began, error)
            raise
        self._told(operation, perf_counter() - began, None)
        return answer

    async def _timed_first(self, operation: str, pieces: AsyncIterator[T]) -> AsyncIterator[T]:
        began: float | None = perf_counter()
        try:
            async for piece in pieces:
                if began is not None:
                    self._told(operation, perf_counter() - began, None)
                    began = None
                yield piece
        except GeneratorExit:
            raise  # whoever read has enough of it
        except BaseException as error:
            self._told(operation, 0.0 if began is None else perf_counter() - began, error)
            began = None
            raise
        finally:
            aclose = getattr(pieces, "aclose", None)
            if aclose is not None:
                await aclose()
        if began is not None:
            self._told(operation, perf_counter() - began, None)
