"""What is refused because it was deleted, what waits, and what is undone."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from tests.support.deciding import address, rules
from tests.support.late import SaidTombstones
from tests.support.unused_log import UnusedLog

from coatcheck.testing import MemoryStore
from coatcheck_core.arrival import identify
from coatcheck_core.decision import Case
from coatcheck_core.turns import EndEntry
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.keeping.keeping import keep, kept_metadata
from coatcheck_workers.keeping.late import Late, is_late
from coatcheck_workers.keeping.undoing import Undoing
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.letters import DELETED
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import EXPECTED_LAST, WrongLastSequence
from coatcheck_workers.streams.retrying import NotRetryable, Retrying

KEYS, SUBJECTS = Keys("p"), Subjects("coat")
CAME = datetime(2026, 1, 31, 12, tzinfo=UTC)
DELETED_AT, ANEW = CAME + timedelta(seconds=5), CAME + timedelta(seconds=9)
BODY = msgspec.json.encode({"tool_name": "tool", "content": "a large result\n" * 5000})


class Stubs(UnusedLog):
    """The stub events, by subject."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}

    def publish(self, subject: str, body: bytes) -> None:
        self.kept[subject] = Kept(subject=subject, sequence=7, at=CAME, headers={}, body=body)

    async def last(self, subject: str) -> Kept | None:
        return self.kept.get(subject)

    async def purge(self, pattern: str, through: int | None = None) -> None:
        assert through == 7
        del self.kept[pattern]


class Desk:
    def __init__(self) -> None:
        self.tombstones, self.store, self.stubs = SaidTombstones(), MemoryStore(), Stubs()
        undoing = Undoing(store=self.store, keys=KEYS, subjects=SUBJECTS, stubs=self.stubs)
        self.late = Late(tombstones=self.tombstones, undoing=undoing, retention_days=0)

    async def handled(self, at: datetime) -> Case:
        """A result that NATS received then, with its stub out and its original kept."""
        case = Case(identify(address("s"), decode_result(None, BODY), at), rules())
        decision = case.decide()
        assert decision.stored is not None
        await keep(self.store, KEYS, "s", decision.stored)
        self.stubs.publish(SUBJECTS.stubs("s", "=", case.result.result_id), decision.encoded)
        return case


async def test_what_came_before_a_deletion_is_refused_and_what_came_after_is_not() -> None:
    desk = Desk()
    desk.tombstones.bury("s", None, DELETED_AT)
    with pytest.raises(InvalidResult, match=r"this session was deleted at 2026-01-31T12:00:05.000Z") as refused:
        await desk.late.check("s", "c-1", CAME)
    assert is_late(refused.value)
    assert refused.value.reason == DELETED
    await desk.late.check("s", "c-1", ANEW)
    await desk.late.check("another", "c-1", CAME)


async def test_a_deletion_of_one_result_says_so_and_refuses_no_other() -> None:
    desk = Desk()
    desk.tombstones.bury("s", "c-1", DELETED_AT)
    with pytest.raises(InvalidResult, match="this result was deleted"):
        await desk.late.check("s", "c-1", CAME)
    await desk.late.check("s", "c-2", CAME)
    await desk.late.check("s", None, CAME)


async def test_all_that_is_new_waits_for_the_streams_and_what_is_stored_for_the_store_too() -> None:
    desk = Desk()
    desk.tombstones.bury("s", None, DELETED_AT)
    case = await desk.handled(ANEW)
    desk.tombstones.purging.add(("s", None))
    with pytest.raises(Later):
        await desk.late.check("s", None, ANEW)
    desk.tombstones.purging.clear()
    desk.tombstones.erasing.add(("s", None))
    await desk.late.check("s", None, ANEW)
    with pytest.raises(Later), desk.late.room(case):
        raise AssertionError("there was no room")
    desk.tombstones.erasing.clear()
    with desk.late.room(case):
        pass


async def test_what_was_stored_while_a_deletion_became_known_is_seen_to_again() -> None:
    desk = Desk()
    case = await desk.handled(ANEW)
    with pytest.raises(Later), desk.late.room(case):
        desk.tombstones.bury("s", None, DELETED_AT)


async def test_what_was_handled_in_vain_is_undone() -> None:
    desk = Desk()
    case = await desk.handled(CAME)
    assert len(desk.store) == 3
    desk.tombstones.bury("s", None, DELETED_AT)
    with pytest.raises(InvalidResult):
        await desk.late.check_done(case)
    assert (len(desk.store), desk.stubs.kept) == (0, {})


async def test_of_what_has_come_anew_under_the_same_id_nothing_is_undone() -> None:
    desk = Desk()
    old = Case(identify(address("s"), decode_result(None, BODY), CAME), rules())
    await desk.handled(ANEW)
    desk.tombstones.bury("s", old.result.result_id, DELETED_AT)
    with pytest.raises(InvalidResult):
        await desk.late.check_result(old)
    assert (len(desk.store), len(desk.stubs.kept)) == (3, 1)


async def test_while_the_old_life_is_erased_that_is_left_to_whoever_erases_it() -> None:
    desk = Desk()
    case = await desk.handled(CAME)
    desk.tombstones.bury("s", None, DELETED_AT)
    desk.tombstones.erasing.add(("s", None))
    with pytest.raises(InvalidResult):
        await desk.late.check_result(case)
    assert len(desk.store) == 3


async def test_a_letter_of_what_was_deleted_cannot_be_tried_again() -> None:
    retrying = Retrying(*[cast(Any, None)] * 4)
    letter = SimpleNamespace(reason=DELETED)
    with pytest.raises(NotRetryable, match="have its tool publish it again"):
        await retrying.retry(cast(Any, letter))


class Stream(UnusedLog):
    """A ledger's stream with one turn; counts what is asked."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []
        self.sequence = 0
        self.asked = 0

    async def once(self, subject: str, body: bytes) -> bool:
        raise AssertionError("once was not to be asked")

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        self.asked += 1
        if int(headers[EXPECTED_LAST]) != (self.kept[-1].sequence if self.kept else 0):
            raise WrongLastSequence(subject)
        self.sequence += 1
        self.kept.append(Kept(subject=subject, sequence=self.sequence, at=CAME, headers={}, body=body))
        return self.sequence

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        return [kept for kept in self.kept if kept.sequence > after]

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        return self.kept[0] if self.kept else None


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_ledger_that_was_purged_begins_anew_at_once(is_known: bool) -> None:
    stream, tombstones, at = Stream(), SaidTombstones(), TurnAddress("s", "t")
    ledger = Ledger(stream, stream, SUBJECTS, lambda: CAME, tombstones)
    await ledger.record(at, "end", "1", EndEntry(turn_size=2))
    stream.kept.clear()
    if is_known:
        tombstones.bury("s", None, DELETED_AT)
        assert ledger.peek(at).size is None
    before = stream.asked
    turn, is_again = await ledger.record(at, "end", "1" if is_known else "2", EndEntry(turn_size=3))
    assert (turn.size, is_again) == (3, False)
    assert stream.asked - before == 1 if is_known else stream.asked - before < 8


@pytest.mark.parametrize(
    ("created_at", "is_void"),
    [("2026-01-31T12:00:05.000Z", True), ("2026-01-31T12:00:05.001Z", False), ("long ago", True), ("9", True)],
)
async def test_what_is_stored_is_void_by_its_time_and_without_one_that_is_ours(created_at: str, is_void: bool) -> None:
    desk = Desk()
    case = await desk.handled(CAME)
    desk.tombstones.bury("s", None, DELETED_AT)
    there = await kept_metadata(desk.store, KEYS, "s", case.result.result_id)
    assert there is not None
    assert desk.late.is_void("s", msgspec.structs.replace(there, created_at=created_at), ANEW) == is_void
