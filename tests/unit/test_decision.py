"""The decision over one result: what its session receives, what is kept, and why."""

import json
from typing import Any

import msgspec
import pytest
from tests.support.deciding import (
    MAX_EVENT_BYTES,
    RECEIVED_AT,
    address,
    arrived,
    arrived_bytes,
    rules,
)

from coatcheck_core.decision import decide
from coatcheck_core.lines import count_lines
from coatcheck_core.rules import Decision, Rules
from coatcheck_core.sizes import is_quick
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.keys import turn_hash
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.times import to_milliseconds

SOURCE = "coat://s1/c9-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
RULES = rules("result.threshold=1000", "stub.max_chars=900")
PROSE = "The quick brown fox jumps over the lazy dog.\n"


def prose(chars: int) -> str:
    return (PROSE * (chars // len(PROSE) + 1))[:chars]


def decided(content: Any = "", by: Rules = RULES, **fields: Any) -> Decision:
    return decide(arrived(content, **fields), by)


# inline


@pytest.mark.parametrize(("chars", "disposition"), [(999, "inline"), (1000, "inline"), (1001, "offloaded")])
def test_the_threshold_itself_stays_inline(chars: int, disposition: str) -> None:
    assert decided(prose(chars)).event.disposition == disposition


@pytest.mark.parametrize(("chars", "disposition"), [(19_999, "inline"), (20_000, "inline"), (20_001, "offloaded")])
def test_the_threshold_by_default_is_20000_chars(chars: int, disposition: str) -> None:
    assert decided(prose(chars), rules()).event.disposition == disposition


def test_an_inline_event_has_the_result_itself_and_its_facts() -> None:
    event = decided("a\nb", tool_name="搜索", mime_type="text/plain", is_error=True).event
    assert event == StubEvent(
        session_id="s1",
        turn_id="",
        call_id="call_1",
        tool_name="搜索",
        disposition="inline",
        content="a\nb",
        result_id=f"call_1-{sha256_hex(b'a' + bytes([10]) + b'b')[:32]}",
        original_chars=3,
        original_bytes=3,
        original_lines=2,
        preview_chars=2000,
        sha256=sha256_hex(b"a\nb"),
        mime_type="text/plain",
        is_error=True,
        created_at="2026-01-31T23:59:59.123Z",
    )


def test_an_inline_event_has_null_for_what_does_not_apply() -> None:
    event = msgspec.to_builtins(decided("a").event)
    assert [event[name] for name in ("ref", "reason", "kind", "format", "synopsis", "error", "parts")] == [None] * 7


def test_every_field_stands_in_the_json() -> None:
    assert set(json.loads(decided("a").encoded)) == set(StubEvent.__struct_fields__)


def test_an_inline_result_is_not_stored() -> None:
    assert decided(prose(1000)).stored is None


@pytest.mark.parametrize("content", ["", [], " \n\t "])
def test_an_empty_or_blank_result_is_inline_whatever_the_threshold(content: Any) -> None:
    decision = decided(content, rules("result.threshold=0"))
    assert decision.event.disposition == "inline"
    assert decision.stored is None


@pytest.mark.parametrize("content", ["x", prose(100), "1,2\n3,4\n"])
def test_a_stub_that_is_not_shorter_than_its_result_is_never_sent(content: str) -> None:
    decision = decided(content, rules("result.threshold=0"))
    assert (decision.event.disposition, decision.event.content) == ("inline", content)


def test_with_threshold_0_every_result_with_a_shorter_stub_is_offloaded() -> None:
    assert decided(prose(3000), rules("result.threshold=0")).event.disposition == "offloaded"


def test_sizes_around_every_limit_are_decided_monotonically() -> None:
    dispositions = [
        decided(prose(chars), rules("result.threshold=0")).event.disposition for chars in range(1, 4000, 50)
    ]
    assert dispositions == sorted(dispositions)


# offloaded


def test_an_offloaded_event_is_a_stub_with_its_facts() -> None:
    text = prose(5000)
    event = decided(text, tool_name="kubectl", at=address(turn="t 1")).event
    assert (event.disposition, event.reason) == ("offloaded", "single_threshold")
    assert (event.turn_id, event.call_id, event.tool_name) == ("t 1", "call_1", "kubectl")
    assert event.ref == f"coat://s1/{event.result_id}"
    assert event.kind == "text"
    assert event.synopsis is not None
    assert event.synopsis.kind == "text"
    assert (event.original_chars, event.original_bytes) == (5000, 5000)
    assert event.original_lines == count_lines(text)
    assert event.sha256 == sha256_hex(text.encode())
    assert isinstance(event.content, str)
    assert event.content.startswith("[Coatcheck: tool result offloaded]\ntool_name: kubectl\n")
    assert f"\nref: {event.ref}\n" in event.content


def test_what_is_stored_is_the_original_and_its_metadata() -> None:
    text = prose(5000)
    result = arrived(text, at=address("a.b", "t1", "c"), message_id="m", agent_id="Zoë", mime_type="text/plain")
    stored = decide(result, RULES).stored
    assert stored is not None
    assert stored.output == text.encode()
    assert stored.parts == []
    metadata = stored.metadata
    assert metadata.tool_result_id == metadata.result_id == result.result_id
    assert metadata.tool_id == metadata.call_id == "c"
    assert (metadata.session_id, metadata.turn_id, metadata.ref) == ("a.b", "t1", result.ref)
    assert (metadata.message_id, metadata.agent_id, metadata.mime_type) == ("m", "Zoë", "text/plain")
    assert metadata.storage_uri == f"s3://bucket/p/v1/sessions/a=2Eb/results/{result.result_id}/"
    assert metadata.output_uri == f"{metadata.storage_uri}output"
    assert metadata.offset_unit == "unicode_code_point"
    assert (metadata.original_chars, metadata.original_bytes) == (5000, 5000)
    assert metadata.created_at == "2026-01-31T23:59:59.123Z"


def test_the_place_in_the_list_is_the_time_of_arrival_and_the_turn() -> None:
    result = arrived(prose(5000), at=address(turn="t1"))
    stored = decide(result, RULES).stored
    assert stored is not None
    assert stored.entry.milliseconds == to_milliseconds(RECEIVED_AT)
    assert (stored.entry.turn_hash, stored.entry.result_id) == (turn_hash("t1"), result.result_id)


def test_warnings_and_replaced_surrogates_are_kept_in_the_metadata() -> None:
    stored = decided("\ud800" + prose(5000), turn_size=5000).stored
    assert stored is not None
    assert stored.metadata.replaced_surrogates == 1
    assert "turn_size" in stored.metadata.warnings[0]


def test_the_same_result_gives_the_same_bytes() -> None:
    content = [{"type": "text", "text": json.dumps({"b": 1, "a": [1, 2] * 2000})}, {"type": "image", "data": "AAAA"}]
    first, second = (decided(content, structured_content={"x": 1}) for _ in range(2))
    assert first.encoded == second.encoded
    assert first.stored == second.stored


def test_a_stub_does_not_depend_on_the_turn_or_the_size_of_messages() -> None:
    result = arrived(prose(5000), at=address(turn="t1"))
    other = arrived(prose(5000), at=address(turn="t2"), turn_size=7)
    smaller = rules("result.threshold=1000", "stub.max_chars=900", max_event_bytes=200_000)
    assert decide(result, RULES).event.content == decide(other, smaller).event.content


def test_without_retrieval_tools_a_stub_sends_nobody_on_a_chase() -> None:
    content = decided(prose(5000), retrieval=False).event.content
    assert "tool_result_read" in str(decided(prose(5000)).event.content)
    assert "tool_result_" not in str(content)


def test_a_long_call_id_is_not_quoted_in_the_stub() -> None:
    call = "call_1__thought__" + "A" * 1400
    event = decided(prose(5000), at=address(call=call), call_id=call).event
    assert event.call_id == call
    assert "A" * 100 not in str(event.content)
    assert len(event.ref or "") <= 200


@pytest.mark.parametrize(
    "name", ["../../x", "/tmp/x", "a/b", "CON", "\x00", "x" * 300, "搜索", "Zoë 🧥", "a\nref: coat://x"]
)
def test_a_tool_s_name_is_data_and_no_part_of_a_key(name: str) -> None:
    plain, named = (decided(prose(8000), rules("result.threshold=10"), tool_name=tool).stored for tool in ("t", name))
    assert plain is not None
    assert named is not None
    assert named.metadata.tool_name == name
    assert (named.metadata.output_uri, named.entry) == (plain.metadata.output_uri, plain.entry)


# before every rule


def test_bytes_that_are_not_text_are_always_offloaded() -> None:
    by = rules("result.offload=false", "tools.tool.never=true")
    decision = decide(arrived_bytes(b"\xff\x00\x01"), by)
    event = decision.event
    assert (event.disposition, event.reason, event.kind) == ("offloaded", "binary", "unknown")
    assert (event.original_chars, event.original_lines, event.original_bytes) == (None, None, 3)
    assert decision.stored is not None
    assert decision.stored.output == b"\xff\x00\x01"


@pytest.mark.parametrize(
    "setting", ["result.offload=false", "tools.tool.never=true", "tools.tool.result.offload=false"]
)
def test_a_result_that_must_not_be_offloaded_is_inline_at_any_size(setting: str) -> None:
    assert decided(prose(500_000), rules(setting)).event.disposition == "inline"


@pytest.mark.parametrize("setting", ["result.offload=false", "tools.tool.never=true"])
def test_what_one_message_cannot_carry_is_offloaded_all_the_same(setting: str) -> None:
    event = decided(prose(MAX_EVENT_BYTES), rules(setting)).event
    assert (event.disposition, event.reason) == ("offloaded", "message_limit")


def test_control_characters_count_as_they_are_escaped() -> None:
    decision = decided("\x01" * 200_000, rules("result.threshold=1000000"))
    assert decision.event.reason == "message_limit"
    assert len(decision.encoded) <= MAX_EVENT_BYTES


def test_an_event_that_just_fits_goes_inline() -> None:
    by = rules("result.offload=false")
    frame = len(decided("", by).encoded)
    room = MAX_EVENT_BYTES - frame
    assert decided("x" * (room - 20), by).event.disposition == "inline"
    assert decided("x" * (room + 1), by).event.disposition == "offloaded"


def test_a_stub_too_large_for_any_message_is_refused() -> None:
    with pytest.raises(InvalidResult, match="shorten its ids and names") as caught:
        decided(prose(5000), rules("result.threshold=10", max_event_bytes=1000))
    assert caught.value.reason == "too_large"


# read-backs


@pytest.mark.parametrize("chars", [10, 25_000, 500_000])
def test_a_read_back_goes_inline_with_its_source(chars: int) -> None:
    decision = decided(prose(chars), rules(), tool_name="tool_result_read", source_ref=SOURCE)
    event = decision.event
    assert (event.disposition, event.reason, event.ref) == ("inline", "source_read", SOURCE)
    assert (event.kind, event.synopsis) == (None, None)
    assert decision.stored is None


def test_a_read_back_is_not_stored_for_its_structured_content() -> None:
    fields: dict[str, Any] = {
        "tool_name": "tool_result_read",
        "source_ref": SOURCE,
        "structured_content": {"next": None},
    }
    decision = decided(prose(100), rules(), **fields)
    assert decision.stored is None
    assert [part.ref for part in decision.event.parts or []] == [None, None]


def test_another_session_s_source_protects_nothing() -> None:
    source = SOURCE.replace("s1", "s2")
    event = decided(prose(25_000), rules(), tool_name="tool_result_read", source_ref=source).event
    assert (event.disposition, event.reason) == ("offloaded", "single_threshold")


# units


def test_in_tokens_chinese_is_offloaded_where_as_much_english_is_not() -> None:
    by = rules("budget.unit=tokens", "result.threshold=2000")
    assert decided(prose(5000), by).event.disposition == "inline"
    assert decided("搜索" * 2500, by).event.disposition == "offloaded"


def test_the_unit_may_be_a_function() -> None:
    by = rules("budget.unit=tests.support.deciding:count_lines_only", "result.threshold=100")
    assert decided("x" * 9000, by).event.disposition == "inline"
    assert decided("x\n" * 9000, by).event.disposition == "offloaded"


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\x0b\u2028b", 1)]
)
def test_a_line_ends_at_a_newline_alone(text: str, lines: int) -> None:
    assert count_lines(text) == lines
    assert decided(text).event.original_lines == lines


# other settings


def test_the_stub_is_never_longer_than_its_cap() -> None:
    for cap in (500, 1000, 6000):
        event = decided(json.dumps({f"key{n}": n for n in range(3000)}), rules(f"stub.max_chars={cap}")).event
        assert event.disposition == "offloaded"
        assert len(str(event.content)) <= cap


def test_the_stub_speaks_the_language_that_is_set() -> None:
    english, chinese = (
        str(decided(prose(5000), rules("result.threshold=1", f"stub.language={language}")).event.content)
        for language in ("en", "zh")
    )
    assert english != chinese
    assert not chinese.isascii()


def test_preview_chars_bounds_the_sample_and_stands_in_the_event() -> None:
    samples = []
    for preview in (400, 2000):
        event = decide(arrived_bytes(b"\xff" * 50_000), rules(f"stub.preview_chars={preview}")).event
        assert event.preview_chars == preview
        samples.append(len(str(event.content)))
    assert samples[0] < samples[1]


def test_the_stub_names_the_tools_that_are_set() -> None:
    by = rules("retrieval.read_tool=r_x", "retrieval.search_tool=s_x", "retrieval.list_tool=l_x", "result.threshold=10")
    content = str(decided(prose(5000), by).event.content)
    assert [name in content for name in ("r_x", "s_x", "l_x", "tool_result_")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("text", "quick"),
    [
        ("x" * 4096, True),
        ("x" * 4097, False),
        ('{"a": "' + "x" * 50_000 + '"}\n', True),
        ("[1, " + "2, " * 40_000 + "3]", True),
        ("[1, " + "2, " * 50_000 + "3]", False),
        ("[INFO] started\n" * 900, False),
    ],
)
def test_what_is_decided_on_the_event_loop_is_small_or_json_at_both_its_ends(text: str, quick: bool) -> None:
    assert is_quick(arrived(text)) is quick
