"""Copies of originals as they were put, made on demand in the background, each once however many ask for it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import msgspec

from coatcheck_core.fairness import Bounds, Line
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.store import Store

log = logging.getLogger("coatcheck.retrieval")

PATIENCE_SECONDS = 4.0
"""A request waits so long for its copy, which goes on being made after that."""


async def _always() -> bool:
    return True


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """What is to lie under `key`: `size` bytes of the session that `source` gives anew at each call.

    `is_wanted` is false once what it is of was deleted, also where this worker has not heard of that; it raises
    StoreError.
    """

    key: str
    session: str
    size: int
    source: Callable[[], AsyncIterator[bytes]]
    is_wanted: Callable[[], Awaitable[bool]] = _always


class _Turn:
    """One in the line for a place."""

    def __init__(self) -> None:
        self.has_come = asyncio.Event()
        self.is_over = False


class Copies:
    """Those that this worker makes, each in memory of some MiB: sessions in turn, and each leaves others a place."""

    def __init__(self, settings: RequestsSettings | None = None) -> None:
        settings = settings or RequestsSettings()
        self._making: dict[str, asyncio.Task[None]] = {}
        self._waiting = settings.copies_waiting
        bounds = Bounds(
            at_work=settings.copies,
            session_at_work=max(1, settings.copies - 1),
            waiting=self._waiting,
            waiting_bytes=self._waiting,
        )
        self._line: Line[_Turn] = Line(bounds)

    async def made(self, store: Store, copy: Copy) -> None:
        """Return once the copy is there.

        Raises RequestError `unavailable` while it is still being made, or where too many wait, StoreError, and what its
        source raises.
        """
        if copy.key not in self._making and await _is_there(store, copy):
            return
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
        turn = _Turn()
        if self._line.join(turn, copy.session, 1, 0.0) is not None:
            raise RequestError(
                Code.UNAVAILABLE,
                f"too many copies for links wait for this worker (requests.copies_waiting is {self._waiting}, and a"
                " session gets no more of it than it leaves free): ask again in a while",
                limit="requests.copies_waiting",
                value=self._waiting,
            )
        self._advance()
        task = asyncio.create_task(self._make(store, copy, turn))
        self._making[copy.key] = task
        task.add_done_callback(partial(self._ended, copy, turn))
        return task

    def _advance(self) -> None:
        while (one := self._line.call()) is not None:
            if one.item.is_over:  # given up while it waited
                self._line.left(one.session)
            else:
                one.item.has_come.set()

    async def _make(self, store: Store, copy: Copy, turn: _Turn) -> None:
        """Raises ObjectNotFound where what it is of was deleted: whoever did may have looked for copies before this."""
        await turn.has_come.wait()
        if await copy.is_wanted():
            await store.abandon(copy.key)
            await store.put_stream(copy.key, copy.source())
        if not await copy.is_wanted():
            await store.delete(copy.key)
            raise ObjectNotFound(copy.key)

    def _ended(self, copy: Copy, turn: _Turn, task: "asyncio.Task[None]") -> None:
        self._making.pop(copy.key, None)
        turn.is_over = True
        if turn.has_come.is_set():
            self._line.left(copy.session)
            self._advance()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("no link could be made at %s: %s", copy.key, error)


async def _is_there(store: Store, copy: Copy) -> bool:
    try:
        return (await store.head(copy.key)).size == copy.size
    except ObjectNotFound:
        return False
