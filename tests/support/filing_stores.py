"""Stores and deletions that meddle with a change of a file while it is made."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_workers.clock import utc_now
from coatcheck_workers.streams.tombstone import NoTombstones


def workers_of(store: MemoryStore) -> tuple[Cabinet, Cabinet]:
    """Two workers: one alone does its changes of a file one after the other."""
    return Cabinet(store=store), Cabinet(store=store)


class SlowStore(MemoryStore):
    """Each operation lets others go first."""

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await asyncio.sleep(0)
        await super().put(key, data, exclusive=exclusive)
        await asyncio.sleep(0)

    async def get(self, key: str) -> bytes:
        await asyncio.sleep(0)
        return await super().get(key)


class OvertakenStore(MemoryStore):
    """Before an exclusive put `other` is done, if it is set, which is quicker."""

    other: Callable[[], Awaitable[object]] | None = None

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        if exclusive and self.other is not None:
            other, self.other = self.other, None
            await other()
            self.other = other
        await super().put(key, data, exclusive=exclusive)


class Told(NoTombstones):
    """Of every session what `erase` says."""

    at: datetime | None = None

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return self.at

    async def erase(self, store: MemoryStore, other: Cabinet | None = None, writes: int = 0) -> None:
        """After it `other` writes `/a` so often."""
        self.at = utc_now() - timedelta(seconds=1)  # so that what is written from now on is of a new life
        for key in [key async for key in store.list("v1/sessions/")]:
            await store.delete(key)
        for n in range(writes):
            assert other is not None
            await other.fs_ok("write", path="a", content=f"new {n + 1}")


class MeetingStore(MemoryStore):
    """At one `moment` of a change `meets` is done, once: when a version was read, a name put, a version written."""

    moment = ""
    meets: Callable[[], Awaitable[object]] | None = None

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await super().put(key, data, exclusive=exclusive)
        await self._pass("named" if "/files/names/" in key else "written" if exclusive else "emptied")

    async def get(self, key: str) -> bytes:
        data = await super().get(key)
        await self._pass("read")
        return data

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        data = await super().get_range(key, start, end)
        await self._pass("head read")
        return data

    async def _pass(self, moment: str) -> None:
        if moment == self.moment and (meets := self.meets) is not None:
            self.meets = None
            await meets()


class HoldingStore(MemoryStore):
    """The first exclusive put waits where `held` says so."""

    held: asyncio.Event | None = None

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        if exclusive and self.held is not None and not self.waiting.is_set():
            self.waiting.set()
            await self.held.wait()
        await super().put(key, data, exclusive=exclusive)


class TwiceStore(MemoryStore):
    """An exclusive put is tried again after it went through."""

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await super().put(key, data, exclusive=exclusive)
        if exclusive:
            await super().put(key, data, exclusive=True)


class BeginningStore(MemoryStore):
    """It tells keys by how they begin, as S3 does, and counts what it lists, by the folder of a session."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: Counter[str] = Counter()

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        folder = start[: start.rindex("/") + 1]
        found = [key async for key in MemoryStore.list(self, folder) if key.startswith(start)]
        self.listed["by beginning"] += len(found)
        return found if len(found) <= most else None

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in super().list(prefix, after=after):
            self.listed[key.split("/")[3]] += 1
            yield key
