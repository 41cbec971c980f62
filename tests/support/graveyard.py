"""A deployment's streams in memory as deleting meets them, and workers that know of deletions."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from tests.support.simulation.streams import Stream

from coatcheck.testing import MemoryStore
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.deleting.deletions import Deletions
from coatcheck_workers.deleting.erasing import Erasing
from coatcheck_workers.deleting.purging import Purging, Streams
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.tombstones import Tombstones

SESSION = "s1"
_KEPT_IN = {"settled": "stubs", "turns": "results", "due": "held"}


class Graveyard:
    """The streams by their short names; `stored` is what the store notes, `asked` how often it was.

    A stream whose name is in `away` answers nobody.
    """

    def __init__(self, max_bytes: int = 16 * 1024**2) -> None:
        self.subjects = Subjects()
        self.now = datetime(2026, 11, 30, 9, 0, 0, 123_000, tzinfo=UTC)
        self.stored: dict[tuple[str, str | None], datetime] = {}
        self.asked = 0
        self.away: set[str] = set()
        names = (*Streams.__struct_fields__, "deleted")
        self.streams = {name: Stream(name, one_a_subject=name == "deleted") for name in names}
        self._max_bytes = max_bytes

    def worker(self) -> Tombstones:
        return Tombstones(_Publisher(self), _Log(self, "deleted"), self.subjects, self._ask, self._max_bytes)

    def purging(self) -> Purging:
        logs = {name: _Log(self, name) for name in Streams.__struct_fields__}
        return Purging(Streams(**logs), self.subjects, _Publisher(self))

    def deletions(
        self, store: Store | None = None, tombstones: Tombstones | None = None, **settings: float
    ) -> Deletions:
        store, keys = MemoryStore() if store is None else store, Keys()
        return Deletions(
            tombstones or self.worker(),
            StoredTombstones(store, keys),
            self.purging(),
            Erasing(store, keys),
            RequestsSettings(**settings),  # type: ignore[arg-type]
            lambda: self.now,
        )

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def publish(self, subject: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> int:
        verb = subject.split(".")[1]
        stream = self.streams[_KEPT_IN.get(verb, verb)]
        return stream.publish(subject, body, headers or {}, self.now)

    def kept(self) -> set[str]:
        """The subjects of all messages but those that tell of deletions."""
        streams = [stream for name, stream in self.streams.items() if name != "deleted"]
        return {kept.subject for stream in streams for kept in stream.messages.values()}

    async def _ask(self, session: str, result_id: str | None) -> datetime | None:
        self.asked += 1
        return self.stored.get((session, result_id), self.stored.get((session, None)))


class _Publisher:
    def __init__(self, yard: Graveyard) -> None:
        self._yard = yard

    async def once(self, subject: str, body: bytes) -> bool:
        raise AssertionError("deleting publishes no event")

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        await asyncio.sleep(0)
        verb = subject.split(".")[1]
        if _KEPT_IN.get(verb, verb) in self._yard.away:
            raise PublishError(f"{subject}: no answer")
        return self._yard.publish(subject, body, headers)


class _Log:
    def __init__(self, yard: Graveyard, name: str) -> None:
        self._yard = yard
        self._name = name

    async def _stream(self) -> Stream:
        await asyncio.sleep(0)
        if self._name in self._yard.away:
            raise PublishError(f"{self._name}: no answer")
        return self._yard.streams[self._name]

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        return [kept for kept in (await self._stream()).under(pattern) if kept.sequence > after][:3]

    async def last(self, subject: str) -> Kept | None:
        return max((await self._stream()).under(subject), key=_sequence, default=None)

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        found = [kept for kept in (await self._stream()).under(pattern) if kept.sequence > after]
        return min(found, key=_sequence, default=None)

    async def purge(self, pattern: str, through: int | None = None) -> None:
        (await self._stream()).purge(pattern, through)


def _sequence(kept: Kept) -> int:
    return kept.sequence
