"""What lies below the consumer's ack floor is put in again once, and not before two looks have seen it there."""

from datetime import UTC, datetime

import pytest
from tests.support.late import SaidTombstones
from tests.support.unused_log import UnusedLog

from coatcheck_workers.flow.left_behind import MOST_AT_A_LOOK, LeftBehind
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.tombstone import NoTombstones

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Stream(UnusedLog):
    """COAT_RESULTS with messages at these places, its consumer's ack floor, and what is published to it."""

    def __init__(self, floor: int, *places: int) -> None:
        self.floor = floor
        headers = {"ce-id": "1", "Nats-Msg-Id": "m", "nats-expected-stream": "S"}
        self.kept = [
            Kept(subject=f"coat.results.s.t.{place}", sequence=place, at=AT, headers=headers, body=b"x")
            for place in places
        ]
        self.is_full = False
        self.left_behind = LeftBehind(self, self, self.ack_floor, NoTombstones())

    async def ack_floor(self) -> int:
        return self.floor

    async def once(self, subject: str, body: bytes) -> bool:
        raise AssertionError("once was not to be asked")

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        if self.is_full:
            raise PublishError("full")
        place = max([self.floor, *(kept.sequence for kept in self.kept)]) + 1
        self.kept.append(Kept(subject=subject, sequence=place, at=AT, headers=headers, body=body))
        return place

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        return self.kept[0] if self.kept else None

    async def purge(self, pattern: str, through: int | None = None) -> None:
        assert through is not None
        self.kept = [kept for kept in self.kept if kept.subject != pattern or kept.sequence > through]

    @property
    def places(self) -> list[int]:
        return [kept.sequence for kept in self.kept]


async def test_what_waits_above_the_floor_is_let_alone() -> None:
    stream = Stream(2, 3, 4)
    await stream.left_behind.look()
    await stream.left_behind.look()
    assert stream.places == [3, 4]


async def test_what_the_second_look_finds_below_the_floor_is_put_in_again() -> None:
    stream = Stream(10, 3, 7, 11)
    await stream.left_behind.look()
    assert stream.places == [3, 7, 11]
    await stream.left_behind.look()
    assert stream.places == [11, 12, 13]


async def test_it_keeps_its_subject_body_and_headers_but_those_that_act_again() -> None:
    stream = Stream(10, 3)
    await stream.left_behind.look()
    await stream.left_behind.look()
    (kept,) = stream.kept
    assert (kept.subject, kept.body, dict(kept.headers)) == ("coat.results.s.t.3", b"x", {"ce-id": "1"})


async def test_another_message_at_the_second_look_is_not_the_one_that_the_first_has_seen() -> None:
    stream = Stream(10, 3, 7)
    await stream.left_behind.look()
    del stream.kept[0]
    await stream.left_behind.look()
    assert stream.places == [7]


async def test_it_stays_where_a_full_stream_refuses_the_copy() -> None:
    stream = Stream(10, 3)
    stream.is_full = True
    await stream.left_behind.look()
    with pytest.raises(PublishError):
        await stream.left_behind.look()
    assert stream.places == [3]


async def test_a_look_is_bounded_and_the_next_goes_on() -> None:
    stream = Stream(5000, *range(1, MOST_AT_A_LOOK + 3))
    await stream.left_behind.look()
    await stream.left_behind.look()
    assert min(stream.places) == MOST_AT_A_LOOK + 1
    await stream.left_behind.look()
    await stream.left_behind.look()
    assert min(stream.places) > 5000


async def test_what_belongs_to_a_session_that_was_deleted_since_goes_and_does_not_live_again() -> None:
    stream, tombstones = Stream(10, 3, 11), SaidTombstones()
    tombstones.bury("s", None, AT)
    stream.left_behind = LeftBehind(stream, stream, stream.ack_floor, tombstones)
    await stream.left_behind.look()
    await stream.left_behind.look()
    assert stream.places == [11]
