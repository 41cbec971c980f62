"""What is overdue: by the stream's times alone, whatever a worker's clock says."""

from datetime import UTC, datetime, timedelta

from tests.support.unused_log import UnusedLog

from coatcheck_workers.flow.overdue import MARGIN_SECONDS, Overdue
from coatcheck_workers.streams.ports import Kept

START = datetime(2026, 1, 1, tzinfo=UTC)
LONGEST = 60.0
PATIENCE = LONGEST + MARGIN_SECONDS


class Stream(UnusedLog):
    """COAT_HELD with messages of these ages in seconds, and what was taken of it."""

    def __init__(self, *seconds: float) -> None:
        self.clock = 1000.0
        self.kept = [
            Kept(subject=f"held.{number}", sequence=number, at=START + timedelta(seconds=one), headers={}, body=b"")
            for number, one in enumerate(seconds, 1)
        ]
        self.taken: list[tuple[int, datetime]] = []
        self.fails: set[int] = set()
        self.overdue = Overdue(self, "held.>", LONGEST, self.take, lambda: self.clock)

    async def take(self, kept: Kept, at: datetime) -> None:
        if kept.sequence in self.fails:
            raise ValueError("no")
        self.taken.append((kept.sequence, at))
        self.kept.remove(kept)

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        return [kept for kept in self.kept if kept.sequence > after][:2]


async def test_nothing_is_overdue_before_it_was_seen_for_long_enough() -> None:
    stream = Stream(0)
    await stream.overdue.look()
    stream.clock += PATIENCE - 1
    await stream.overdue.look()
    assert stream.taken == []


async def test_what_was_seen_for_long_enough_is_taken_at_the_streams_time() -> None:
    stream = Stream(0)
    await stream.overdue.look()
    stream.clock += PATIENCE
    await stream.overdue.look()
    assert stream.taken == [(1, START + timedelta(seconds=PATIENCE))]


async def test_a_younger_message_says_how_late_it_is() -> None:
    stream = Stream(0, PATIENCE + 0.5)
    await stream.overdue.look()
    assert [sequence for sequence, _ in stream.taken] == [1]


async def test_one_that_fails_stays_and_holds_up_no_other() -> None:
    stream = Stream(0, 0, 0)
    stream.fails = {1}
    await stream.overdue.look()
    stream.clock += PATIENCE
    await stream.overdue.look()
    assert [sequence for sequence, _ in stream.taken] == [2, 3]
    stream.fails = set()
    await stream.overdue.look()
    assert [sequence for sequence, _ in stream.taken] == [2, 3, 1]
