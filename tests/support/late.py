"""What the flow asks of deletions, for tests: that there were none, or those that a test says."""

from collections.abc import Callable
from datetime import datetime

from tests.support.unused_log import UnusedLog

from coatcheck.testing import MemoryStore
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.keeping.undoing import Undoing
from coatcheck_workers.streams.tombstone import NoTombstones, is_old


class SaidTombstones(NoTombstones):
    """By session, and by session and result; `purging` and `erasing` are what is under way."""

    def __init__(self) -> None:
        self.buried: dict[tuple[str, str | None], datetime] = {}
        self.purging: set[tuple[str, str | None]] = set()
        self.erasing: set[tuple[str, str | None]] = set()
        self.asked: Callable[[], None] = lambda: None
        """Called at each question that refuses."""

    def bury(self, session: str, result_id: str | None, at: datetime) -> None:
        self.buried[session, result_id] = at

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return max((self.buried[grave] for grave in _graves(session, result_id) & self.buried.keys()), default=None)

    def is_being_purged(self, session: str, result_id: str | None = None) -> bool:
        return bool(_graves(session, result_id) & self.purging)

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        return bool(_graves(session, result_id) & (self.purging | self.erasing))

    async def refused_since(self, session: str, result_id: str | None, received_at: datetime) -> datetime | None:
        self.asked()
        moment = self.deleted_at(session, result_id)
        return moment if moment is not None and is_old(received_at, moment) else None


def late(tombstones: NoTombstones | None = None, store: MemoryStore | None = None, retention_days: int = 0) -> Late:
    """Without tombstones nothing was deleted, and so there is nothing to undo."""
    undoing = Undoing(store=store or MemoryStore(), keys=Keys("p"), subjects=Subjects("coat"), stubs=UnusedLog())
    return Late(tombstones=tombstones or NoTombstones(), undoing=undoing, retention_days=retention_days)


def _graves(session: str, result_id: str | None) -> set[tuple[str, str | None]]:
    return {(session, None), (session, result_id)}
