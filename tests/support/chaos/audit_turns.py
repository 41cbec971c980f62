"""One turn's manifest beside its stub events and its budget: schemas/README.md, "The budget of a turn"."""

from collections import Counter
from collections.abc import Iterator, Mapping

from tests.support.chaos.audit_results import BY_TURN, INLINE, inline_size, sure_to_shrink
from tests.support.chaos.load import Planned, PlannedTurn

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import MAX_MANIFEST_ID_CHARS, SettledResult, StubEvent, TurnSettled
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.segments import encode_segment, is_shortened

_ALL_WAIT = ("sized", "both", "over", "under", "differing")
"""Each of the results bears a size, so that none is decided before the turn is settled."""
_NONE_WAITS = ("open", "end", "end_sized")

Events = Mapping[str, StubEvent]
"""By the last segment of their subjects."""


def check_turn(turn: PlannedTurn, events: Events, manifest: TurnSettled | None, settings: Settings) -> Iterator[str]:
    """What is wrong with a turn; what is missing altogether is found elsewhere."""
    if turn.shape == "none":
        return
    if any(event.reason == "store_failure" for event in events.values()):
        # What then goes into the context is not what was decided: only the manifest's own sums can be checked.
        if manifest is not None:
            yield from _check_manifest(turn, events, manifest, settings)
        return
    in_manifest: set[str] = set()
    if manifest is not None:
        yield from _check_manifest(turn, events, manifest, settings)
        in_manifest = {_name(entry) for entry in manifest.results}
        if turn.shape in _ALL_WAIT:
            yield from _check_settled_budget(turn, manifest, settings)
    on_arrival = [
        one for one in turn.results if one.name in events and (turn.shape in _NONE_WAITS or one.name not in in_manifest)
    ]
    if manifest is not None or turn.shape in _NONE_WAITS:
        spent = 0 if manifest is None or turn.shape in _NONE_WAITS else manifest.inline_total
        yield from _check_on_arrival(on_arrival, events, spent, settings)


def _check_manifest(turn: PlannedTurn, events: Events, manifest: TurnSettled, settings: Settings) -> Iterator[str]:
    least, most = turn.received
    if turn.settled_by and manifest.settled_by not in turn.settled_by:
        yield f"settled by {manifest.settled_by}, not by {' or '.join(turn.settled_by)}"
    if not least <= manifest.received <= most:
        yield f"received {manifest.received} results, not {least} to {most}"
    if manifest.budget != settings.turn.inline_budget:
        yield f"its budget is {manifest.budget}, not {settings.turn.inline_budget}"
    if len(manifest.results) != manifest.received:
        yield f"lists {len(manifest.results)} results, received {manifest.received}"
    if (total := sum(entry.inline_size for entry in manifest.results)) != manifest.inline_total:
        yield f"its inline_total is {manifest.inline_total}, its results add up to {total}"
    ids = {turn.at.ids, *(one.ids[:2] for one in turn.results)}
    if (manifest.session_id, manifest.turn_id) not in ids:
        yield f"its ids are {(manifest.session_id, manifest.turn_id)}, not {turn.results[0].ids[:2]}"
    known = {one.name for one in turn.results}
    counts = Counter(map(_name, manifest.results))
    yield from (f"lists {name} {count} times" for name, count in counts.items() if count > 1)
    yield from (f"lists {name}, which was not published" for name in counts if name not in known)
    for entry in manifest.results:
        event = events.get(_name(entry))
        if event is not None and event.reason != "store_failure":
            yield from _compare(entry, event)


def _compare(entry: SettledResult, event: StubEvent) -> Iterator[str]:
    if entry.call_id != event.call_id[:MAX_MANIFEST_ID_CHARS]:
        yield f"says {entry.call_id} where the stub event says {event.call_id}"
    said = (entry.disposition, entry.reason, entry.original_chars, entry.inline_size)
    heard = (event.disposition, event.reason, event.original_chars, inline_size(event))
    if said != heard:
        yield f"says {said} of {_name(entry)}, its stub event says {heard}"


def _check_settled_budget(turn: PlannedTurn, manifest: TurnSettled, settings: Settings) -> Iterator[str]:
    """Within the budget, or nothing more to offload; the largest first; and nothing offloaded that need not be."""
    planned = {one.name: one for one in turn.results}
    inline, offloaded = [], []
    for entry in manifest.results:
        one = planned.get(_name(entry))
        if one is not None and (entry.disposition, entry.reason) == INLINE and sure_to_shrink(one, settings):
            inline.append(entry)
        elif (entry.disposition, entry.reason) == BY_TURN:
            offloaded.append(entry)
    if manifest.inline_total >= settings.turn.inline_budget and inline:
        yield (
            f"its total of {manifest.inline_total} is not below {settings.turn.inline_budget},"
            f" and yet {_name(min(inline, key=_rank))} is inline"
        )
    if not offloaded:
        return
    last = max(offloaded, key=_rank)
    if inline and _rank(first := min(inline, key=_rank)) < _rank(last):
        yield f"{_name(last)} is offloaded before the larger {_name(first)}"
    if manifest.inline_total - last.inline_size + (last.original_chars or 0) < settings.turn.inline_budget:
        yield f"{_name(last)} is offloaded, though the turn was within its budget already"


def _check_on_arrival(results: list[Planned], events: Events, spent: int, settings: Settings) -> Iterator[str]:
    """Whatever the order: each one inline fitted with those before it, each one offloaded did not.

    `spent` is what the turn had spent before the first of them.
    """
    budget = settings.turn.inline_budget
    chosen = [one for one in results if _outcome(events[one.name]) == INLINE and sure_to_shrink(one, settings)]
    went_inline = sum(inline_size(events[one.name]) for one in chosen)
    if chosen and spent + went_inline >= budget:
        yield f"results that could be offloaded went inline, {spent} and {went_inline} chars of {budget}"
    total = spent + sum(inline_size(events[one.name]) for one in results)
    for one in results:
        event = events[one.name]
        if _outcome(event) == BY_TURN and total - inline_size(event) + len(one.text or "") < budget:
            yield f"{one.name} is offloaded, though there was room for it in {budget}: {total} in all"


def _outcome(event: StubEvent) -> tuple[str, str | None]:
    return event.disposition, event.reason


def _name(entry: SettledResult) -> str:
    """The last segment of the subject of the entry's stub event."""
    if entry.result_id is not None:
        return entry.result_id
    # A segment that was shortened stands as the id.
    return failed_id(entry.call_id if is_shortened(entry.call_id) else encode_segment(entry.call_id))


def _rank(entry: SettledResult) -> tuple[int, str]:
    """In this order what waits is offloaded."""
    return -(entry.original_chars or 0), entry.result_id or ""
