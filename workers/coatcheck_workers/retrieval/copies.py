"""Copies of originals as they were put, made on demand in the background, each once however many ask for it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import msgspec

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.store import Store

log = logging.getLogger("coatcheck.retrieval")

PATIENCE_SECONDS = 4.0
"""A request waits so long for its copy, which goes on being made after that."""
AT_ONCE = 2
"""Copies that one worker makes at a time, each in memory of some MiB."""
MOST_WAITING = 32
"""More are refused until these are made."""


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """What is to lie under `key`: `size` bytes that `source` gives anew at each call."""

    key: str
    size: int
    source: Callable[[], AsyncIterator[bytes]]


class Copies:
    """Those that this worker makes."""

    def __init__(self) -> None:
        self._making: dict[str, asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    async def made(self, store: Store, copy: Copy) -> None:
        """Return once the copy is there.

        Raises RequestError `unavailable` while it is still being made, StoreError, and what its source raises.
        """
        if copy.key not in self._making:
            if await _is_there(store, copy):
                return
            if len(self._making) >= MOST_WAITING:
                raise RequestError(Code.UNAVAILABLE, "too many links are being made just now; ask again in a while")
        # Whoever came while this one looked has begun it.
        task = self._making.get(copy.key) or self._begin(store, copy)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        if not done:
            raise RequestError(Code.UNAVAILABLE, "the link is being made; ask again in a few seconds", bytes=copy.size)
        if task.cancelled():
            raise ObjectNotFound(copy.key)
        await task

    def give_up(self, prefix: str) -> None:
        """Make no more of the copies whose keys begin so: what they are of was deleted. Nothing of them is left."""
        for key, task in self._making.items():
            if key.startswith(prefix):
                task.cancel()

    async def close(self) -> None:
        """Give up what is being made; nothing of it is left."""
        tasks = list(self._making.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, store: Store, copy: Copy) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._make(store, copy))
        self._making[copy.key] = task
        task.add_done_callback(lambda _: self._ended(copy.key, task))
        return task

    async def _make(self, store: Store, copy: Copy) -> None:
        async with self._places:
            await store.abandon(copy.key)
            await store.put_stream(copy.key, copy.source())

    def _ended(self, key: str, task: "asyncio.Task[None]") -> None:
        self._making.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("no link could be made at %s: %s", key, error)


async def _is_there(store: Store, copy: Copy) -> bool:
    try:
        return (await store.head(copy.key)).size == copy.size
    except ObjectNotFound:
        return False
