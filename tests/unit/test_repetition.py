"""Structured content that repeats the text is not kept twice; what says more is."""

import base64
import json
from typing import Any

import pytest

from coatcheck_core.repetition import MAX_COMPARED_BYTES, without_repetition
from coatcheck_schemas.results import Received, decode_result

OBJECT = {"b": [1, None], "a": "é"}
IMAGE = {"type": "image", "data": base64.b64encode(b"\x89PNG\r\n\x1a\n").decode(), "mimeType": "image/png"}


def received(content: Any, structured: str) -> Received:
    body = json.dumps({"tool_name": "t", "content": content})[:-1] + f', "structured_content": {structured}' + "}"
    return decode_result(None, body.encode())


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def kept(content: Any, structured: Any) -> bool:
    raw = structured if isinstance(structured, str) else json.dumps(structured)
    return without_repetition(received(content, raw)).structured_content is not None


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        (json.dumps(OBJECT, indent=4), OBJECT),
        (json.dumps(dict(reversed(OBJECT.items())), ensure_ascii=False), OBJECT),
        ('{"n": 1.0, "m": 1e3}', '{"m": 1000, "n": 1}'),
        ('{"n": 10}', '{"n": 1.0E+1}'),
        ([text("Two rows:"), text(json.dumps(OBJECT, indent=2)), IMAGE], OBJECT),
        ("some words", {"result": "some words"}),
        ([text("a"), text("b")], {"result": ["a", "b"]}),
        ("[1, 2]", {"result": [1, 2]}),
        ([text('{"id": 1}'), text('{"id": 2}')], {"result": [{"id": 1}, {"id": 2.0}]}),
        ([text("seen"), IMAGE], {"result": [text("seen"), IMAGE]}),
        ([text("a\nb"), text("c")], {"result": "a\nb\nc"}),
    ],
)
def test_what_repeats_the_text_is_not_kept(content: Any, structured: Any) -> None:
    assert not kept(content, structured)


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ("some words", {"result": "other words"}),
        ("some words", {"text": "some words"}),
        ("some words", {"result": "some words", "more": 1}),
        ('{"n": 1}', '{"n": 1.5}'),
        ('{"n": 1}', '{"n": true}'),
        ('{"n": null}', '{"n": 1e400}'),
        ('{"n": 2e400}', '{"n": 1e400}'),
        ('{"n": 9007199254740993}', '{"n": 9007199254740992.0}'),
        ([text("a"), text("b")], {"result": ["b", "a"]}),
        ([text("a")], {"result": ["a", "a"]}),
        ([text("seen"), IMAGE], {"result": [text("seen")]}),
        ([], {"result": []}),
    ],
)
def test_what_says_more_is_kept(content: Any, structured: Any) -> None:
    assert kept(content, structured)


def test_what_is_too_large_to_be_compared_is_kept() -> None:
    large = json.dumps(["x" * MAX_COMPARED_BYTES])
    assert kept(large, large)


def test_many_texts_that_look_like_json_are_compared_up_to_a_size() -> None:
    near = json.dumps({"a": "x" * 10_000})
    many = [text(near)] * (MAX_COMPARED_BYTES // len(near) + 2)
    assert kept([*many, text('{"a": 1}')], {"a": 1})
