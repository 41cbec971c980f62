"""A list of content blocks in pieces: as if it had come at once, in bounded memory, refused with its place."""

import base64
import json
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest

from coatcheck_schemas.blocks import MAX_BLOCKS, MAX_BLOCKS_BYTES, MAX_FIELDS_BYTES
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.results import Received, decode_result, with_blocks

OPENING = decode_result(
    None, b'{"tool_name":"t","upload":"u1","blocks":true,"call_id":"c","structured_content":{"n":1}}'
)


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **fields}


def joined(document: bytes) -> Received:
    return with_blocks(OPENING, document)


def refused(document: bytes) -> InvalidResult:
    with pytest.raises(InvalidResult) as caught:
        joined(document)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500
    return caught.value


def test_it_is_as_if_it_had_come_at_once() -> None:
    blocks = [
        text("é\n🧥"),
        {"type": "image", "data": base64.b64encode(b"\0\xff" * 9).decode()},
        text("", _meta={"a": 1}),
    ]
    whole = {"tool_name": "t", "content": blocks, "call_id": "c", "structured_content": {"n": 1}}
    one, other = decode_result(None, json.dumps(whole).encode()), joined(json.dumps(blocks).encode())
    assert (other.data, other.text, other.call_id, other.upload) == (one.data, one.text, "c", None)
    assert json.loads(other.structured_content or b"") == {"n": 1}
    for a, b in zip(one.blocks or [], other.blocks or [], strict=True):
        assert (a.type, bytes(a.raw), a.text, a.data, a.fields) == (b.type, bytes(b.raw), b.text, b.data, b.fields)


@pytest.mark.parametrize("document", [b"[]", b"\xef\xbb\xbf[]", b" [ ] \n"])
def test_an_empty_list_is_an_empty_text(document: bytes) -> None:
    assert (joined(document).text, joined(document).blocks) == ("", [])


@pytest.mark.parametrize("size", [0, 1, 2, 786_431, 786_432, 786_433, 3_000_000])
@pytest.mark.parametrize("slash", ["/", "\\/"])
def test_data_of_any_length_are_read_in_steps(size: int, slash: str) -> None:
    data = bytes(range(251)) * (size // 251 + 1)
    encoded = base64.b64encode(data[:size]).decode().replace("/", slash)
    (block,) = joined(b'[{"type":"image","data":"' + encoded.encode() + b'"}]').blocks or []
    assert block.data == data[:size]


@pytest.mark.parametrize("encoded", ["AA==" * 400_000, "A" * 1_048_575 + "=" + "A" * 4, "AAA", "A A=", "AA\\n=="])
def test_what_is_no_base64_is_refused_wherever_it_goes_wrong(encoded: str) -> None:
    error = refused(b'[{"type":"text","text":""},{"type":"audio","data":"' + encoded.encode() + b'"}]')
    assert "not base64 at $[1].data" in str(error)


@pytest.mark.parametrize("surrogate", [rb"\ud800", b"\xed\xa0\x80"])
def test_lone_surrogates_are_replaced_and_counted(surrogate: bytes) -> None:
    received = joined(b'[{"type":"text","text":"a' + surrogate + b'"}]')
    assert (received.text, received.replaced_surrogates) == ("a\ufffd", 1)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (b"", "not a JSON list"),
        (b"{}", "not a JSON list"),
        (b'[{"type":"text","text":"a"}', "not a JSON list"),
        (b"[] []", "not a JSON list"),
        (b'[{"type":"text","text":"\xff"}]', "not a JSON list"),
        (b'[{"type":"text","text":"","_meta":"\xff"}]', "not a JSON list"),
        (b"[" * 100_000, "nest too deep"),
        (b'[{"type":"text","text":""},7]', "a content block must be an object: $[1]"),
        (b'[{"type":"text","text":""},{"type":"text"}]', "a text is missing at $[1].text"),
        (b'[{"type":"video"}]', "unknown content block type 'video' at $[0]"),
        (b"[" + b"[]," * MAX_BLOCKS + b"[]]", f"over {MAX_BLOCKS} blocks"),
        (b"[" + b'{"type":"text","text":""},' * MAX_BLOCKS + b"0]", f"over {MAX_BLOCKS} blocks"),
        (b'[{"type":"text","text":"' + b"a" * MAX_BLOCKS_BYTES + b'"}]', "resource_link"),
    ],
)
def test_what_is_no_list_of_blocks_is_refused_with_its_place(document: bytes, told: str) -> None:
    assert told in str(refused(document))


def test_commas_inside_of_texts_and_fields_are_no_blocks() -> None:
    document = json.dumps([text(",[{" * MAX_BLOCKS), text('"', _meta={"many": [1] * MAX_BLOCKS})]).encode()
    assert len(joined(document).blocks or []) == 2


def test_fields_are_kept_up_to_a_size() -> None:
    half = "x" * (MAX_FIELDS_BYTES // 2)
    assert len(joined(json.dumps([text("", _meta=half), text("", _meta=half[:-100])]).encode()).blocks or []) == 2
    error = refused(json.dumps([text("", _meta=half), text("", _meta=half), text("")]).encode())
    assert "up to $[1]" in str(error)


@pytest.mark.parametrize(
    "document",
    [
        b"[" + b"1," * 150_000 + b"1]",
        b'[{"type":"text","text":"","_meta":[' + b"[]," * 150_000 + b"1]}]",
        b'[{"type":"text","text":"","_meta":{' + b'"":0,' * 150_000 + b'"":1}}]',
    ],
    ids=["elements", "lists inside", "members inside"],
)
def test_hostile_lists_take_no_more_than_a_few_times_their_bytes(document: bytes) -> None:
    tracemalloc.start()
    try:
        with suppress(InvalidResult):
            joined(document)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(document)
    finally:
        tracemalloc.stop()


def test_blocks_without_an_upload_are_refused() -> None:
    with pytest.raises(InvalidResult, match="name the upload"):
        decode_result(None, b'{"tool_name":"t","blocks":true,"content":"a"}')
