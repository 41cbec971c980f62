"""Subjects: built and taken apart in one place, and nothing hostile gets through."""

import pytest

from coatcheck_schemas.errors import InvalidSubject
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import NOWHERE, VERBS, CallAddress, Subjects, TurnAddress

SUBJECTS = Subjects("coat")
AT = CallAddress("s1", "t=2E1", "=")


def test_subjects_are_those_of_the_contract() -> None:
    assert SUBJECTS.results(AT) == "coat.results.s1.t=2E1.="
    assert SUBJECTS.stubs("s1", "=", "call-00") == "coat.stubs.s1.=.call-00"
    assert SUBJECTS.session_stubs("s1") == "coat.stubs.s1.>"
    assert SUBJECTS.dlq(AT) == "coat.dlq.s1.t=2E1.="
    assert SUBJECTS.request("read", "s1") == "coat.read.s1"


def test_a_stream_bears_the_prefix_in_upper_case() -> None:
    assert SUBJECTS.stream("results") == "COAT_RESULTS"
    assert Subjects("my-agents").stream("dlq") == "MY-AGENTS_DLQ"


def test_an_unreadable_subject_leads_to_a_dead_letter_that_names_no_call() -> None:
    assert SUBJECTS.dlq(NOWHERE) == "coat.dlq.=.=.="


def test_a_result_subject_reads_back() -> None:
    assert SUBJECTS.parse_result(SUBJECTS.results(AT)) == AT


def test_the_ids_are_those_that_the_segments_say() -> None:
    long = encode_segment("x" * 300)
    assert CallAddress("a=2Eb", "=", long).ids == ("a.b", "", long)


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "coat.results",
        "coat.results.s1.t1",
        "coat.results.s1.t1.c1.extra",
        "coat.results.*.t1.c1",
        "coat.results.s1.t1.*",
        "coat.results.s1.t1.>",
        "coat.results.>",
        "coat.results..t1.c1",
        "coat.results.s1.t1.",
        "coat.results.=41.t1.c1",
        "coat.results.s1.t1.=FF",
        "coat.results.s1.t 1.c1",
        "coat.stubs.s1.t1.c1",
        "other.results.s1.t1.c1",
        "coat.coat.results.s1.t1.c1",
        "coatx.results.s1.t1.c1",
        f"coat.results.s1.t1.{'=2E' * 40}==0123456789abcdef",
    ],
)
def test_a_subject_that_names_no_call_is_refused(subject: str) -> None:
    with pytest.raises(InvalidSubject):
        SUBJECTS.parse_result(subject)


@pytest.mark.parametrize("verb", VERBS)
def test_the_session_is_the_segment_after_the_verb(verb: str) -> None:
    assert SUBJECTS.parse_session(SUBJECTS.request(verb, "a=2Eb")) == "a=2Eb"


def test_the_session_of_a_filesystem_request_stands_before_the_operation() -> None:
    assert SUBJECTS.parse_session("coat.fs.s1.ls") == "s1"


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "coat",
        "coat.read",
        "coat.read.",
        "coat.read.*",
        "coat.read.>",
        "coat.read.=41",
        "coat.read.s1.s2",
        "coat.fs.s1",
        "coat.fs.*.ls",
        "coat.fs.s1.ls.x",
        "coat.results.s1",
        "other.read.s1",
        "x.coat.read.s1",
        "read.s1",
    ],
)
def test_a_request_subject_without_a_canonical_session_is_refused(subject: str) -> None:
    with pytest.raises(InvalidSubject):
        SUBJECTS.parse_session(subject)


def test_a_long_subject_is_not_quoted_at_length() -> None:
    with pytest.raises(InvalidSubject) as caught:
        SUBJECTS.parse_result("coat.results." + "x" * 100_000)
    assert len(str(caught.value)) < 1000


def test_what_is_held_falls_due_under_the_same_names() -> None:
    at = TurnAddress("s1", "t=2E1")
    due = SUBJECTS.due_of(SUBJECTS.held(at, "turn", "c-1"))
    assert due == SUBJECTS.due(at, "turn", "c-1")
    assert SUBJECTS.parse_due(due) == (at, "turn", "c-1")


@pytest.mark.parametrize("names", ["s1.*.turn.=", "*.t1.turn.=", "s1.>.turn.=", "s1.=41.turn.=", "s1.t1.turn", "s1"])
def test_what_falls_due_under_no_turn_is_refused(names: str) -> None:
    with pytest.raises(InvalidSubject):
        SUBJECTS.parse_due(f"coat-internal.due.{names}")
