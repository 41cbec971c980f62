"""Decoding, for every body and every header there is."""

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.results import decode_result, encode_binary

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
fields = st.sampled_from(
    ["tool_name", "content", "turn_size", "is_error", "upload", "structured_content", "call_id", "x"]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "data", "resource", "mimeType", "uri"]), inner, max_size=4)
    ),
    max_leaves=8,
)
bodies = st.binary(max_size=100) | st.dictionaries(fields, values, max_size=6).map(
    lambda event: json.dumps({"tool_name": "t", "content": "c"} | event).encode()
)


@given(bodies)
@settings(max_examples=150)
def test_a_body_is_a_result_or_an_invalid_result(body: bytes) -> None:
    with contextlib.suppress(InvalidResult):
        received = decode_result(None, body)
        assert received.text is not None
        assert received.data == received.text.encode()


@given(any_text)
@settings(max_examples=120)
def test_surrogates_are_replaced_one_for_one_and_nothing_else_is(content: str) -> None:
    paired = json.loads(json.dumps(content))  # two halves that stand side by side are one character in JSON
    lone = sum("\ud800" <= char <= "\udfff" for char in paired)
    received = decode_result(None, json.dumps({"tool_name": "t", "content": content}).encode())
    assert received.text == "".join("�" if "\ud800" <= char <= "\udfff" else char for char in paired)
    assert received.replaced_surrogates == lone


@given(st.dictionaries(st.sampled_from(["toolname", "turnsize", "iserror", "callid", "type"]), any_text), st.binary())
@settings(max_examples=100)
def test_headers_are_a_result_or_an_invalid_result(attributes: dict[str, str], body: bytes) -> None:
    headers = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-toolname": "t"}
    with contextlib.suppress(InvalidResult):
        received = decode_result(headers | {f"ce-{name}": value for name, value in attributes.items()}, body)
        assert received.data == body


@given(st.text(max_size=60), st.text(max_size=60), st.binary(max_size=60))
@settings(max_examples=100)
def test_every_name_and_body_passes_through_the_binary_encoding(tool_name: str, call_id: str, data: bytes) -> None:
    headers, body = encode_binary(data, tool_name=tool_name, event_id="1", source="urn:x", callid=call_id)
    assert all(value.isascii() and value.isprintable() for value in headers.values())
    received = decode_result(headers, body)
    assert (received.tool_name, received.call_id, received.data) == (tool_name, call_id, data)
