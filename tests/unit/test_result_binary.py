"""The binary encoding: a CloudEvents 1.0 message whose body is the output itself."""

from typing import Any

import pytest

from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.results import Received, decode_result, encode_binary

HEADERS = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-toolname": "t"}


def decode(body: bytes = b"", **attributes: str) -> Received:
    return decode_result(HEADERS | {f"ce-{name}": value for name, value in attributes.items()}, body)


def refused(headers: dict[str, str], body: bytes = b"") -> InvalidResult:
    with pytest.raises(InvalidResult) as caught:
        decode_result(headers, body)
    return caught.value


def test_the_body_is_the_output_untouched() -> None:
    body = b'\xef\xbb\xbf{"tool_name":\x00 "\r\n'
    received = decode(body)
    assert (received.data, received.text, received.blocks) == (body, body.decode(), None)


def test_bytes_that_are_not_utf_8_have_no_text() -> None:
    assert decode(b"\xff\x00").text is None
    assert decode(b"\xed\xa0\x80").text is None


def test_an_empty_body_is_an_empty_result() -> None:
    assert (decode(b"").data, decode(b"").text) == (b"", "")


def test_every_attribute_is_taken() -> None:
    received = decode(
        turnsize="3",
        sessionid="s",
        turnid="",
        callid="c%2F1",
        messageid="m",
        agentid="a",
        iserror="true",
        sourceref="coat://s/x",
        retrieval="false",
        time="2026-01-31T23:59:59.123Z",
    )
    assert (received.turn_size, received.session_id, received.turn_id, received.call_id) == (3, "s", "", "c/1")
    assert (received.message_id, received.agent_id, received.is_error) == ("m", "a", True)
    assert (received.source_ref, received.retrieval) == ("coat://s/x", False)
    assert received.produced_at == "2026-01-31T23:59:59.123Z"


def test_the_content_type_is_the_mime_type() -> None:
    assert decode_result(HEADERS | {"Content-Type": "text/csv"}, b"").mime_type == "text/csv"
    assert decode_result(HEADERS | {"content-type": ""}, b"").mime_type is None


def test_names_of_headers_have_no_case() -> None:
    headers = {"CE-SpecVersion": "1.0", "Ce-Type": HEADERS["ce-type"], "CE-TOOLNAME": "t", "ce-TurnSize": "2"}
    assert decode_result(headers, b"x").turn_size == 2


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        ("%E6%90%9C%E7%B4%A2", "搜索"),
        ("Zo%C3%AB", "Zoë"),
        ("a%20b%22%25", 'a b"%'),
        ("a%0Aref:%20x", "a\nref: x"),
        ("100%", "100%"),
        ("%zz", "%zz"),
        ("搜", "搜"),
    ],
)
def test_values_are_percent_decoded(encoded: str, name: str) -> None:
    assert decode(toolname=encoded).tool_name == name


@pytest.mark.parametrize("value", ["%FF", "%ED%A0%80", "%C3"])
def test_what_does_not_decode_to_utf_8_is_refused(value: str) -> None:
    error = refused(HEADERS | {"ce-callid": value})
    assert error.reason == "invalid_header"
    assert "ce-callid" in str(error)


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({"ce-specversion": "0.3"}, "ce-specversion"),
        ({"ce-specversion": ""}, "ce-specversion"),
        ({"ce-type": "dev.coatcheck.tool_result.v2"}, "ce-type"),
        ({"ce-type": "x" * 10_000}, "ce-type"),
        ({"ce-iserror": "yes"}, "ce-iserror"),
        ({"ce-retrieval": "False"}, "ce-retrieval"),
    ],
)
def test_a_wrong_header_is_named(headers: dict[str, str], named: str) -> None:
    error = refused(HEADERS | headers)
    assert error.reason == "invalid_header"
    assert named in str(error)
    assert len(str(error)) < 300


@pytest.mark.parametrize("missing", ["ce-type", "ce-toolname"])
def test_a_missing_header_is_named(missing: str) -> None:
    error = refused({name: value for name, value in HEADERS.items() if name != missing})
    assert missing in str(error)


@pytest.mark.parametrize("size", ["0", "1001", "-5", "9" * 5000, "many", "1.5", "٣", "", "true", "3\n"])
def test_what_is_no_turn_size_counts_as_absent_with_a_warning(size: str) -> None:
    received = decode_result(HEADERS | {"ce-turnsize": size}, b"x")
    assert (received.turn_size, received.text) == (None, "x")
    assert len(received.warnings) == 1


def test_without_the_version_a_message_is_json() -> None:
    headers = {name: value for name, value in HEADERS.items() if name != "ce-specversion"}
    assert refused(headers, b"plain output").reason == "invalid_json"


@pytest.mark.parametrize(
    "attributes", [{}, {"callid": "c 1", "agentid": "Zoë\n"}, {"turnsize": "7", "iserror": "true", "sessionid": "%41"}]
)
def test_what_is_encoded_decodes(attributes: dict[str, Any]) -> None:
    headers, body = encode_binary(
        b"\x00", tool_name="搜 索", event_id="e 1", source="urn:x", content_type="text/plain", **attributes
    )
    assert all(value.isascii() and value.isprintable() and " " not in value for value in headers.values())
    received = decode_result(headers, body)
    assert (received.tool_name, received.data, received.mime_type) == ("搜 索", b"\x00", "text/plain")
    assert received.call_id == attributes.get("callid")
    assert received.session_id == attributes.get("sessionid")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('"ab"', "ab"),
        ('"a%20b"', "a b"),
        (r'"say \"hi\" \\"', 'say "hi" \\'),
        ('""', ""),
        ('"', '"'),
        ('"a"b"', '"a"b"'),
        ('"open', '"open'),
        (r'"open\"', r'"open\"'),
        ("%22ab%22", '"ab"'),
    ],
)
def test_a_value_between_quotes_loses_them_before_it_is_decoded(value: str, said: str) -> None:
    assert decode(toolname=value).tool_name == said


def test_any_value_may_stand_between_quotes() -> None:
    headers = {name: f'"{value}"' for name, value in HEADERS.items()}
    received = decode_result(headers | {"ce-turnsize": '"3"', "ce-iserror": '"true"', "ce-callid": '"c%2F1"'}, b"")
    assert (received.tool_name, received.turn_size, received.is_error, received.call_id) == ("t", 3, True, "c/1")
