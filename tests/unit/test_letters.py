"""What a dead letter says, and which of its headers go out again."""

from datetime import UTC, datetime

import pytest

from coatcheck_core.failure import letter_headers
from coatcheck_schemas.subjects import NOWHERE, CallAddress, Subjects
from coatcheck_workers.streams.letters import Letter, letter_of, read_headers, restored_headers

SUBJECTS = Subjects("coat")
AT = CallAddress("s=2E1", "t1", "c1")
WHEN = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)
RECEIVED = datetime(2026, 1, 31, 23, 0, 0, 123000, tzinfo=UTC)


def letter(original: dict[str, str], *, subject: str = "coat.results.s=2E1.t1.c1", error: str = "no JSON") -> Letter:
    headers = letter_headers(
        original,
        message_id="COAT_RESULTS-7",
        subject=subject,
        reason="invalid_json",
        error=error,
        attempts=3,
        received_at=RECEIVED,
    )
    return letter_of(SUBJECTS, 9, WHEN, SUBJECTS.dlq(AT), headers, b"{")


def test_a_letter_says_what_its_writer_wrote() -> None:
    one = letter({}, error="100 % böse\nline")
    assert (one.at, one.subject, one.reason) == (AT, "coat.results.s=2E1.t1.c1", "invalid_json")
    assert (one.time, one.received_at) == (WHEN, RECEIVED)
    assert (one.error, one.attempts, one.body, one.body_bytes) == ("100 % böse\nline", 3, b"{", 1)


def test_the_original_s_headers_come_back_and_none_that_acts() -> None:
    original = {
        "ce-specversion": "1.0",
        "ce-toolname": "%E6%90%9C",
        "Nats-Msg-Id": "7",
        "nats-expected-stream": "COAT_RESULTS",
        "Coat-Seq": "4",
        "COAT-Subject": "coat.results.a.b.c",
        "X-Trace": "a  b",
    }
    assert restored_headers(letter(original)) == {
        "ce-specversion": "1.0",
        "ce-toolname": "%E6%90%9C",
        "Coat-Seq": "4",
        "COAT-Subject": "coat.results.a.b.c",
        "X-Trace": "a  b",
    }


@pytest.mark.parametrize(
    "name", ["Coat-Original-Nats-Schedule", "coat-original-NATS-Rollup", "Coat-Original-", "Nats-Incr", "Coat-Body"]
)
def test_however_a_header_is_written_it_does_not_act_again(name: str) -> None:
    one = letter_of(SUBJECTS, 1, WHEN, "coat.dlq.s.t.c", {name: "x"}, b"")
    assert restored_headers(one) == {}


@pytest.mark.parametrize("subject", ["coat.dlq.s.t", "coat.dlq.s.t.c.d", "coat.dlq.s.t.=41", "other.dlq.s.t.c"])
def test_a_letter_whose_own_subject_names_no_call_is_nowhere(subject: str) -> None:
    assert letter_of(SUBJECTS, 1, WHEN, subject, {}, b"").at == NOWHERE


def test_a_letter_that_says_nothing_is_a_letter() -> None:
    one = letter_of(SUBJECTS, 1, WHEN, "coat.dlq.=.=.=", {"Coat-Attempts": "9" * 5000}, b"x")
    assert (one.subject, one.reason, one.error, one.attempts) == ("", "", "", 0)


@pytest.mark.parametrize("said", ["", "yesterday", "2026-01-31", "2026-01-31T23:00:00"])
def test_a_letter_that_does_not_say_when_its_message_came_says_when_it_came_itself(said: str) -> None:
    assert letter_of(SUBJECTS, 1, WHEN, "coat.dlq.s.t.c", {"Coat-Received": said}, b"").received_at == WHEN


def test_headers_are_read_whatever_bytes_they_hold() -> None:
    raw = b"NATS/1.0\r\nA: b: c\r\nno colon\r\n: no name\r\nUmlaut:  \xc3\xbc \r\nOdd: \xff\r\n\r\n"
    assert read_headers(raw) == {"A": "b: c", "Umlaut": "ü", "Odd": "\\xff"}
    assert read_headers(b"") == {}


def test_of_a_letter_that_was_read_without_its_body_the_length_is_known() -> None:
    one = letter_of(SUBJECTS, 1, WHEN, "coat.dlq.s.t.c", {"Nats-Msg-Size": "70000", "X": "y"}, None)
    assert (one.body, one.body_bytes, one.headers) == (b"", 70000, {"X": "y"})
    kept = letter_of(SUBJECTS, 1, WHEN, "coat.dlq.s.t.c", {"Nats-Msg-Size": "0", "Coat-Body": "s3://b/k"}, None)
    assert (kept.body_bytes, kept.body_uri) == (None, "s3://b/k")
