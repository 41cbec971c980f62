"""A result as a message: whatever is published, a worker decodes the same."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck.client.connection import header_bytes
from coatcheck.client.encoding import MESSAGE_ID_HEADER, Segment, encode_result, session_segment
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress

ids = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def test_a_text_travels_as_it_is() -> None:
    message = encode_result("s1", "héllo", "cat", {})
    assert message.body == "héllo".encode()
    assert message.headers["ce-specversion"] == "1.0"


@pytest.mark.parametrize("name", ["call_id", "turn_id", "is_eror", "tool", "session"])
def test_a_keyword_that_no_result_has_is_refused_with_those_it_may_have(name: str) -> None:
    fields: Any = {name: "x"}
    with pytest.raises(TypeError, match=rf"'{name}'.* {name.removesuffix('_id') if '_id' in name else 'is_error'}"):
        encode_result("s1", "text", "cat", fields)


@settings(max_examples=100, deadline=None)
@given(content=st.one_of(st.text(), st.binary()), tool=st.text(max_size=50), session=ids, turn=ids, call=ids)
def test_what_is_published_is_what_a_worker_decodes(
    content: str | bytes, tool: str, session: str, turn: str, call: str
) -> None:
    message = encode_result(session, content, tool, {"turn": turn, "call": call})
    received = decode_result(message.headers, message.body)
    assert (received.session_id, received.turn_id, received.call_id) == (session, turn, call)
    assert message.at == CallAddress(*map(encode_segment, (session, turn, call)))
    assert received.tool_name == tool.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(content, bytes):
        assert received.data == content
    assert message.result_id == result_id(encode_segment(call), sha256_hex(received.data))


def test_every_field_arrives() -> None:
    fields: Any = {
        "turn": "t.1",
        "call": "c/1",
        "turn_size": 3,
        "mime_type": "text/plain; charset=utf-8",
        "is_error": True,
        "message_id": "m 1",
        "agent_id": "a\n1",
        "produced_at": datetime(2026, 1, 31, 23, 59, 59, 123000, UTC),
        "source_ref": "coat://s1/x",
        "retrieval": False,
    }
    extras: list[dict[str, Any]] = [{}, {"arguments": {"a": 1}}]
    for extra in extras:
        every: Any = fields | extra
        message = encode_result("s 1", "content", "cat", every)
        received = decode_result(message.headers, message.body)
        assert bool(extra) == ("ce-specversion" not in message.headers)
        for name, value in fields.items():
            wanted = "2026-01-31T23:59:59.123Z" if name == "produced_at" else value
            assert getattr(received, {"turn": "turn_id", "call": "call_id"}.get(name, name)) == wanted
        assert received.session_id == "s 1"


def test_a_result_without_a_turn_names_none() -> None:
    message = encode_result("s1", "x", "cat", {"turn": None})
    assert message.at.turn == "="
    assert decode_result(message.headers, message.body).turn_id is None


def test_calls_and_message_ids_are_made_up_anew() -> None:
    one, other = (encode_result("s1", "x", "cat", {}) for _ in range(2))
    assert one.call_id != other.call_id
    assert one.headers[MESSAGE_ID_HEADER] != other.headers[MESSAGE_ID_HEADER]


def test_an_empty_call_id_is_kept() -> None:
    assert encode_result("s1", "x", "cat", {"call": ""}).at.call == "="


def test_content_blocks_are_one_original() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert encode_result("s1", blocks, "cat", {"call": "c"}).result_id == result_id("c", sha256_hex(b"a\nb"))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", ["arguments", "structured_content"])
def test_a_number_that_json_has_not_is_refused(name: Any, number: float) -> None:
    fields: Any = {name: {"deep": [number]}}
    with pytest.raises(InvalidInput, match="cannot be sent as JSON"):
        encode_result("s1", "x", "cat", fields)


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


@pytest.mark.parametrize("value", [_circle(), _deep(), object(), {1, 2}, b"bytes"], ids=lambda v: type(v).__name__)
def test_arguments_that_are_no_json_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be sent as JSON"):
        encode_result("s1", "x", "cat", {"arguments": value})


@pytest.mark.parametrize(
    "blocks",
    [[{"type": "hologram"}], [{"type": "text"}], [{"type": "image", "data": "not base64!"}], ["text"], [{}]],
    ids=str,
)
def test_a_block_that_a_worker_would_refuse_is_refused_here(blocks: Any) -> None:
    with pytest.raises(InvalidInput, match=r"content"):
        encode_result("s1", blocks, "cat", {})


@pytest.mark.parametrize("content", [5, None, 1.5, object()], ids=lambda value: type(value).__name__)
def test_what_is_no_content_is_refused(content: Any) -> None:
    with pytest.raises(InvalidInput, match="content is a text"):
        encode_result("s1", content, "cat", {})


@pytest.mark.parametrize("content", ["x", b"\xff", [{"type": "text", "text": "x"}]], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("size", [True, 2.0, "2"])
def test_a_turn_size_that_a_worker_would_ignore_is_refused(content: Any, size: Any) -> None:
    with pytest.raises(InvalidInput, match="turn_size is a whole number"):
        encode_result("s1", content, "cat", {"turn_size": size})


def test_bytes_that_are_no_text_cannot_go_with_arguments() -> None:
    with pytest.raises(InvalidInput, match="arguments"):
        encode_result("s1", b"\xff", "cat", {"arguments": {}})


def test_a_mime_type_cannot_add_a_header() -> None:
    message = encode_result("s1", "x", "cat", {"mime_type": "text/plain\r\nNats-Msg-Id: other\x00é"})
    assert message.headers["content-type"].isprintable()
    assert message.headers["content-type"].isascii()


def test_an_id_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidInput, match="4096"):
        encode_result("s" * 5000, "x", "cat", {})


def test_a_segment_stands_as_it_is_and_is_checked() -> None:
    shortened = encode_segment("x" * 500)
    assert session_segment(Segment(shortened)) == shortened
    assert session_segment(shortened) != shortened
    with pytest.raises(InvalidInput):
        session_segment(Segment("*"))


def test_header_bytes_are_what_is_sent() -> None:
    headers = {"a": "1", "content-type": "é"}
    assert header_bytes(headers) == len("NATS/1.0\r\na: 1\r\ncontent-type: é\r\n\r\n".encode())
    assert header_bytes(None) == 0
