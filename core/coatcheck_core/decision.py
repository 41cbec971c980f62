"""The decision over one result: what its session receives, and what is kept. Pure: the worker carries it out."""

from collections.abc import Callable
from typing import Any

import msgspec

from coatcheck_core.arrival import Result, read_back
from coatcheck_core.budget import is_shorter, limits_of, must_offload, over_threshold
from coatcheck_core.media import with_media
from coatcheck_core.parts import fitting_parts, name_parts, part_bodies
from coatcheck_core.settings import Settings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.events import Reason, StubEvent
from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_schemas.times import format_time, to_milliseconds

PARTS_SHARE = 4
"""An event's list of parts takes at most this share of its message; the metadata has them all."""


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What object storage keeps of a result, to be written in this order."""

    output: bytes
    parts: list[tuple[int, bytes]]
    metadata: Metadata
    entry: TimeEntry


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The event and its JSON, which is published as it is; `stored` where something is to be kept first."""

    event: StubEvent
    encoded: bytes
    stored: Stored | None


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What decisions depend on besides the result.

    `count` measures a text in `budget.unit`, `max_event_bytes` bounds an encoded stub event, `uri` names an object.
    """

    settings: Settings
    keys: Keys
    count: Callable[[str], int]
    uri: Callable[[str], str]
    max_event_bytes: int


def decide(result: Result, rules: Rules) -> Decision:
    """Inline, or a stub in its place. Raises InvalidResult where not even the stub fits one message."""
    received = result.received
    inline = _inline_event(result, rules)
    encoded = _encode_within(inline, rules.max_event_bytes)
    forced = must_offload(is_text=received.text is not None, fits_inline=encoded is not None)
    if forced is not None or encoded is None:
        return _offload(result, rules, _draft(result, rules, forced or "message_limit"))
    length = rules.count(received.text or "")
    if inline.reason != "source_read" and over_threshold(length, limits_of(rules.settings, received.tool_name)):
        draft = _draft(result, rules, "single_threshold")
        if is_shorter(rules.count(draft.stub), length):
            return _offload(result, rules, draft)
    stored = _store(result, rules, _synopsis(result)) if _keeps_inline(result, inline.reason) else None
    return Decision(event=inline, encoded=encoded, stored=stored)


def _keeps_inline(result: Result, reason: Reason | None) -> bool:
    """Structured content that says more than the text is kept; what is read back is kept where it was read."""
    return result.received.structured_content is not None and reason != "source_read"


class _Draft(msgspec.Struct, frozen=True):
    """What would stand in the result's place."""

    reason: Reason
    synopsis: Synopsis
    stub: str


def _draft(result: Result, rules: Rules, reason: Reason) -> _Draft:
    synopsis = _synopsis(result)
    return _Draft(reason, synopsis, _stub(result, rules, reason, synopsis))


def _inline_event(result: Result, rules: Rules) -> StubEvent:
    received = result.received
    source = read_back(result, rules.settings.retrieval)
    reason: Reason | None = None if source is None else "source_read"
    kept_as = result.ref if _keeps_inline(result, reason) else None
    content: str | list[msgspec.Raw] = received.text or ""
    if received.blocks is not None and any(block.type != "text" for block in received.blocks):
        content = [msgspec.Raw(block.raw) for block in received.blocks]
    return StubEvent(
        disposition="inline",
        content=content,
        ref=source,
        reason=reason,
        parts=fitting_parts(name_parts(received, kept_as), rules.max_event_bytes // PARTS_SHARE),
        **_facts(result, rules),
    )


def _offload(result: Result, rules: Rules, draft: _Draft) -> Decision:
    synopsis = draft.synopsis
    event = StubEvent(
        disposition="offloaded",
        content=draft.stub,
        ref=result.ref,
        reason=draft.reason,
        kind=synopsis.kind,
        format=synopsis.format,
        synopsis=synopsis,
        parts=fitting_parts(name_parts(result.received, result.ref), rules.max_event_bytes // PARTS_SHARE),
        **_facts(result, rules),
    )
    event = with_media(event, result.received.blocks or [], result.ref, rules.max_event_bytes)
    encoded = _encode_within(event, rules.max_event_bytes)
    if encoded is None:
        raise InvalidResult("too_large", "not even the stub of this result fits one message: shorten its ids and names")
    return Decision(event=event, encoded=encoded, stored=_store(result, rules, synopsis))


def _synopsis(result: Result) -> Synopsis:
    received = result.received
    return synopsize(received.data, received.mime_type, text=received.text)


def _stub(result: Result, rules: Rules, reason: Reason, synopsis: Synopsis) -> str:
    received = result.received
    subject = StubSubject(
        tool_name=received.tool_name,
        ref=result.ref,
        sha256=result.sha256,
        reason=reason,
        original_chars=None if received.text is None else len(received.text),
        original_bytes=len(received.data),
        text=received.text,
        data=received.data,
        synopsis=synopsis,
        retrieval=received.retrieval,
        parts=name_parts(received, result.ref),
        is_error=received.is_error,
    )
    return render_stub(subject, rules.settings.stub, rules.settings.retrieval)


def _facts(result: Result, rules: Rules) -> dict[str, Any]:
    """The fields that inline and offloaded events share."""
    received = result.received
    return {
        "session_id": result.session_id,
        "turn_id": result.turn_id,
        "call_id": result.call_id,
        "tool_name": received.tool_name,
        "result_id": result.result_id,
        "original_chars": None if received.text is None else len(received.text),
        "original_bytes": len(received.data),
        "original_lines": None if received.text is None else count_lines(received.text),
        "preview_chars": rules.settings.stub.preview_chars,
        "sha256": result.sha256,
        "mime_type": received.mime_type,
        "is_error": received.is_error,
        "created_at": format_time(result.received_at),
    }


def _store(result: Result, rules: Rules, synopsis: Synopsis) -> Stored:
    received, keys = result.received, rules.keys
    facts = _facts(result, rules)
    del facts["result_id"]
    metadata = Metadata(
        tool_result_id=result.result_id,
        result_id=result.result_id,
        ref=result.ref,
        message_id=received.message_id,
        tool_id=result.call_id,
        agent_id=received.agent_id,
        synopsis_kind=synopsis.kind,
        synopsis_format=synopsis.format,
        synopsis=synopsis,
        storage_uri=rules.uri(keys.result(result.address.session, result.result_id)),
        output_uri=rules.uri(keys.output(result.address.session, result.result_id)),
        parts=name_parts(received, result.ref),
        replaced_surrogates=received.replaced_surrogates,
        warnings=received.warnings,
        **facts,
    )
    entry = TimeEntry(to_milliseconds(result.received_at), turn_hash(result.address.turn), result.result_id)
    return Stored(output=received.data, parts=part_bodies(received), metadata=metadata, entry=entry)


def _encode_within(event: StubEvent, max_bytes: int) -> bytes | None:
    """The event's JSON, or None where it is over the limit."""
    encoded = msgspec.json.encode(event)
    return encoded if len(encoded) <= max_bytes else None


def count_lines(text: str) -> int:
    """A line ends at `\\n` alone; a last one without it counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")
