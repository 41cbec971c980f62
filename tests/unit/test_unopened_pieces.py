"""Pieces that no event opens go after a while, and never those of an upload that is open."""

from datetime import UTC, datetime

import pytest
from tests.support.simulation.streams import matches
from tests.support.unused_log import UnusedLog

from coatcheck_schemas.letters import REASON_HEADER
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.streams.piece_stream import Filling
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.uploads.unopened import PRESSED_SECONDS, Unopened

AT = datetime(2026, 1, 1, tzinfo=UTC)
SUBJECTS = Subjects()
IDLE = 600.0
RESULTS = SUBJECTS.results(CallAddress("s", "t", "c"))
LETTERS = SUBJECTS.dlq(CallAddress("s", "t", "c"))


def kept(subject: str, sequence: int, reason: str) -> Kept:
    return Kept(subject=subject, sequence=sequence, at=AT, headers={REASON_HEADER: reason}, body=b"x")


class Kind(UnusedLog):
    """A stream with messages, one of a size."""

    def __init__(self, room: int = 1000) -> None:
        self.room = room
        self.kept: list[Kept] = []
        self.lag = 0
        self.reads = 0

    def add(self, subject: str, count: int = 1, reason: str = "") -> None:
        last = self.kept[-1].sequence if self.kept else 0
        self.kept += [kept(subject, last + one, reason) for one in range(1, count + 1)]

    async def filling(self, pattern: str | None = None) -> Filling:
        counts: dict[str, int] = {}
        for one in self.kept if pattern is not None else ():
            counts[one.subject] = counts.get(one.subject, 0) + 1
        return Filling(bytes=len(self.kept), max_bytes=self.room, counts=counts)

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        return next((one for one in self.kept if one.sequence > after and matches(pattern, one.subject)), None)

    async def last(self, subject: str) -> Kept | None:
        return next((one for one in reversed(self.kept) if one.subject == subject), None)

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        """Two at a time, of what the replica that answers has: all but the `lag` newest."""
        self.reads += 1
        there = self.kept[: len(self.kept) - self.lag]
        return [one for one in there if one.sequence > after and matches(pattern, one.subject)][:2]

    async def purge(self, pattern: str, through: int | None = None) -> None:
        self.kept = [one for one in self.kept if not matches(pattern, one.subject)]

    async def delete(self, sequence: int) -> None:
        self.kept = [one for one in self.kept if one.sequence != sequence]

    @property
    def subjects(self) -> set[str]:
        return {one.subject for one in self.kept}


class World:
    def __init__(self, room: int = 1000) -> None:
        self.chunks, self.results, self.dlq = Kind(room), Kind(), Kind()
        self.now = 0.0
        self.dropped = 0
        self.set_letters(self.dlq)

    def set_letters(self, dlq: Kind) -> None:
        self.dlq = dlq
        self.unopened = Unopened(
            self.chunks, self.results, self.dlq, SUBJECTS, IDLE, self._count, clock=lambda: self.now
        )

    def _count(self, count: int) -> None:
        self.dropped += count

    async def look_after(self, seconds: float) -> None:
        self.now += seconds
        await self.unopened.look()


def pieces(session: str = "s", call: str = "c", upload: str = "u") -> str:
    return SUBJECTS.chunks(CallAddress(session, "t", call), upload)


async def test_what_nothing_opens_goes_once_nothing_has_come_for_the_idle_time() -> None:
    world = World()
    world.chunks.add(pieces(), 3)
    await world.look_after(0)
    await world.look_after(IDLE - 1)
    assert world.chunks.subjects == {pieces()}
    await world.look_after(1)
    assert (world.chunks.subjects, world.dropped) == (set(), 1)


async def test_each_new_piece_gives_it_the_time_anew() -> None:
    world = World()
    for _ in range(5):
        world.chunks.add(pieces())
        await world.look_after(IDLE - 1)
    assert world.chunks.subjects == {pieces()}


async def test_what_an_event_in_the_queue_may_open_stays_however_long_and_full() -> None:
    world = World(room=3)
    world.chunks.add(pieces(), 3)
    world.results.add(RESULTS)
    for _ in range(3):
        await world.look_after(30 * IDLE)
    assert world.chunks.subjects == {pieces()}


@pytest.mark.parametrize("before", [0, 1, 4])
@pytest.mark.parametrize(
    ("reason", "is_kept"),
    [
        ("killed_worker", True),
        ("conflict", True),
        ("internal", True),
        ("invalid_layout", True),
        ("upload_idle", False),
        ("", False),
    ],
)
async def test_what_the_retry_of_a_letter_needs_stays(reason: str, is_kept: bool, before: int) -> None:
    world = World()
    world.chunks.add(pieces())
    world.dlq.add(LETTERS, before, reason="upload_idle")
    world.dlq.add(LETTERS, reason=reason)
    await world.look_after(0)
    await world.look_after(IDLE)
    assert (world.chunks.subjects == {pieces()}) is is_kept


class Retried(Kind):
    """COAT_DLQ whose letter is retried at a question: its event is in COAT_RESULTS, then the letter is gone."""

    def __init__(self, results: Kind, asked: str) -> None:
        super().__init__()
        self.results, self.asked = results, asked
        self.add(LETTERS, reason="internal")

    async def last(self, subject: str) -> Kept | None:
        self._retry("last")
        return await super().last(subject)

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        self._retry("read")
        return await super().read(pattern, after, max_bytes)

    def _retry(self, asked: str) -> None:
        if self.kept and asked == self.asked:
            self.results.add(RESULTS)
            self.kept = []


@pytest.mark.parametrize("asked", ["last", "read"])
async def test_what_a_letter_opens_stays_while_it_is_retried_between_two_questions(asked: str) -> None:
    world = World()
    world.chunks.add(pieces())
    world.set_letters(Retried(world.results, asked))
    await world.look_after(0)
    await world.look_after(IDLE)
    assert world.chunks.subjects == {pieces()}
    assert world.results.subjects == {RESULTS}


@pytest.mark.parametrize("before", [0, 2, 3])
async def test_a_letter_that_a_lagging_replica_does_not_have_yet_counts_until_it_can_be_read(before: int) -> None:
    world = World()
    world.chunks.add(pieces())
    world.dlq.add(LETTERS, before + 1, reason="upload_idle")
    world.dlq.lag = 1
    await world.look_after(0)
    await world.look_after(IDLE)
    assert world.chunks.subjects == {pieces()}
    world.dlq.lag = 0
    await world.look_after(0)
    assert world.chunks.subjects == set()


async def test_a_look_reads_the_letters_of_a_call_once_however_many_uploads_it_has() -> None:
    world = World()
    for number in range(50):
        world.chunks.add(pieces(upload=f"u{number}"))
    world.dlq.add(LETTERS, 20, reason="upload_idle")
    await world.look_after(0)
    await world.look_after(IDLE)
    assert (world.dropped, world.dlq.reads) == (50, 10)


async def test_a_letter_that_comes_during_a_look_is_read() -> None:
    world = World()
    world.chunks.add(pieces(upload="u1"))
    world.chunks.add(pieces(upload="u2"))
    world.dlq.add(LETTERS, 3, reason="upload_idle")
    purge = world.chunks.purge

    async def set_aside(pattern: str, through: int | None = None) -> None:
        await purge(pattern, through)
        world.dlq.add(LETTERS, reason="conflict")

    world.chunks.purge = set_aside  # type: ignore[method-assign]
    await world.look_after(0)
    await world.look_after(IDLE)
    assert (world.dropped, world.chunks.subjects) == (1, {pieces(upload="u2")})


async def test_a_nearly_full_stream_waits_for_less_and_takes_from_who_has_most_until_there_is_room() -> None:
    world = World(room=100)
    for one in range(8):
        world.chunks.add(pieces("flood", upload=f"u{one}"), 10)
    world.chunks.add(pieces("small"), 5)
    await world.look_after(0)
    await world.look_after(PRESSED_SECONDS)
    assert world.dropped == 1
    assert pieces("small") in world.chunks.subjects
    assert len(world.chunks.kept) == 75


@pytest.mark.parametrize("wild", ["coat.chunks.s.*.c.u", "coat.chunks.s.t.c.>", "coat.chunks.s.t.*.*"])
async def test_a_subject_that_is_a_wildcard_takes_nothing_else_with_it(wild: str) -> None:
    world = World()
    world.chunks.add(pieces())
    world.chunks.add(wild, 2)
    world.chunks.add(pieces())
    world.results.add(RESULTS)
    await world.look_after(0)
    await world.look_after(IDLE)
    assert [one.subject for one in world.chunks.kept] == [pieces(), pieces()]


async def test_the_log_names_the_session_and_not_each_upload(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    for one in range(50):
        world.chunks.add(pieces("mallory", upload=f"u{one}"), 2)
    await world.look_after(0)
    await world.look_after(IDLE)
    assert caplog.messages == ["50 uploads of session mallory that nothing had opened were dropped, 100 pieces"]
