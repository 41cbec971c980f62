"""The decision over a result of several blocks: media, their parts, structured content."""

import base64
import json
from typing import Any

import msgspec
import pytest
from tests.support.deciding import (
    arrived,
    content_blocks,
    rules,
)

from coatcheck_core.block_list import decode_list
from coatcheck_core.decision import Case, decide
from coatcheck_core.rules import Decision, Rules
from coatcheck_schemas.blocks import MAX_MEDIA_BLOCKS
from coatcheck_schemas.events import BLOCKS

PNG = b"\x89PNG\r\n\x1a\n\x00" * 100
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
RULES = rules("result.threshold=1000", "stub.max_chars=900")
PROSE = "The quick brown fox jumps over the lazy dog.\n"


def prose(chars: int) -> str:
    return (PROSE * (chars // len(PROSE) + 1))[:chars]


def decided(content: Any = "", by: Rules = RULES, **fields: Any) -> Decision:
    return decide(arrived(content, **fields), by)


def test_text_blocks_alone_go_inline_as_one_text() -> None:
    event = decided([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]).event
    assert event.content == "a\nb"
    assert [(part.start, part.end) for part in event.parts or []] == [(0, 1), (2, 3)]


def test_the_sum_of_the_text_blocks_decides() -> None:
    decision = decided([{"type": "text", "text": prose(400)}] * 3)
    assert decision.event.disposition == "offloaded"
    assert decision.event.original_chars == 1202


def test_media_go_inline_as_they_came_and_are_not_counted() -> None:
    blocks = [{"type": "text", "text": "seen"}, IMAGE]
    decision = decided(blocks, rules("result.threshold=10"))
    assert decision.event.disposition == "inline"
    assert content_blocks(decision.event.content) == blocks
    assert decision.event.original_chars == 4
    assert decision.stored is None


def test_media_follow_the_stub_of_their_text() -> None:
    decision = decided([IMAGE, {"type": "text", "text": prose(5000)}])
    stub, image = content_blocks(decision.event.content)
    assert stub["type"] == "text"
    assert stub["text"].startswith("[Coatcheck: tool result offloaded]")
    assert IMAGE["data"] not in stub["text"]
    assert image == IMAGE
    assert decision.stored is not None
    assert decision.stored.output == prose(5000).encode()
    assert decision.stored.parts == [(0, PNG)]


def test_media_too_large_for_a_message_become_references() -> None:
    large = IMAGE | {"data": base64.b64encode(PNG + b"\x01" * (80_000 - len(PNG))).decode()}
    decision = decided([IMAGE, large], rules(max_event_bytes=60_000))
    event = decision.event
    assert (event.disposition, event.reason) == ("offloaded", "message_limit")
    _, small, reference = content_blocks(event.content)
    assert small == IMAGE
    assert reference == {"type": "text", "text": f"[image/png, 80000 bytes, kept as {event.ref}/1]"}
    assert decision.stored is not None
    assert [len(body) for _, body in decision.stored.parts] == [len(PNG), 80_000]


def test_a_reference_cannot_forge_a_line() -> None:
    hostile = {
        "type": "image",
        "data": base64.b64encode(b"x" * 60_000).decode(),
        "mimeType": "a\nref: coat://x\u202e" * 99,
    }
    _, reference = content_blocks(decided([hostile], rules(max_event_bytes=40_000)).event.content)
    assert reference["text"].isprintable()
    assert len(reference["text"]) < 500


@pytest.mark.parametrize("block", [IMAGE | {"data": ""}, {"type": "resource_link", "uri": "x"}])
def test_more_media_than_a_message_can_name_are_said_to_be_there(block: dict[str, str]) -> None:
    by = rules(max_event_bytes=30_000)
    decision = decided([block] * MAX_MEDIA_BLOCKS, by)
    assert len(decision.encoded) <= by.max_event_bytes
    blocks = content_blocks(decision.event.content)
    assert blocks[1] == block
    assert blocks[-1]["text"].startswith(
        f"[and {MAX_MEDIA_BLOCKS - (len(blocks) - 2)} more, kept as {decision.event.ref}/INDEX"
    )
    assert decision.stored is not None
    assert len(decision.stored.parts) == MAX_MEDIA_BLOCKS + 1
    assert [part.type for part in decision.stored.metadata.parts or []] == [block["type"]] * MAX_MEDIA_BLOCKS + [BLOCKS]


def test_more_text_blocks_than_an_event_can_name_are_all_in_their_list() -> None:
    by = rules("result.threshold=100", max_event_bytes=60_000)
    decision = decided([{"type": "text", "text": "ab"}] * 5000, by)
    assert len(decision.encoded) <= by.max_event_bytes
    assert decision.event.parts is not None
    assert 0 < len(decision.event.parts) < 1000
    assert decision.event.total_parts == 5001
    assert decision.stored is not None
    metadata = decision.stored.metadata
    assert (len(metadata.parts or []), metadata.total_parts) == (1001, 5001)
    ((index, listed),) = decision.stored.parts
    assert (index, decision.event.parts[-1].ref) == (5000, f"{metadata.ref}/5000")
    assert decode_list(listed) == [2] * 5000


# structured content


def test_structured_content_is_kept_beside_a_result_that_stays_inline() -> None:
    structured = {"rows": ["x" * 500_000]}
    decision = decided("ten chars.", structured_content=structured)
    event = decision.event
    assert (event.disposition, event.content, event.original_chars) == ("inline", "ten chars.", 10)
    assert (event.ref, event.kind, event.synopsis) == (None, None, None)
    last = (event.parts or [])[-1]
    assert (last.type, last.ref) == ("structured_content", f"coat://s1/{event.result_id}/1")
    assert decision.stored is not None
    assert decision.stored.output == b"ten chars."
    assert json.loads(dict(decision.stored.parts)[1]) == structured


def test_structured_content_that_repeats_the_text_is_not_kept() -> None:
    decision = decided('{"a": 1}', structured_content={"a": 1})
    assert decision.event.parts is None
    assert decision.stored is None


def test_structured_content_is_not_counted() -> None:
    assert decided(prose(1000), structured_content={"x": "y" * 90_000}).event.disposition == "inline"
    assert decided(prose(1001), structured_content={}).event.disposition == "offloaded"


def test_media_follow_the_first_lines_of_their_text() -> None:
    decision = decided(
        [IMAGE, {"type": "text", "text": prose(9000)}], rules("result.threshold=1000", "stub.style=lines")
    )
    stub, image = content_blocks(decision.event.content)
    assert stub["text"].startswith("Tool result too large: 9000 characters in 200 lines from tool, call call_1.")
    assert f"- part 0: image, image/png, {len(PNG)} bytes, {decision.event.ref}/0" in stub["text"]
    assert image == IMAGE


def test_a_result_that_its_first_lines_would_not_shorten_stays_inline() -> None:
    by = rules("result.threshold=100", "stub.style=lines")
    text = prose(500)
    assert (decided(text, by).event.disposition, decided(text, by).event.content) == ("inline", text)
    assert decided(prose(3000), by).event.disposition == "offloaded"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_store_could_not_take_is_said_by_the_first_lines_too(language: str) -> None:
    by = rules("result.threshold=100", "stub.style=lines", f"stub.language={language}")
    case = Case(arrived(prose(5000)), by)
    event = case.without_store(case.decide(), "away", raw=False).event
    assert (event.disposition, event.reason) == ("preview_only", "store_failure")
    assert ("is not stored yet" if language == "en" else "原文尚未存储") in str(event.content)


def test_an_artifact_of_megabytes_beside_ten_chars_and_a_small_one_beside_many() -> None:
    large = decided("ten chars.", structured_content={"artifact": "x" * 5_000_000})
    assert (large.event.disposition, large.event.original_chars) == ("inline", 10)
    assert large.stored is not None
    assert [len(body) for _, body in large.stored.parts] == [5_000_016]
    small = decided(prose(90_000), rules(), structured_content={"artifact": "x"})
    assert (small.event.disposition, small.event.original_chars) == ("offloaded", 90_000)
    assert [part.type for part in small.event.parts or []] == ["text", "structured_content"]


def test_a_megabyte_of_base64_and_its_copy_are_no_text_and_stand_in_no_stub() -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3072
    image = {"type": "image", "data": base64.b64encode(png).decode(), "mimeType": "image/png"}
    content = [{"type": "text", "text": prose(200)}, image]
    for structured, kept in (({"result": content}, 1), ({"text": prose(200), "image": image["data"]}, 2)):
        decision = decided(content, rules(), structured_content=structured)
        event = decision.event
        assert (event.disposition, event.reason, event.original_chars) == ("offloaded", "message_limit", 200)
        assert image["data"][:80].encode() not in decision.encoded
        stub, reference = content_blocks(event.content)
        assert all(line in stub["text"] for line in prose(200).split("\n"))
        assert reference["text"] == f"[image/png, {len(png)} bytes, kept as {event.ref}/1]"
        assert decision.stored is not None
        assert decision.stored.output == prose(200).encode()
        assert decision.stored.parts[0] == (1, png)
        assert len(decision.stored.parts) == kept
        assert image["data"][:80].encode() not in msgspec.json.encode(decision.stored.metadata)
