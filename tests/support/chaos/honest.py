"""The evidence that a deployment without a fault would leave, made from a plan by the contract, in one process.

A stub is a line and the result's ref. Some kinds of dishonesty can be asked for, to see whether an audit finds them.
"""

import base64
from typing import Any

import msgspec
from tests.support.chaos.audit_results import BY_TURN, INLINE, Outcome, inline_size, possible_outcomes
from tests.support.chaos.evidence import STREAMS, Evidence, Letter
from tests.support.chaos.load import Plan, Planned, PlannedTurn

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import MAX_MANIFEST_ID_CHARS, Part, SettledResult, StubEvent, TurnSettled
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.subjects import Subjects

SETTINGS = msgspec.convert(
    {
        "result": {"threshold": 8000},
        "turn": {"inline_budget": 20_000},
        "stub": {"max_chars": 500},
        "tools": {"pinned": {"never": True}},
    },
    Settings,
)


def honest_evidence(
    plan: Plan, *, budget: int | None = None, ignore_turns: bool = False, smallest_first: bool = False
) -> Evidence:
    """`budget` stands in for the turns' own; `ignore_turns` offloads nothing for a turn; the rest says itself."""
    limit = 10**12 if ignore_turns else budget or plan.settings.turn.inline_budget
    subjects = Subjects(plan.settings.nats.prefix)
    stored: list[tuple[str, bytes]] = []
    read: dict[str, str] = {}
    for turn in plan.turns:
        deciding = _Deciding(plan.settings, turn, limit, smallest_first)
        deciding.run()
        for planned in turn.results:
            event = deciding.events[planned.name]
            read |= _reads(planned, event)
            subject = subjects.stubs(turn.at.session, turn.at.turn, planned.name)
            stored.append((subject, msgspec.json.encode(event)))
        if turn.settled_by:
            manifest = deciding.manifest(budget or plan.settings.turn.inline_budget)
            stored.append((subjects.settled(turn.at), msgspec.json.encode(manifest)))
    letters = [
        *(_letter(subjects.dlq(one.at), subjects.results(one.at), one.body) for one in plan.results if not one.tool),
        *(_letter(f"coat.{one.letter}", f"coat.{one.subject}", one.body) for one in plan.strays),
    ]
    return Evidence(
        heard=list(stored),
        stored=stored,
        letters=letters,
        read=read,
        read_errors={},
        messages=dict.fromkeys(STREAMS, 0),
        held_ever=len(plan.results),
    )


class _Deciding:
    """One turn, its results in the plan's order."""

    def __init__(self, settings: Settings, turn: PlannedTurn, budget: int, smallest_first: bool) -> None:
        self.events: dict[str, StubEvent] = {}
        self._settings = settings
        self._turn = turn
        self._budget = budget
        self._smallest_first = smallest_first
        self._count = turn.received[0] if turn.settled_by else 0

    def run(self) -> None:
        waits = self._turn.shape in ("sized", "both", "over", "under", "differing")
        for number, planned in enumerate(self._turn.results):
            self.events[planned.name] = self._on_arrival(planned, waits=waits and number < self._count)
            if waits and number == self._count - 1:
                self._settle()

    def manifest(self, budget: int) -> TurnSettled:
        entries = [self._entry(one) for one in self._turn.results[: self._count]]
        return TurnSettled(
            session_id=self._turn.results[0].ids[0],
            turn_id=self._turn.results[0].ids[1],
            settled_by=self._turn.settled_by[0],
            turn_size=None,
            received=self._count,
            budget=budget,
            inline_total=sum(entry.inline_size for entry in entries),
            results=entries,
        )

    def _entry(self, planned: Planned) -> SettledResult:
        event = self.events[planned.name]
        return SettledResult(
            call_id=event.call_id[:MAX_MANIFEST_ID_CHARS],
            result_id=event.result_id,
            disposition=event.disposition,
            reason=event.reason,
            original_chars=event.original_chars,
            inline_size=inline_size(event),
        )

    @property
    def _total(self) -> int:
        return sum(map(inline_size, self.events.values()))

    def _on_arrival(self, planned: Planned, *, waits: bool) -> StubEvent:
        outcomes = possible_outcomes(planned, self._settings)
        if len(outcomes) == 1:
            return _event(planned, outcomes.pop())
        inline = _event(planned, INLINE)
        if waits or self._total + inline_size(inline) < self._budget:
            return inline
        return self._shorter(planned)

    def _shorter(self, planned: Planned) -> StubEvent:
        inline, stub = _event(planned, INLINE), _event(planned, BY_TURN)
        return stub if inline_size(stub) < inline_size(inline) else inline

    def _settle(self) -> None:
        waiting = [one for one in self._turn.results[: self._count] if len(possible_outcomes(one, self._settings)) == 2]
        sign = 1 if self._smallest_first else -1
        for planned in sorted(waiting, key=lambda one: (sign * len(one.text or ""), one.result_id)):
            if self._total >= self._budget:
                self.events[planned.name] = self._shorter(planned)


def _event(planned: Planned, outcome: Outcome) -> StubEvent:
    disposition, reason = outcome
    failed, text = planned.original is None, planned.text
    ids = planned.at.ids if failed else planned.ids
    facts: dict[str, Any] = {
        "session_id": ids[0],
        "turn_id": ids[1],
        "call_id": ids[2],
        "tool_name": planned.tool or None,
        "disposition": disposition,
        "reason": reason,
        "created_at": "2026-01-31T23:59:59.123Z",
    }
    if failed:
        stub = "[Coatcheck: tool result failed]\nreason: invalid\nerror: no JSON"
        return StubEvent(content=stub, is_error=True, error="no JSON", **facts)
    facts |= {"result_id": planned.result_id, "sha256": planned.sha256, "original_chars": text and len(text)}
    media = [] if planned.structured else [_image(one) for one in planned.media]
    if disposition == "inline":
        content = [_text(text or ""), *media] if media else text or ""
        return StubEvent(content=content, ref=planned.source, parts=_parts(planned, planned.structured), **facts)
    stub = f"[Coatcheck: tool result offloaded]\nref: {planned.ref}"
    content = [_text(stub), *media] if media else stub
    return StubEvent(content=content, ref=planned.ref, parts=_parts(planned, True), **facts)


def _parts(planned: Planned, kept: bool) -> list[Part] | None:
    ref = planned.ref if kept else None
    parts = [Part(index=i, type="any", ref=ref and f"{ref}/{i}") for i in range(1, len(planned.media) + 1)]
    return parts or None


def _reads(planned: Planned, event: StubEvent) -> dict[str, str]:
    if planned.original is None or (event.disposition == "inline" and not planned.structured):
        return {}
    media = {f"{planned.ref}/{index}": sha256_hex(one) for index, one in enumerate(planned.media, 1)}
    return {planned.ref: planned.sha256, **media}


def _letter(place: str, subject: str, body: bytes) -> Letter:
    return Letter(
        place,
        {"Coat-Subject": subject, "Nats-Msg-Id": f"COAT_RESULTS-{sha256_hex(subject.encode() + body)[:12]}"},
        body,
    )


def _text(text: str) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({"type": "text", "text": text}))


def _image(data: bytes) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({"type": "image", "data": base64.b64encode(data).decode()}))
