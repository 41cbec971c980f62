"""Results of several blocks: the order and the bounds of their parts can be restored."""

import base64
import json
from typing import Any

import msgspec
import pytest

from coatcheck_core.parts import fitting_parts, name_parts, part_bodies
from coatcheck_core.repetition import without_repetition
from coatcheck_schemas.events import BLOCKS, Part
from coatcheck_schemas.results import Received, decode_result

REF = "coat://s1/c-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
PNG = b"\x89PNG\r\n\x1a\n\x00\x01"
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}


def received(content: Any, **fields: Any) -> Received:
    return decode_result(None, json.dumps({"tool_name": "t", "content": content} | fields).encode())


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


@pytest.mark.parametrize("content", ["a", "", [text("a")]])
def test_one_text_has_no_parts(content: Any) -> None:
    assert name_parts(received(content), REF) is None
    assert part_bodies(received(content)) == []


def test_text_parts_are_ranges_of_the_original() -> None:
    texts = ["one\n", "", "🧥 three", "four"]
    result = received([text(value) for value in texts])
    parts = name_parts(result, REF) or []
    assert [part.index for part in parts] == [0, 1, 2, 3]
    assert [(result.text or "")[part.start : part.end] for part in parts] == texts
    assert all(part.ref is None for part in parts)


def test_a_medium_between_texts_takes_no_chars() -> None:
    result = received([text("a"), IMAGE, text("b")])
    assert result.text == "a\nb"
    assert name_parts(result, REF) == [
        Part(index=0, type="text", start=0, end=1),
        Part(index=1, type="image", ref=f"{REF}/1", mime_type="image/png", bytes=len(PNG)),
        Part(index=2, type="text", start=2, end=3),
    ]
    assert part_bodies(result) == [(1, PNG)]


def test_no_part_has_a_ref_where_nothing_is_stored() -> None:
    assert [part.ref for part in name_parts(received([text("a"), IMAGE]), None) or []] == [None, None]


@pytest.mark.parametrize("content", ["a", [text("a")], [text("a"), IMAGE], []])
def test_structured_content_is_the_last_part(content: Any) -> None:
    result = received(content, structured_content={"rows": [1]})
    parts = name_parts(result, REF) or []
    last = parts[-1]
    assert (last.type, last.mime_type, last.index) == ("structured_content", "application/json", len(parts) - 1)
    assert last.ref == f"{REF}/{last.index}"
    assert part_bodies(result)[-1] == (last.index, b'{"rows": [1]}')


def test_every_part_with_a_ref_has_a_body_of_its_length() -> None:
    link = {"type": "resource_link", "uri": "https://example.org"}
    resource = {"type": "resource", "resource": {"uri": "f:///x", "text": "é"}}
    result = received([IMAGE, text("a"), resource, link, IMAGE | {"type": "audio"}], structured_content=[])
    named = {part.index: part.bytes for part in name_parts(result, REF) or [] if part.ref is not None}
    assert {index: len(body) for index, body in part_bodies(result)} == named
    assert sorted(named) == [0, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ('{"b": [1.0, null], "a": "é"}', {"a": "é", "b": [1.0, None]}),
        ("  [1, 2]\n", [1, 2]),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_structured_content_that_repeats_the_text_is_not_kept(content: str, structured: Any) -> None:
    assert without_repetition(received(content, structured_content=structured)).structured_content is None


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ("two rows", {"rows": 2}),
        ('{"a": 1}', {"a": 1, "b": 2}),
        ('{"a": 1}', {"a": True}),
        ('{"a": 1} and more', {"a": 1}),
        ("5", 5),
        ("[" * 500, []),
        ("[" * 100_000 + "]" * 100_000, []),
    ],
)
def test_structured_content_that_says_more_is_kept(content: str, structured: Any) -> None:
    result = received(content, structured_content=structured)
    assert without_repetition(result) == result


def test_integers_that_cannot_be_compared_are_kept() -> None:
    digits = b"9" * 5000
    body = b'{"tool_name":"t","content":"[' + digits + b']","structured_content":[' + digits + b"]}"
    assert without_repetition(decode_result(None, body)).structured_content == b"[" + digits + b"]"


def test_a_long_list_of_parts_is_cut_to_its_share() -> None:
    parts = name_parts(received([text("")] * 1000), REF) or []
    fitting = fitting_parts(parts, 1000) or []
    assert 1 < len(fitting) < 20
    assert fitting == [*parts[: len(fitting) - 1], parts[-1]]
    assert fitting[-1].type == BLOCKS
    assert len(msgspec.json.encode(fitting)) <= 1001


def test_a_list_of_parts_that_fits_is_left_alone() -> None:
    parts = name_parts(received([text("a"), text("b")]), REF)
    assert fitting_parts(parts, 1000) == parts
    assert fitting_parts(None, 0) is None
