"""A store that fails as told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Literal

from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.store import ObjectInfo, Store

Operation = Literal[
    "put",
    "put_stream",
    "abandon",
    "get",
    "get_range",
    "get_stream",
    "head",
    "copy",
    "list",
    "delete",
    "check",
    "presign",
]


class Rule:
    """One kind of fault: which calls it meets, and what becomes of them."""

    def __init__(
        self,
        operations: frozenset[str],
        matches: Callable[[str], bool],
        every: int,
        times: int | None,
        error: Callable[[str], Exception] | None,
        after: bool,
        at_byte: int | None = None,
    ) -> None:
        self.at_byte = at_byte
        self.operations = operations
        self.matches = matches
        self.every = every
        self.times = times
        self.error = error
        self.after = after
        self.met = 0

    def strikes(self, operation: str, key: str) -> bool:
        """Whether this call fails; counts it."""
        if (self.operations and operation not in self.operations) or not self.matches(key):
            return False
        if self.times == 0:
            return False
        self.met += 1
        if self.met % self.every:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class FailingStore:
    """A store around another that fails as told by `fail` and `hang`; untold, it is the other.

        store = FailingStore(MemoryStore())
        store.fail("put", key=lambda key: key.endswith("metadata.json"), times=2)
        store.hang("get")
        store.heal()

    `calls` counts every call by operation, `failures` those that failed or hung.
    """

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.calls: dict[str, int] = {}
        self.failures = 0
        self._rules: list[Rule] = []
        self._healed = asyncio.Event()

    def fail(
        self,
        *operations: Operation,
        key: str | Callable[[str], bool] | None = None,
        every: int = 1,
        times: int | None = None,
        error: Callable[[str], Exception] = StoreUnavailable,
        after: bool = False,
        at_byte: int | None = None,
    ) -> None:
        """Fail these operations (none named: all), on keys that match (a key, or a predicate; none: all).

        Every `every`th such call fails, at most `times` of them, with `error(message)`. With `after` the call is done
        first and its answer lost, as when a connection breaks before the reply. With `at_byte` it is `put_stream` and
        `get_stream` that fail, once so many bytes have passed; one that is shorter goes through.
        """
        if every < 1:
            raise ValueError("every counts from 1")
        if at_byte is not None and (after or not set(operations) <= {"put_stream", "get_stream"}):
            raise ValueError("at_byte is for put_stream and get_stream alone, and not with after")
        named = operations or (("put_stream", "get_stream") if at_byte is not None else ())
        self._rules.append(Rule(frozenset(named), _predicate(key), every, times, error, after, at_byte))

    def hang(
        self, *operations: Operation, key: str | Callable[[str], bool] | None = None, times: int | None = None
    ) -> None:
        """Let these calls hang until `heal`, then go through; the caller's own timeout may end them before."""
        self._rules.append(Rule(frozenset(operations), _predicate(key), 1, times, None, after=False))

    def heal(self) -> None:
        """Fail no more, and let go what hangs."""
        self._rules.clear()
        self._healed.set()
        self._healed = asyncio.Event()

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        lost = await self._meet("put", key)
        await self.inner.put(key, data, exclusive=exclusive)
        _raise(lost)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        lost, passing = await self._meet_stream("put_stream", key, chunks)
        await self.inner.put_stream(key, passing)
        _raise(lost)

    async def abandon(self, key: str) -> None:
        lost = await self._meet("abandon", key)
        await self.inner.abandon(key)
        _raise(lost)

    async def get(self, key: str) -> bytes:
        lost = await self._meet("get", key)
        data = await self.inner.get(key)
        _raise(lost)
        return data

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        lost = await self._meet("get_range", key)
        data = await self.inner.get_range(key, start, end)
        _raise(lost)
        return data

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        """The other's chunks; a fault strikes before the first, at a byte, or with `after` behind the last."""
        lost, passing = await self._meet_stream("get_stream", key, self.inner.get_stream(key, version=version))
        async for chunk in passing:
            yield chunk
        _raise(lost)

    async def head(self, key: str) -> ObjectInfo:
        lost = await self._meet("head", key)
        info = await self.inner.head(key)
        _raise(lost)
        return info

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        lost = await self._meet("copy", target)
        await self.inner.copy(source, target, version=version)
        _raise(lost)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        """The other's keys; a fault strikes before the first, or with `after` behind the last."""
        lost = await self._meet("list", prefix)
        async for key in self.inner.list(prefix, after=after):
            yield key
        _raise(lost)

    async def delete(self, key: str) -> None:
        lost = await self._meet("delete", key)
        await self.inner.delete(key)
        _raise(lost)

    async def check(self) -> None:
        lost = await self._meet("check", "")
        await self.inner.check()
        _raise(lost)

    def uri(self, key: str) -> str:
        return self.inner.uri(key)

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        lost = await self._meet("presign", key)
        url = await self.inner.presign(method, key, expires_seconds)
        _raise(lost)
        return url

    async def _meet(self, operation: Operation, key: str) -> Exception | None:
        """Raise, hang or pass; what is returned is to be raised once the call is done."""
        lost, _ = await self._struck(operation, key)
        return lost

    async def _meet_stream(
        self, operation: Operation, key: str, chunks: AsyncIterator[bytes]
    ) -> tuple[Exception | None, AsyncIterator[bytes]]:
        """As `_meet`, and the chunks with a failure among them where one is to be."""
        failure, rule = await self._struck(operation, key)
        if failure is None or rule is None or rule.at_byte is None:
            return failure, chunks
        return None, _cut(chunks, rule.at_byte, failure)

    async def _struck(self, operation: Operation, key: str) -> tuple[Exception | None, Rule | None]:
        self.calls[operation] = self.calls.get(operation, 0) + 1
        for rule in self._rules:
            if not rule.strikes(operation, key):
                continue
            self.failures += 1
            if rule.error is None:
                await self._healed.wait()
                return None, rule
            failure = rule.error(f"{operation} of {key or 'the store'} fails, as told")
            if rule.after or rule.at_byte is not None:
                return failure, rule
            raise failure
        return None, None


async def _cut(chunks: AsyncIterator[bytes], at_byte: int, failure: Exception) -> AsyncIterator[bytes]:
    passed = 0
    async for chunk in chunks:
        if passed + len(chunk) > at_byte:
            if at_byte > passed:
                yield chunk[: at_byte - passed]
            raise failure
        passed += len(chunk)
        yield chunk


def _predicate(key: str | Callable[[str], bool] | None) -> Callable[[str], bool]:
    if key is None:
        return lambda _: True
    return key if callable(key) else {key}.__contains__


def _raise(error: Exception | None) -> None:
    if error is not None:
        raise error
