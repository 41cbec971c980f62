"""One result's stub event beside what was published: the budget of one result, the content, the original."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from tests.support.chaos.load import PINNED_TOOL, Planned

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import Disposition, Reason, StubEvent
from coatcheck_schemas.refs import sha256_hex

Outcome = tuple[Disposition, Reason | None]

INLINE: Outcome = ("inline", None)
BY_TURN: Outcome = ("offloaded", "turn_budget")
STORE_FAILURES: frozenset[Outcome] = frozenset(
    {("preview_only", "store_failure"), ("inline", "store_failure"), ("failed", "store_failure")}
)
_STUB_BEGINS = "[Coatcheck: tool result "


def check_event(planned: Planned, event: StubEvent, settings: Settings, *, store_failures: bool) -> Iterator[str]:
    """What is wrong with the event by itself."""
    # Of what can't be decoded the segments are all that is known.
    ids = planned.at.ids if planned.original is None else planned.ids
    if (event.session_id, event.turn_id, event.call_id) != ids:
        yield f"its ids are {(event.session_id, event.turn_id, event.call_id)}, not {ids}"
    outcome: Outcome = (event.disposition, event.reason)
    allowed = possible_outcomes(planned, settings)
    if outcome not in allowed and not (store_failures and outcome in STORE_FAILURES):
        yield f"is {outcome}, which is none of {sorted(map(str, allowed))}"
    if planned.original is None:
        if event.result_id is not None or not event.is_error or not event.error:
            yield "a failed stub bears no result id, and says what was wrong"
        return
    if (event.sha256, event.result_id) != (planned.sha256, planned.result_id):
        yield f"says sha256 {event.sha256} of {event.result_id}, published was {planned.sha256}"
    if event.disposition == "inline":
        yield from _check_inline(planned, event)
    else:
        yield from _check_stub(planned, event, settings)


def possible_outcomes(planned: Planned, settings: Settings) -> set[Outcome]:
    """What the budget of one result leaves open: one outcome, or two where the turn decides."""
    if planned.original is None:
        return {("failed", "invalid")}
    text = planned.text
    if text is None:
        return {("offloaded", "binary")}
    if planned.source is not None:
        return {("inline", "source_read")}
    if planned.tool == PINNED_TOOL:
        return {INLINE}
    # Sure to have a shorter stub, or sure to be under the threshold; what is between is not planned.
    if len(text) > max(settings.result.threshold, settings.stub.max_chars):
        return {("offloaded", "single_threshold")}
    return {INLINE} if planned.at.turn == "=" else {INLINE, BY_TURN}


def inline_size(event: StubEvent) -> int:
    """What the event takes of the context, in chars: media are not counted."""
    return sum(map(len, _texts(event.content))) + max(0, len(_texts(event.content)) - 1)


def sure_to_shrink(planned: Planned, settings: Settings) -> bool:
    """Whether a stub in its place is shorter beyond doubt, and allowed: no stub is longer than `stub.max_chars`."""
    if planned.tool == PINNED_TOOL or planned.source is not None or planned.text is None:
        return False
    return len(planned.text) > settings.stub.max_chars


def check_originals(
    planned: Planned, event: StubEvent, read: Mapping[str, str], errors: Mapping[str, str]
) -> Iterator[str]:
    """Whether every ref of the event reads back to what was published."""
    if planned.original is None:
        return
    parts = [part.ref for part in event.parts or [] if part.ref is not None]
    wanted: dict[str, str] = {}
    if event.disposition != "inline" or event.reason == "store_failure" or planned.structured:
        wanted[planned.ref] = planned.sha256
        if len(parts) != len(planned.media):
            yield f"names {len(parts)} parts with a ref, published were {len(planned.media)}"
        wanted |= dict(zip(parts, map(sha256_hex, planned.media), strict=False))
    for ref, sha256 in wanted.items():
        if ref in errors:
            yield f"{ref} can't be read: {errors[ref]}"
        elif read.get(ref) != sha256:
            yield f"{ref} reads back to sha256 {read.get(ref)}, published was {sha256}"


def _check_inline(planned: Planned, event: StubEvent) -> Iterator[str]:
    if "\n".join(_texts(event.content)) != planned.text:
        yield f"its content is not what was published: {str(event.content)[:100]!r}"
    yield from _check_media(planned, event)
    ref = planned.source if event.reason == "source_read" else planned.ref if event.reason else None
    if event.ref != ref:
        yield f"its ref is {event.ref}, not {ref}"


def _check_stub(planned: Planned, event: StubEvent, settings: Settings) -> Iterator[str]:
    stub = next(iter(_texts(event.content)), "")
    if not stub.startswith(_STUB_BEGINS):
        yield f"its content is no stub: {stub[:100]!r}"
    yield from _check_media(planned, event)
    if len(stub) > settings.stub.max_chars:
        yield f"its stub has {len(stub)} chars, over stub.max_chars"
    if event.ref != planned.ref:
        yield f"its ref is {event.ref}, not {planned.ref}"
    if planned.text is not None and event.disposition == "offloaded" and len(stub) >= len(planned.text):
        yield f"its stub has {len(stub)} chars, no fewer than the result's {len(planned.text)}"


def _check_media(planned: Planned, event: StubEvent) -> Iterator[str]:
    """What an agent sees is passed on with the result and with its stub."""
    media = () if planned.structured else planned.media
    passed_on = tuple(base64.b64decode(block["data"]) for block in _blocks(event.content) if "data" in block)
    if passed_on != media:
        yield f"passes on {len(passed_on)} media, which are not the {len(media)} that were published"


def _texts(content: str | list[msgspec.Raw]) -> list[str]:
    """The content's texts. These loads have no media so large that a note stands in their place."""
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in _blocks(content) if block.get("type") == "text"]


def _blocks(content: str | list[msgspec.Raw]) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return []
    return [msgspec.json.decode(block) for block in content]
