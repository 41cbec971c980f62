"""A list of blocks is restored exactly: from the parts, the original's text and the objects beside it."""

import base64
import json
from typing import Any

import pytest
from tests.support.deciding import arrived, rules

from coatcheck_core.block_list import MAX_LISTED_TEXTS, MAX_URI_CHARS, decode_list, entries_of, part_at, restore
from coatcheck_core.decision import decide
from coatcheck_core.rules import Stored
from coatcheck_schemas.events import BLOCKS, STRUCTURED

PNG = b"\x89PNG\r\n\x1a\n\x00" * 20
DATA = base64.b64encode(PNG).decode()
IMAGE = {"type": "image", "data": DATA, "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "https://example.org/a", "name": "a", "size": 12345678901234567}
RULES = rules("result.threshold=0")
LONG = "The quick brown fox jumps over the lazy dog.\n" * 200


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value} | fields


def stored(content: Any, **fields: Any) -> Stored:
    kept = decide(arrived(content, **fields), RULES).stored
    assert kept is not None
    return kept


def restored(kept: Stored) -> list[dict[str, Any]]:
    """As the contract says it is done, by what is in storage alone."""
    assert isinstance(kept.output, bytes)
    bodies = dict(kept.parts)
    parts = kept.metadata.parts or []
    listed = [part.index for part in parts if part.type == BLOCKS]
    blocks = [part for part in parts if part.type not in (BLOCKS, STRUCTURED)]
    entries = decode_list(bodies[listed[0]]) if listed else entries_of(blocks)
    return restore(entries, kept.output.decode(), bodies.__getitem__)


@pytest.mark.parametrize(
    "blocks",
    [
        [text(LONG), text("")],
        [text(""), text(LONG), text(""), text("\n"), text("\n\n"), text("a\nb\n")],
        [text("🧥" * 50), text(LONG), IMAGE, text("é\r\n")],
        [IMAGE, text(LONG), IMAGE | {"type": "audio"}, LINK],
        [text(LONG), {"type": "image", "data": DATA}],
        [text(LONG), IMAGE | {"mimeType": "image/jpeg"}],
        [text(LONG), IMAGE | {"mimeType": None}],
        [text(LONG), {"type": "image", "data": ""}],
        [text(LONG, annotations={"audience": ["user"], "priority": 0.5}, _meta={"n": [1, {"a": None}]}), text("b")],
        [text(LONG, annotations=None)],
        [text(LONG), {"type": "resource", "resource": {"uri": "f:///a", "text": "é\n", "mimeType": "text/x-a"}}],
        [text(LONG), {"type": "resource", "resource": {"uri": "f:///a", "text": "", "_meta": {"x": 1}}, "_meta": {}}],
        [text(LONG), {"type": "resource", "resource": {"uri": "f:///b", "blob": DATA, "text": None}}],
        [text(LONG), {"type": "resource", "resource": {"uri": "f:///b", "blob": DATA, "text": DATA}}],
        [text(LONG), {"type": "resource", "resource": {"uri": "x" * 5000, "blob": DATA}}],
    ],
)
def test_a_list_is_restored_exactly(blocks: list[dict[str, Any]]) -> None:
    assert restored(stored(blocks)) == blocks


def test_structured_content_beside_the_blocks_stays_the_last_part() -> None:
    blocks = [text(LONG, _meta={"a": 1}), IMAGE]
    kept = stored(blocks, structured_content={"n": 1})
    assert [part.type for part in kept.metadata.parts or []] == ["text", "image", BLOCKS, STRUCTURED]
    assert [index for index, _ in kept.parts] == [1, 2, 3]
    assert restored(kept) == blocks


def test_tens_of_thousands_of_texts_keep_the_metadata_small() -> None:
    blocks = [text(f"{i} 🧥" * (i % 3)) for i in range(30_000)] + [IMAGE]
    kept = stored(blocks)
    assert len(kept.metadata.parts or []) == MAX_LISTED_TEXTS + 2
    assert kept.metadata.total_parts == 30_002
    assert len(dict(kept.parts)[30_001]) < 200_000
    assert restored(kept) == blocks


def test_a_part_beyond_those_that_are_named_is_found_in_the_list() -> None:
    blocks = [text("ab"), IMAGE, text(""), *[text(str(i)) for i in range(5000)]]
    kept = stored(blocks)
    assert isinstance(kept.output, bytes)
    entries = decode_list(dict(kept.parts)[len(blocks)])
    named = {part.index: part for part in kept.metadata.parts or []}
    for index in (0, 1, 2, 3, 999):
        assert part_at(entries, index, kept.metadata.ref) == named[index]
    last = part_at(entries, 5002, kept.metadata.ref)
    assert last is not None
    assert kept.output.decode()[last.start : last.end] == "4999"
    assert part_at(entries, 5003, kept.metadata.ref) is None
    assert part_at(entries, -1, kept.metadata.ref) is None


def test_a_uri_that_is_a_document_itself_is_in_the_list_alone() -> None:
    uri = "data:text/plain," + "x" * MAX_URI_CHARS
    resource = {"type": "resource", "resource": {"uri": uri, "text": "a"}}
    kept = stored([text(LONG), resource])
    assert [part.uri for part in kept.metadata.parts or []] == [None, None, None]
    assert restored(kept)[1] == resource


def test_a_resource_is_named_by_its_uri_in_the_stub() -> None:
    resource = {"type": "resource", "resource": {"uri": "file:///src/main.py", "text": "import os"}}
    decision = decide(arrived([text(LONG), resource]), RULES)
    assert isinstance(decision.event.content, list)
    stub = json.loads(bytes(decision.event.content[0]))["text"]
    assert "- part 1: resource, text/plain, file:///src/main.py, 9 bytes, coat://" in stub
    assert "part 2" not in stub
