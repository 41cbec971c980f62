"""A store that is away is given up at once, so that what waits for it takes nobody's place."""

import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from coatcheck_core.breaker import Breaker
from coatcheck_schemas.errors import StoreError, StoreUnavailable
from coatcheck_schemas.store import ObjectInfo, Store

from .buffers import get_buffer
from .marks import First, first_of
from .remembering import Source

log = logging.getLogger("coatcheck.storage")


class Gate:
    """A store in front of another: raises StoreUnavailable at once while the other is away (see Breaker).

    It ends no request that is under way, and starts no task or timer of its own.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._clock = clock
        self._jitter = jitter
        self._breaker = Breaker()
        self._why = ""
        self.requests = 0
        self.failures = 0
        self.refused = 0
        self.openings = 0

    @property
    def is_open(self) -> bool:
        """Whether the store counts as away; the next try may be due all the same."""
        return self._breaker.is_open

    @property
    def pending(self) -> int:
        """Requests under way."""
        return self._breaker.pending

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        with self._request():
            await self._store.put(key, data, exclusive=exclusive)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """It takes as long as its source does, which may be for hours: only how it ends counts."""
        source = Source(chunks)
        with self._request(unhurried=True, of_others=lambda error: error is source.error):
            await self._store.put_stream(key, source)

    async def abandon(self, key: str) -> None:
        with self._request():
            await self._store.abandon(key)

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        """The first chunk answers the request."""
        with self._request() as answered:
            async for chunk in self._store.get_stream(key, version=version):
                answered()
                yield chunk

    async def head(self, key: str) -> ObjectInfo:
        with self._request():
            return await self._store.head(key)

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        """It takes as long as the object is large: only how it ends counts."""
        with self._request(unhurried=True):
            await self._store.copy(source, target, version=version)

    async def get(self, key: str) -> bytes:
        with self._request():
            return await self._store.get(key)

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        with self._request():
            return await self._store.get_range(key, start, end)

    async def get_buffer(self, key: str, start: int, end: int) -> memoryview:
        with self._request():
            return await get_buffer(self._store, key, start, end)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        """The first key answers the request: how long the others take is up to whoever reads them."""
        with self._request() as answered:
            async for key in self._store.list(prefix, after=after):
                answered()
                yield key

    async def first_of(self, prefix: str) -> First | None:
        with self._request():
            return await first_of(self._store, prefix)

    async def delete(self, key: str) -> None:
        with self._request():
            await self._store.delete(key)

    async def check(self) -> None:
        with self._request():
            await self._store.check()

    def uri(self, key: str) -> str:
        return self._store.uri(key)

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        """No request to most stores; some ask their provider for what signs."""
        return await self._store.presign(method, key, expires_seconds)

    @contextmanager
    def _request(
        self, *, unhurried: bool = False, of_others: Callable[[BaseException], bool] = lambda _: False
    ) -> Iterator[Callable[[], None]]:
        """Yields what is called once the store has answered; leaving says so too.

        Of errors for which `of_others` holds the store is not to blame.
        """
        number = self._admit()
        if unhurried:
            self._breaker.unhurried(number)
        try:
            yield lambda: self._answered(number)
        except BaseException as error:
            self._failed(number, None if of_others(error) else error)
            raise
        else:
            self._answered(number)

    def _failed(self, number: int, error: BaseException | None) -> None:
        """None: whatever it was says nothing about the store."""
        if isinstance(error, StoreUnavailable):
            self.failures += 1
            with self._telling(str(error)):
                self._breaker.failed(number, self._clock(), self._jitter())
        elif isinstance(error, StoreError):
            self._answered(number)
        else:
            self._breaker.abandoned(number)

    def _admit(self) -> int:
        now = self._clock()
        with self._telling("its requests hang"):
            number = self._breaker.admit(now, self._jitter())
        if number is not None:
            self.requests += 1
            return number
        self.refused += 1
        away = now - (self._breaker.opened_at or now)
        wait = self._breaker.next_try_at - now
        raise StoreUnavailable(
            f"object storage has been away for {away:.1f} s, the next try is in {wait:.1f} s: {self._why}"
        )

    def _answered(self, number: int) -> None:
        opened_at, now = self._breaker.opened_at, self._clock()
        self._breaker.answered(number, now)
        if opened_at is not None and not self._breaker.is_open:
            log.info("object storage is back after %.1f s", now - opened_at)

    @contextmanager
    def _telling(self, why: str) -> Iterator[None]:
        """Log and count where what happens within opens the breaker; `why` is what it is told by then."""
        was_open = self._breaker.is_open
        yield
        if self._breaker.is_open and not was_open:
            self._why = why
            self.openings += 1
            log.warning("object storage is away, %d requests are pending: %s", self.pending, why)
