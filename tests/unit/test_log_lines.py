"""Lines of the log: one for each message whatever is in it, with what it is about."""

import io
import logging
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import Case
from coatcheck_core.settings.operating import LogsSettings
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.process.about import about, about_session
from coatcheck_workers.telemetry.context import ABOUT, About
from coatcheck_workers.telemetry.logs import MAX_MESSAGE_CHARS, log_to

HOSTILE = 'a\nERROR coatcheck forged\r\x1b[2J\u2028"}{'
log = logging.getLogger("coatcheck.test")


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def written(message: str, *, about: About | None = None, settings: LogsSettings, **more: Any) -> str:
    """What one message makes in the log."""
    stream = io.StringIO()
    log_to(stream, settings, **more)
    token = ABOUT.set(about)
    try:
        log.warning("%s", message)
    finally:
        ABOUT.reset(token)
    return stream.getvalue()


def as_json(message: str = "m", **more: Any) -> dict[str, Any]:
    text = written(message, settings=LogsSettings(format="json"), **more)
    assert text.count("\n") == 1
    line: dict[str, Any] = msgspec.json.decode(text)
    return line


def test_a_line_is_one_object_with_time_level_and_logger() -> None:
    line = as_json("hello")
    assert line.pop("time").endswith("Z")
    assert line == {"level": "warning", "logger": "coatcheck.test", "message": "hello"}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("message", [HOSTILE, "\ud800", "\x00\x85", "\x9b31m"])
def test_no_message_makes_a_second_line_or_moves_a_cursor(form: Any, message: str) -> None:
    text = written(message, settings=LogsSettings(format=form))
    assert len(text.splitlines()) == 1
    assert not [char for char in text[:-1] if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0]


def test_a_message_without_end_is_cut() -> None:
    assert len(as_json("x" * 1_000_000)["message"]) < MAX_MESSAGE_CHARS + 20


def test_a_result_in_hand_is_named_by_its_subject() -> None:
    subject = Subjects("coat").results(CallAddress("s=2F1", "t", "c"))
    line = as_json(about=subject)
    assert (line["session"], line["turn"], line["call"]) == ("s/1", "t", "c")


@pytest.mark.parametrize("subject", ["coat.read.s1", "coat.fs.s1.grep", "coat-internal.due.s1.t1.timer.x"])
def test_what_else_is_in_hand_is_named_as_far_as_its_subject_says(subject: str) -> None:
    line = as_json(about=subject)
    assert line["session"] == "s1"
    assert line.get("turn") == ("t1" if "due" in subject else None)


@pytest.mark.parametrize("subject", ["", "coat", "coat.results", "coat.results.=41.*.>", "coat.results.=FF.=.="])
def test_a_subject_that_is_none_of_ours_breaks_no_line(subject: str) -> None:
    assert as_json(about=subject)["message"] == "m"


def test_a_result_that_is_known_is_named_whole_whatever_its_ids_hold() -> None:
    result = arrived("x", at=address(HOSTILE, "turn", HOSTILE))
    line = as_json(about=Case(result, rules()))
    assert line["result_id"] == result.result_id
    assert line["session"].startswith("a\\nERROR")
    assert line["turn"] == "turn"


def test_a_line_that_says_itself_what_it_is_about_is_taken_at_its_word() -> None:
    stream = io.StringIO()
    log_to(stream, LogsSettings(format="json"))
    token = ABOUT.set("coat.results.s.t.another")
    log.warning("m", extra=about("coat.turns.s.t.end"))
    ABOUT.reset(token)
    line = msgspec.json.decode(stream.getvalue())
    assert (line["session"], line["turn"], line.get("call")) == ("s", "t", None)


def test_a_line_about_a_session_names_it_alone() -> None:
    stream = io.StringIO()
    log_to(stream, LogsSettings(format="json"))
    log.warning("m", extra=about_session("s=2F1"))
    line = msgspec.json.decode(stream.getvalue())
    assert (line["session"], line.get("turn")) == ("s/1", None)


def test_the_trace_is_named_where_there_is_one() -> None:
    assert (
        as_json(trace_id=lambda: "0af7651916cd43dd8448eb211c80319c")["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    )
    assert "trace_id" not in as_json()


def raised(message: str, form: Any) -> str:
    """What a failure with that text makes in the log."""
    stream = io.StringIO()
    log_to(stream, LogsSettings(format=form))
    try:
        raise ValueError(message)
    except ValueError:
        log.exception("it failed", stack_info=True)
    return stream.getvalue()


def test_a_traceback_stays_in_its_line() -> None:
    text = raised(HOSTILE, "json")
    error = msgspec.json.decode(text)["error"]
    assert error.startswith("Traceback (most recent call last):\n  File ")
    assert error.endswith('ValueError: a\nERROR coatcheck forged\\r\\x1b[2J\\u2028"}{')
    assert text.count("\n") == 1


def test_no_text_in_a_traceback_begins_as_a_line_of_the_log_or_moves_a_cursor() -> None:
    first, *more = raised(HOSTILE, "text").splitlines()
    assert first.endswith("it failed")
    assert [line for line in more if not line.startswith("    ")] == []
    assert '    ERROR coatcheck forged\\r\\x1b[2J\\u2028"}{' in more
    assert not [char for line in more for char in line if ord(char) < 0x20]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_failure_whose_text_has_no_end_is_cut_in_its_middle(form: Any) -> None:
    text = raised("<" + "x" * 5_000_000 + ">", form)
    assert len(text) < MAX_MESSAGE_CHARS + 10_000
    assert "ValueError: <xxx" in text
    assert "xxx>" in text


def test_what_is_less_severe_than_the_level_is_not_written() -> None:
    assert written("m", settings=LogsSettings(level="error")) == ""
