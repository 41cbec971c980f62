"""The audit of results in pieces finds each thing that may go wrong in a doctored log, and passes what is right."""

import dataclasses
import functools

import msgspec
import pytest
from tests.support.chaos.evidence import Evidence, Letter
from tests.support.chaos.uploads import BEHAVIOURS, FAILURE, Behaviour, Expected, expected, plan_uploads
from tests.support.chaos.uploads_audit import Left, apart, find_upload_faults

from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.subjects import Subjects

SUBJECTS = Subjects("coat")
NOTHING_LEFT = Left(pieces=[], passing=[], multiparts=[], worker_bytes=100)


@functools.cache
def _expected() -> list[Expected]:
    return [expected(one) for one in plan_uploads(5, count=9, largest=300_000)]


@dataclasses.dataclass
class Log:
    """Evidence that may be doctored."""

    uploads: list[Expected]
    events: dict[str, StubEvent]
    letters: list[Letter]
    read: dict[str, str]

    def subject(self, behaviour: Behaviour) -> str:
        one = next(one for one in self.uploads if one.planned.behaviour == behaviour)
        return SUBJECTS.stubs(one.planned.at.session, one.planned.at.turn, one.name)

    def change(self, behaviour: Behaviour, **fields: object) -> None:
        subject = self.subject(behaviour)
        self.events[subject] = msgspec.structs.replace(self.events[subject], **fields)

    def evidence(self, *more: tuple[str, bytes]) -> Evidence:
        stored = [*((subject, msgspec.json.encode(event)) for subject, event in self.events.items()), *more]
        return Evidence(
            heard=list(stored),
            stored=stored,
            letters=self.letters,
            read=self.read,
            read_errors={},
            messages={"results": 0, "ledger": 7},
            held_ever=9,
        )

    def faults(self, *more: tuple[str, bytes], left: Left = NOTHING_LEFT) -> list[str]:
        return find_upload_faults(self.uploads, self.evidence(*more), left, SUBJECTS, 1000)


def _event(one: Expected) -> StubEvent:
    planned = one.planned
    session, turn, call = planned.ids
    event = StubEvent(
        session_id=session,
        turn_id=turn,
        call_id=call,
        tool_name="build",
        disposition="failed",
        content="",
        is_error=True,
        error="no piece has come",
        created_at="2026-01-31T23:59:59.123Z",
    )
    if planned.is_lost:
        return event
    failed = planned.behaviour == "fails"
    return msgspec.structs.replace(
        event,
        disposition="offloaded",
        ref=one.ref,
        sha256=one.sha256,
        original_bytes=one.size,
        is_error=False,
        incomplete=failed,
        error=FAILURE if failed else None,
    )


@pytest.fixture
def log() -> Log:
    uploads = _expected()
    return Log(
        uploads,
        {SUBJECTS.stubs(one.planned.at.session, one.planned.at.turn, one.name): _event(one) for one in uploads},
        [Letter(SUBJECTS.dlq(one.planned.at), {}, b"") for one in uploads if one.planned.is_lost],
        {one.ref: one.sha256 for one in uploads if not one.planned.is_lost},
    )


def test_honest_log_has_no_fault(log: Log) -> None:
    assert log.faults() == []
    assert {one.planned.behaviour for one in log.uploads} == set(BEHAVIOURS)


def test_missing_stub_is_found(log: Log) -> None:
    subject = log.subject("whole")
    del log.events[subject]
    assert any(fault.startswith(subject) and "stored 0 times" in fault for fault in log.faults())


def test_doubled_stub_is_found(log: Log) -> None:
    subject = log.subject("repeats")
    again = (subject, msgspec.json.encode(log.events[subject]))
    assert any(fault.startswith(subject) and "stored 2 times" in fault for fault in log.faults(again))


def test_stub_of_nothing_is_found(log: Log) -> None:
    faults = log.faults(("coat.stubs.pieces=20one.=.other", b"{}"))
    assert faults == ["coat.stubs.pieces=20one.=.other: nothing was published that explains it"]


def test_result_that_reads_back_otherwise_is_found(log: Log) -> None:
    ref = log.events[log.subject("shuffles")].ref
    log.read[str(ref)] = "0" * 64
    assert any("reads back to sha256 000" in fault for fault in log.faults())


def test_failed_producer_that_is_not_told_of_is_found(log: Log) -> None:
    log.change("fails", incomplete=False, error=None)
    assert any("incomplete is False" in fault for fault in log.faults())


def test_whole_result_that_is_marked_incomplete_is_found(log: Log) -> None:
    log.change("whole", incomplete=True)
    assert any("incomplete is True" in fault for fault in log.faults())


@pytest.mark.parametrize("behaviour", ["silent", "lies"])
def test_result_that_never_was_whole_and_passes_for_one_is_found(log: Log, behaviour: Behaviour) -> None:
    log.change(behaviour, disposition="offloaded")
    assert any("never were a whole" in fault for fault in log.faults())


def test_missing_and_strange_dead_letters_are_found(log: Log) -> None:
    gone = log.letters.pop().subject
    log.letters.append(Letter("coat.dlq.pieces=20one.=.other", {}, b""))
    assert {fault.partition(":")[0] for fault in log.faults()} == {gone, "coat.dlq.pieces=20one.=.other"}


@pytest.mark.parametrize("name", ["pieces", "passing", "multiparts"])
def test_what_is_left_is_found(log: Log, name: str) -> None:
    left = msgspec.structs.replace(NOTHING_LEFT, **{name: ["what"]})
    assert [fault.partition(":")[0] for fault in log.faults(left=left)] == ["what"]


def test_worker_that_grew_is_found(log: Log) -> None:
    assert len(log.faults(left=msgspec.structs.replace(NOTHING_LEFT, worker_bytes=1001))) == 1


def test_what_is_of_pieces_is_told_from_the_ordinary_load(log: Log) -> None:
    log.letters.append(Letter("coat.dlq.s1.=.c", {}, b""))
    ordinary, of_pieces = apart(log.evidence(("coat.stubs.s1.=.c-0", b"{}")))
    assert ordinary.stored == [("coat.stubs.s1.=.c-0", b"{}")]
    assert [letter.subject for letter in ordinary.letters] == ["coat.dlq.s1.=.c"]
    assert len(of_pieces.stored) == len(log.uploads)
    assert ordinary.messages == {"results": 0}
