"""COAT_DELETED in memory, for tests of what workers know of deletions."""

from datetime import UTC, datetime, timedelta

from tests.support.simulation.streams import Stream
from tests.support.unused_log import UnusedLog

from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.tombstones import Tombstones

SESSION = "s1"


class Graveyard:
    """One stream, any number of workers; `stored` is what the store notes, `asked` how often it was."""

    def __init__(self, max_bytes: int = 16 * 1024**2) -> None:
        self.subjects = Subjects()
        self.now = datetime(2026, 11, 30, 9, 0, 0, 123_000, tzinfo=UTC)
        self.stored: dict[tuple[str, str | None], datetime] = {}
        self.asked = 0
        self._stream = Stream("COAT_DELETED", one_a_subject=True)
        self._max_bytes = max_bytes

    def worker(self) -> Tombstones:
        log = _Log(self._stream)
        return Tombstones(_Publisher(self), log, self.subjects, self._ask, self._max_bytes)

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def publish(self, subject: str, body: bytes, headers: dict[str, str] | None = None) -> int:
        return self._stream.publish(subject, body, headers or {}, self.now)

    async def _ask(self, session: str, result_id: str | None) -> datetime | None:
        self.asked += 1
        return self.stored.get((session, result_id), self.stored.get((session, None)))


class _Publisher:
    def __init__(self, yard: Graveyard) -> None:
        self._yard = yard

    async def once(self, subject: str, body: bytes) -> bool:
        raise AssertionError("a deletion is no event")

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        return self._yard.publish(subject, body, headers)


class _Log(UnusedLog):
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        return [kept for kept in self._stream.under(pattern) if kept.sequence > after][:3]

    async def last(self, subject: str) -> Kept | None:
        return next(self._stream.under(subject), None)
