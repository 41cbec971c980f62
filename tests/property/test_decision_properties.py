"""The decision, for every result there is."""

import base64
import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.deciding import address, arrived, arrived_bytes, rules

from coatcheck_core.arrival import Result
from coatcheck_core.decision import decide
from coatcheck_core.rules import Decision, Rules
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import sha256_hex

MAX_EVENT_BYTES = 120_000
BY = [
    rules("result.threshold=0", max_event_bytes=MAX_EVENT_BYTES),
    rules("result.threshold=500", "stub.max_chars=500", "budget.unit=tokens", max_event_bytes=MAX_EVENT_BYTES),
    rules("result.offload=false", max_event_bytes=MAX_EVENT_BYTES),
]

pieces = st.text(max_size=30)
repeated = st.builds(str.__mul__, st.text(min_size=1, max_size=20), st.sampled_from([1, 1, 100, 3000, 9000]))
texts = st.one_of(pieces, repeated, st.lists(pieces, max_size=30).map(json.dumps))
media = st.builds(
    lambda data, mime_type: {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime_type},
    st.builds(bytes.__mul__, st.binary(max_size=10), st.sampled_from([0, 1, 5000, 20_000])),
    st.none() | texts,
)
blocks = st.lists(media | texts.map(lambda text: {"type": "text", "text": text}), max_size=6)
structured = st.none() | st.dictionaries(pieces, texts, max_size=4)
results = st.one_of(
    st.builds(
        lambda content, extra, name, call: arrived(
            content, at=address(call=call), structured_content=extra, tool_name=name
        ),
        texts | blocks,
        structured,
        pieces,
        pieces,
    ),
    st.builds(bytes.__mul__, st.binary(max_size=40), st.sampled_from([1, 1, 2000, 20_000])).map(arrived_bytes),
)
some_rules = st.sampled_from(BY)
checked = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(results, some_rules)
@checked
def test_no_event_is_larger_than_a_message(result: Result, by: Rules) -> None:
    decision = decide(result, by)
    assert len(decision.encoded) <= by.max_event_bytes
    assert json.loads(decision.encoded)["call_id"] == result.call_id


@given(results, some_rules)
@checked
def test_a_decision_is_the_same_every_time(result: Result, by: Rules) -> None:
    assert decide(result, by) == decide(result, by)


@given(results, some_rules)
@checked
def test_what_is_decided_decodes_from_its_json(result: Result, by: Rules) -> None:
    decision = decide(result, by)
    assert msgspec.json.encode(msgspec.json.decode(decision.encoded, type=StubEvent)) == decision.encoded
    if decision.stored is not None:
        encoded = msgspec.json.encode(decision.stored.metadata)
        assert msgspec.json.decode(encoded, type=Metadata) == decision.stored.metadata


@given(results, some_rules)
@checked
def test_an_offloaded_original_is_stored_whole_and_an_inline_one_is_given_whole(result: Result, by: Rules) -> None:
    decision = decide(result, by)
    if decision.event.disposition == "offloaded":
        assert decision.stored is not None
        assert isinstance(decision.stored.output, bytes)
        assert sha256_hex(decision.stored.output) == result.sha256 == decision.event.sha256
        assert len(_stub(decision)) <= by.settings.stub.max_chars
        return
    assert result.received.text is not None
    assert _given_text(decision) == result.received.text


@given(results, some_rules)
@checked
def test_every_part_with_a_ref_is_stored(result: Result, by: Rules) -> None:
    decision = decide(result, by)
    named = {part.index: part.bytes for part in decision.event.parts or [] if part.ref is not None}
    kept = {index: len(body) for index, body in decision.stored.parts} if decision.stored is not None else {}
    assert named.items() <= kept.items()


def _contents(decision: Decision) -> Any:
    return json.loads(decision.encoded)["content"]


def _stub(decision: Decision) -> str:
    content = _contents(decision)
    return str(content if isinstance(content, str) else content[0]["text"])


def _given_text(decision: Decision) -> str:
    content = _contents(decision)
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")
