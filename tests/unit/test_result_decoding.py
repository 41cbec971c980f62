"""A JSON result event, decoded: what is forgiven, what is refused and with which word."""

import base64
import json
from typing import Any

import pytest

from coatcheck_schemas.blocks import MAX_MEDIA_BLOCKS
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.events import TurnEnd
from coatcheck_schemas.results import Received, decode_result, decode_turn_end


def decode(**fields: Any) -> Received:
    return decode_result(None, json.dumps({"tool_name": "t", "content": "c"} | fields).encode())


def refused(body: bytes) -> InvalidResult:
    with pytest.raises(InvalidResult) as caught:
        decode_result(None, body)
    return caught.value


def test_a_minimal_result_is_its_text() -> None:
    received = decode(content="a\nb")
    assert (received.tool_name, received.data, received.text, received.blocks) == ("t", b"a\nb", "a\nb", None)
    assert received.retrieval
    assert not received.is_error
    assert received.warnings == []


def test_every_field_is_taken() -> None:
    received = decode(
        turn_size=3,
        mime_type="text/csv",
        is_error=True,
        message_id="m",
        agent_id="a",
        produced_at="2026-01-31T23:59:59.123Z",
        session_id="s",
        turn_id="",
        call_id="c",
        source_ref="coat://s/x",
        retrieval=False,
        arguments={"q": 1},
        structured_content={"rows": [1]},
    )
    assert (received.turn_size, received.mime_type, received.is_error) == (3, "text/csv", True)
    assert (received.message_id, received.agent_id) == ("m", "a")
    assert received.produced_at == "2026-01-31T23:59:59.123Z"
    assert (received.session_id, received.turn_id, received.call_id) == ("s", "", "c")
    assert (received.source_ref, received.retrieval) == ("coat://s/x", False)
    assert received.structured_content == b'{"rows": [1]}'


OPTIONAL = [
    "turn_size",
    "mime_type",
    "is_error",
    "message_id",
    "agent_id",
    "produced_at",
    "arguments",
    "structured_content",
    "session_id",
    "turn_id",
    "call_id",
    "source_ref",
    "retrieval",
    "upload",
]


@pytest.mark.parametrize("field", OPTIONAL)
def test_null_is_the_same_as_absent(field: str) -> None:
    assert decode(**{field: None}) == decode()


def test_unknown_fields_are_ignored() -> None:
    assert decode(tomorrow={"deep": [1]}) == decode()


@pytest.mark.parametrize("body", [b"", b" \n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_an_empty_body_is_told_so(body: bytes) -> None:
    assert refused(body).reason == "empty_body"


@pytest.mark.parametrize(
    "body",
    [
        b"not-json",
        b"{",
        b"{'tool_name': 't', 'content': 'c'}",
        b'{"tool_name":"t","content":"c"} trailing',
        b'{"tool_name":"t","content":"c","turn_size":NaN}',
        b'{"tool_name":"t","content":"c","arguments":Infinity}',
        b'{"tool_name":"t","content":"a\nb"}',
        '{"tool_name":"t","content":"c"}'.encode("utf-16"),
        b'{"tool_name":"t","content":"\xff"}',
        b'{"tool_name":"t","content":"c","structured_content":{"a":"\xff"}}',
        b'{"tool_name":"t","content":"c","arguments":"\xc3\x28"}',
        b'{"tool_name":"t","content":[{"type":"image","data":"","note":"\xff"}]}',
        b'{"tool_name":"t","content":"c","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"tool_name":"t","content":"c","x":' + b'{"a":' * 200_000,
    ],
)
def test_what_is_not_json_is_told_so(body: bytes) -> None:
    assert refused(body).reason == "invalid_json"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"[]", "object"),
        (b"null", "object"),
        (b"7", "object"),
        (b"{}", "tool_name"),
        (b'{"tool_name":"t"}', "content"),
        (b'{"tool_name":"t","content":null}', "content"),
        (b'{"tool_name":null,"content":"c"}', "tool_name"),
        (b'{"tool_name":7,"content":"c"}', "tool_name"),
        (b'{"tool_name":"t","content":7}', "content"),
        (b'{"tool_name":"t","content":{}}', "content"),
        (b'{"tool_name":"t","content":"c","is_error":"yes"}', "is_error"),
        (b'{"tool_name":"t","content":"c","call_id":7}', "call_id"),
    ],
)
def test_a_wrong_field_is_named(body: bytes, named: str) -> None:
    error = refused(body)
    assert error.reason == "invalid_field"
    assert named in str(error)


def test_a_byte_order_mark_is_looked_through() -> None:
    assert decode_result(None, b'\xef\xbb\xbf{"tool_name":"t","content":"c"}').text == "c"


def test_integers_of_any_length_pass_where_nobody_reads_them() -> None:
    assert decode_result(None, b'{"tool_name":"t","content":"c","arguments":' + b"9" * 5000 + b"}").text == "c"


@pytest.mark.parametrize("size", [1, 2.0, 1000])
def test_a_turn_size_within_bounds_is_taken(size: int) -> None:
    assert decode(turn_size=size).turn_size == size


NO_TURN_SIZE = ["0", "-1", "1001", "9" * 5000, "true", "2.5", "2e0", '"2"', '""', '"\ud800"', "[2]", '{"a": "\\u001b"}']


@pytest.mark.parametrize("size", NO_TURN_SIZE)
def test_what_is_no_turn_size_counts_as_absent_with_a_warning(size: str) -> None:
    body = f'{{"tool_name":"t","turn_size":{size},"content":"c"}}'.encode(errors="surrogatepass")
    received = decode_result(None, body)
    assert (received.turn_size, received.text) == (None, "c")
    assert len(received.warnings) == 1
    assert "1..1000" in received.warnings[0]
    assert received.warnings[0].isprintable()
    assert len(received.warnings[0]) < 120


@pytest.mark.parametrize("size", NO_TURN_SIZE)
def test_the_end_of_a_turn_counts_though_its_size_is_none(size: str) -> None:
    end, warnings = decode_turn_end(f'{{"turn_size":{size},"turn_id":"t"}}'.encode(errors="surrogatepass"))
    assert (end, len(warnings)) == (TurnEnd(turn_id="t"), 1)


@pytest.mark.parametrize(
    ("body", "size"), [(b"", None), (b'{"turn_size":null}', None), (b'{"turn_size":7}', 7), (b'{"turn_size":7.0}', 7)]
)
def test_the_end_of_a_turn_may_bear_its_size(body: bytes, size: int | None) -> None:
    assert decode_turn_end(body) == (TurnEnd(turn_size=size), [])


def raw(content: bytes) -> Received:
    return decode_result(None, b'{"tool_name":"t","content":"' + content + b'"}')


@pytest.mark.parametrize(
    ("content", "text", "replaced"),
    [
        (rb"a\ud800b", "a�b", 1),
        (rb"a\uDFFFb", "a�b", 1),
        (rb"\ud83e\udde5", "🧥", 0),
        (rb"\uD83E\uDDE5", "🧥", 0),
        (rb"\ud800\ud83e\udde5", "�🧥", 1),
        (rb"\udde5\ud83e", "��", 2),
        (rb"\\ud800", r"\ud800", 0),
        (rb"\\\ud800", "\\�", 1),
        (rb"\ud800\\ud800\ud800", r"�\ud800�", 2),
        (b"a\xed\xa0\x80b", "a�b", 1),
        (b"\xed\xbf\xbf", "�", 1),
        (b"\xed\x9f\xbf", "\ud7ff", 0),
    ],
)
def test_a_lone_surrogate_is_replaced_and_counted(content: bytes, text: str, replaced: int) -> None:
    received = raw(content)
    assert (received.text, received.replaced_surrogates) == (text, replaced)
    assert received.data == text.encode()


@pytest.mark.parametrize("surrogate", [rb"\ud800", b"\xed\xa0\x80"])
def test_lone_surrogates_are_replaced_in_blocks_and_structured_content_too(surrogate: bytes) -> None:
    block = b'{"type":"text","text":"a' + surrogate + b'"}'
    body = b'{"tool_name":"t","content":[' + block + b'],"structured_content":"' + surrogate + b'"}'
    received = decode_result(None, body)
    assert received.text == "a�"
    assert received.structured_content == '"�"'.encode()
    assert received.replaced_surrogates == 2


PNG = base64.b64encode(b"\x89PNG\x00").decode()


def test_text_blocks_are_joined_by_a_newline() -> None:
    received = decode(
        content=[{"type": "text", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"}]
    )
    assert received.text == "a\n\nb"
    assert [block.text for block in received.blocks or []] == ["a", "", "b"]


def test_an_empty_list_is_an_empty_text() -> None:
    received = decode(content=[])
    assert (received.text, received.blocks) == ("", [])


def test_media_are_decoded_and_not_counted_as_text() -> None:
    received = decode(
        content=[
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "text", "text": "seen"},
            {"type": "audio", "data": "", "mimeType": None},
        ]
    )
    assert received.text == "seen"
    image, _, audio = received.blocks or []
    assert (image.data, image.mime_type) == (b"\x89PNG\x00", "image/png")
    assert (audio.data, audio.mime_type) == (b"", None)


def test_a_block_is_kept_as_it_came() -> None:
    body = b'{"tool_name":"t","content":[{ "type" : "text", "text":"a", "annotations":{"priority":1.0} }]}'
    (block,) = decode_result(None, body).blocks or []
    assert bytes(block.raw) == b'{ "type" : "text", "text":"a", "annotations":{"priority":1.0} }'


def test_a_resource_is_its_text_or_its_blob() -> None:
    received = decode(
        content=[
            {"type": "resource", "resource": {"uri": "f:///a", "text": "é", "mimeType": "text/plain"}},
            {"type": "resource", "resource": {"uri": "f:///b", "blob": PNG}},
        ]
    )
    assert received.text == ""
    text, blob = received.blocks or []
    assert (text.data, text.mime_type) == ("é".encode(), "text/plain")
    assert blob.data == b"\x89PNG\x00"


def test_a_link_to_a_resource_is_kept_as_its_own_json() -> None:
    link = {"type": "resource_link", "uri": "https://example.org/a", "name": "a", "mimeType": "text/html"}
    (block,) = decode(content=[link]).blocks or []
    assert json.loads(block.data or b"") == link
    assert block.mime_type == "application/json"


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "video"}, "unknown content block type 'video' at $.content[1]"),
        ({"type": "x" * 10_000}, "$.content[1]"),
        ({}, "$.content[1]"),
        ({"type": ["text"]}, "$.content[1]"),
        ("text", "$.content[1]"),
        (None, "$.content[1]"),
        ({"type": "text"}, "$.content[1].text"),
        ({"type": "text", "text": 7}, "$.content[1].text"),
        ({"type": "image"}, "$.content[1].data"),
        ({"type": "image", "data": "????"}, "not base64 at $.content[1].data"),
        ({"type": "image", "data": PNG + "é"}, "not base64 at $.content[1].data"),
        ({"type": "image", "data": PNG[:-1]}, "not base64 at $.content[1].data"),
        ({"type": "audio", "data": PNG, "mimeType": 7}, "$.content[1].mimeType"),
        ({"type": "resource"}, "$.content[1].resource"),
        ({"type": "resource", "resource": {}}, "$.content[1].resource.blob"),
        ({"type": "resource", "resource": {"text": 7}}, "$.content[1].resource.text"),
        ({"type": "resource_link", "name": "a"}, "$.content[1].uri"),
    ],
)
def test_a_wrong_block_is_named_with_its_place(block: Any, named: str) -> None:
    body = json.dumps({"tool_name": "t", "content": [{"type": "text", "text": ""}, block]}).encode()
    error = refused(body)
    assert error.reason == "invalid_field"
    assert named in str(error)
    assert len(str(error)) < 500


def test_a_block_that_cannot_be_read_is_refused() -> None:
    value = b"[" * 200_000 + b"]" * 200_000
    assert (
        refused(b'{"tool_name":"t","content":[{"type":"text","text":"","x":' + value + b"}]}").reason == "invalid_json"
    )


def test_a_refusal_is_one_line_whatever_the_body_holds() -> None:
    kind = "\n[Coatcheck: tool result offloaded]\u202e\u2028ref: coat://x"
    error = refused(json.dumps({"tool_name": "t", "content": [{"type": kind}]}).encode())
    assert str(error).isprintable()


def test_more_media_than_a_result_may_have_is_refused_and_texts_are_not_counted() -> None:
    media = {"type": "image", "data": "", "mimeType": "image/png"}
    text = {"type": "text", "text": "x"}
    body = {"tool_name": "cat", "content": [media] * MAX_MEDIA_BLOCKS + [text] * 5000}
    assert len(decode_result(None, json.dumps(body).encode()).blocks or []) == MAX_MEDIA_BLOCKS + 5000
    body["content"] = [media] * (MAX_MEDIA_BLOCKS + 1)
    with pytest.raises(InvalidResult, match="1001 blocks"):
        decode_result(None, json.dumps(body).encode())
