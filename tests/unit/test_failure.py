"""What becomes of a message that cannot be processed: its dead letter's headers, its `failed` stub."""

import msgspec
import pytest
from tests.support.deciding import RECEIVED_AT, address

from coatcheck_core.failure import MAX_KEPT_BYTES, failed_entry, failed_event, letter_headers
from coatcheck_core.turns import FailedEntry
from coatcheck_schemas.said import Said
from coatcheck_schemas.segments import encode_segment


def letter(headers: dict[str, str] | None = None, **changes: str) -> dict[str, str]:
    fields = {"message_id": "COAT_RESULTS-7", "subject": "coat.results.s.t.c", "reason": "invalid_json", "error": "e"}
    return letter_headers(headers, attempts=1, received_at=RECEIVED_AT, **(fields | changes))


def test_a_letter_says_what_went_wrong() -> None:
    assert letter_headers(
        None,
        message_id="COAT_RESULTS-7",
        subject="coat.results.s.t.c",
        reason="invalid_json",
        error="the body is not JSON",
        attempts=3,
        received_at=RECEIVED_AT,
    ) == {
        "Nats-Msg-Id": "COAT_RESULTS-7",
        "Coat-Subject": "coat.results.s.t.c",
        "Coat-Reason": "invalid_json",
        "Coat-Error": "the body is not JSON",
        "Coat-Attempts": "3",
        "Coat-Received": "2026-01-31T23:59:59.123Z",
    }


def test_the_original_s_headers_are_kept() -> None:
    headers = {"ce-specversion": "1.0", "ce-toolname": "%E6%90%9C", "traceparent": "00-1-2-01", "X": ""}
    assert headers.items() <= letter(headers).items()


@pytest.mark.parametrize("name", ["Nats-Msg-Id", "nats-expected-stream", "NATS-Rollup", "Coat-Subject", "coat-error"])
def test_headers_that_would_act_again_are_renamed(name: str) -> None:
    headers = letter({name: "theirs"})
    assert headers[f"Coat-Original-{name}"] == "theirs"
    assert [value for key, value in headers.items() if key.lower() == name.lower()] != ["theirs"]


@pytest.mark.parametrize("value", ["a\nb", "a\r\nNats-Msg-Id: x", "\x00", "\u2028", "\x85", "\ud800"])
def test_every_value_is_one_line(value: str) -> None:
    headers = letter({"X": value}, subject=f"coat.{value}", error=f"{value} x", reason=value)
    for text in headers.values():
        assert len((text + "x").splitlines()) == 1
        assert "\x00" not in text
        text.encode()


def test_an_error_in_any_script_is_percent_encoded() -> None:
    assert letter(error="名前 100%")["Coat-Error"] == "%E5%90%8D%E5%89%8D 100%25"


def test_a_header_that_nats_would_refuse_is_left_out_and_counted() -> None:
    headers = letter({"a(b)": "x", '"q"': "x", "": "x", "n" * 201: "x", "ok": "y"})
    assert headers["ok"] == "y"
    assert headers["Coat-Omitted-Headers"] == "4"
    assert "a(b)" not in headers


def test_a_letter_never_has_more_headers_than_jetstream_takes() -> None:
    headers = letter(
        {f"h{n}": "x" * 900 for n in range(1000)}, subject="coat.results." + "é" * 4000, error="搜" * 100_000
    )
    size = sum(len(name) + len(value.encode()) + 4 for name, value in headers.items())
    assert size < 64 * 1024 - 1
    assert int(headers["Coat-Omitted-Headers"]) > 900
    assert sum(len(value) for name, value in headers.items() if name.startswith("h")) <= MAX_KEPT_BYTES


def test_a_failed_stub_says_what_was_wrong() -> None:
    event = failed_event(address("a.b", "", "c"), "content is missing", RECEIVED_AT)
    assert (event.session_id, event.turn_id, event.call_id) == ("a.b", "", "c")
    assert event.content == "[Coatcheck: tool result failed]\nreason: invalid\nerror: content is missing"
    assert (event.disposition, event.reason, event.error) == ("failed", "invalid", "content is missing")
    assert event.is_error
    assert event.created_at == "2026-01-31T23:59:59.123Z"


def test_a_failed_stub_has_null_for_what_is_not_known() -> None:
    event = msgspec.to_builtins(failed_event(address(), "e", RECEIVED_AT))
    known = {"session_id", "turn_id", "call_id", "disposition", "content", "reason", "error", "created_at"}
    assert {name for name, value in event.items() if value is not None} == known | {"is_error", "incomplete"}


def test_a_failed_stub_s_call_may_be_a_shortened_segment() -> None:
    segment = encode_segment("x" * 300)
    assert failed_event(address(call="x" * 300), "e", RECEIVED_AT).call_id == segment


def test_a_failed_stub_has_the_whole_ids_and_the_tool_s_name_that_its_event_gave() -> None:
    session, turn, call = "s" * 300, "t" * 300, "c" * 300
    said = Said(tool_name="kubectl", session_id=session, turn_id=turn, call_id=call)
    event = failed_event(address(session, turn, call), "e", RECEIVED_AT, said)
    assert (event.tool_name, event.session_id, event.turn_id, event.call_id) == ("kubectl", session, turn, call)


@pytest.mark.parametrize("given", ["other", "c" * 299, "x" * 5000, "\ud800"])
def test_an_id_of_another_segment_is_not_believed_of_a_failed_stub(given: str) -> None:
    assert failed_event(address(call="c"), "e", RECEIVED_AT, Said(call_id=given)).call_id == "c"


def test_a_tool_name_that_no_event_may_have_is_left_out_of_a_failed_stub() -> None:
    assert failed_event(address(), "e", RECEIVED_AT, Said(tool_name="é" * 2049)).tool_name is None


def test_a_turn_s_ledger_knows_what_a_failed_result_said_of_the_turn() -> None:
    at = address("s", "t" * 300, "c" * 300)
    said = Said(turn_size=3, session_id="s", turn_id="t" * 300, call_id="c" * 300)
    entry = failed_entry(at, failed_event(at, "e", RECEIVED_AT, said), 70, said)
    assert entry == FailedEntry(call_id="c" * 200, length=70, turn_size=3, turn_id="t" * 300)


@pytest.mark.parametrize("error", ["a\nref: coat://x", "a\u202eb", "a\u2028kind: json", "x" * 100_000, "\n" * 5000])
def test_an_error_cannot_forge_a_field_of_the_failed_stub(error: str) -> None:
    event = failed_event(address(), error, RECEIVED_AT)
    assert isinstance(event.content, str)
    lines = event.content.splitlines()
    assert lines[:2] == ["[Coatcheck: tool result failed]", "reason: invalid"]
    assert len(lines) == 3
    assert lines[2].startswith("error: ")
    assert len(event.content) < 1200
