"""The audit after a load, the same whatever had happened: nothing lost, nothing twice, nothing altered, nothing left.

Pure: it compares a plan with the evidence, by the contract's words alone, so that a doctored log shows whether it can
fail. Faults are sentences that begin with the subject to look at.
"""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote

import msgspec
from tests.support.chaos.audit_results import check_event, check_originals
from tests.support.chaos.audit_turns import check_turn
from tests.support.chaos.evidence import Evidence, Letter
from tests.support.chaos.load import Plan

from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.subjects import Subjects

SHOWN_FAULTS = 40


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """What the faults of a scenario excuse. Where the store fails, results are held and let go of many times.

    `nats_away`: a live subscription may have missed what went by while its server was gone, and a publish that was
    repeated then may be stored twice. `store_failures`: stub events may say that the store has failed for long.
    """

    nats_away: bool = False
    store_failures: bool = False
    held_each: int = 3
    """How often a message may have been held, on the average, before its stub went out."""


def assert_sound(plan: Plan, evidence: Evidence, allowed: Allowed, look_at: str) -> None:
    """Fails with every fault, the seed, and where to look."""
    faults = find_faults(plan, evidence, allowed)
    if faults:
        shown = "\n".join(f"- {fault}" for fault in faults[:SHOWN_FAULTS])
        more = f"\n... and {len(faults) - SHOWN_FAULTS} more" if len(faults) > SHOWN_FAULTS else ""
        raise AssertionError(
            f"SEED={plan.seed}: {len(faults)} faults\n{shown}{more}\n"
            f"Look at: {look_at}; a subject's segments are those of its call in the ledger and in object storage.\n"
            f"Again: SEED={plan.seed} and the same test, or `make chaos SEED={plan.seed}`."
        )


def find_faults(plan: Plan, evidence: Evidence, allowed: Allowed) -> list[str]:
    """All that is wrong; an empty list where nothing is."""
    return [
        *_stub_events(plan, evidence, allowed),
        *_turns(plan, evidence, allowed),
        *_letters(plan, evidence, allowed),
        *_streams(plan, evidence, allowed),
    ]


def _stub_events(plan: Plan, evidence: Evidence, allowed: Allowed) -> Iterator[str]:
    subjects = Subjects(plan.settings.nats.prefix)
    expected = {subjects.stubs(one.at.session, one.at.turn, one.name): one for one in plan.results}
    head = f"{subjects.prefix}.stubs."
    yield from _each_once(head, set(expected), evidence, allowed)
    stored = dict(evidence.stored)
    for subject, planned in expected.items():
        if subject in stored:
            event = msgspec.json.decode(stored[subject], type=StubEvent)
            found = [*check_event(planned, event, plan.settings, store_failures=allowed.store_failures)]
            found += check_originals(planned, event, evidence.read, evidence.read_errors)
            yield from (f"{subject}: {fault}" for fault in found)


def _turns(plan: Plan, evidence: Evidence, allowed: Allowed) -> Iterator[str]:
    subjects = Subjects(plan.settings.nats.prefix)
    stored = dict(evidence.stored)
    due = {subjects.settled(turn.at) for turn in plan.turns if turn.settled_by}
    yield from _each_once(f"{subjects.prefix}.settled.", due, evidence, allowed)
    for turn in plan.turns:
        events = {}
        for planned in turn.results:
            data = stored.get(subjects.stubs(turn.at.session, turn.at.turn, planned.name))
            if data is not None:
                events[planned.name] = msgspec.json.decode(data, type=StubEvent)
        subject = subjects.settled(turn.at)
        manifest = msgspec.json.decode(stored[subject], type=TurnSettled) if subject in stored else None
        for fault in check_turn(turn, events, manifest, plan.settings):
            yield f"{subject} ({turn.shape}, {len(turn.results)} results): {fault}"


def _each_once(head: str, due: set[str], evidence: Evidence, allowed: Allowed) -> Iterator[str]:
    """Each subject under `head` exactly once, stored and heard, with the same bytes, and no other subject."""
    stored = Counter(subject for subject, _ in evidence.stored if subject.startswith(head))
    heard = Counter(subject for subject, _ in evidence.heard if subject.startswith(head))
    bodies = dict(evidence.stored)
    for subject in sorted(due):
        if stored[subject] != 1:
            yield f"{subject}: stored {stored[subject]} times, not once"
        elif heard[subject] > 1 or (heard[subject] == 0 and not allowed.nats_away):
            yield f"{subject}: heard {heard[subject]} times, not once"
    for subject in sorted({*stored, *heard} - due):
        yield f"{subject}: nothing was published that explains it"
    for subject, body in evidence.heard:
        if subject in due and bodies.get(subject, body) != body:
            yield f"{subject}: other bytes were heard than are stored"


def _letters(plan: Plan, evidence: Evidence, allowed: Allowed) -> Iterator[str]:
    subjects = Subjects(plan.settings.nats.prefix)
    bad = {subjects.results(one.at): one for one in plan.results if one.original is None}
    most = {subject: one.copies + one.again for subject, one in bad.items()}
    bodies = {subject: one.body for subject, one in bad.items()}
    places = {subject: subjects.dlq(one.at) for subject, one in bad.items()}
    for stray in plan.strays:
        subject = f"{subjects.prefix}.{stray.subject}"
        most[subject], bodies[subject], places[subject] = 1, stray.body, f"{subjects.prefix}.{stray.letter}"
    found: dict[str, list[Letter]] = {}
    for letter in evidence.letters:
        found.setdefault(unquote(letter.headers.get("Coat-Subject", "")), []).append(letter)
    for subject, letters in sorted(found.items()):
        if subject not in bodies:
            reasons = {f"{one.headers.get('Coat-Reason')}: {one.headers.get('Coat-Error')}" for one in letters}
            yield f"{subject}: {len(letters)} dead letters of what is good ({'; '.join(sorted(reasons))})"
        elif any(one.subject != places[subject] or one.body != bodies[subject] for one in letters):
            yield f"{subject}: its dead letter is not what was published, or not under {places[subject]}"
    for subject in sorted(bodies):
        count = len(found.get(subject, []))
        if not count or (count > most[subject] and not allowed.nats_away):
            yield f"{subject}: {count} dead letters, not 1 to {most[subject]}"
    ids = Counter(letter.headers.get("Nats-Msg-Id") for letter in evidence.letters)
    yield from (f"dead letter {name}: there {count} times" for name, count in ids.items() if count > 1)


def _streams(plan: Plan, evidence: Evidence, allowed: Allowed) -> Iterator[str]:
    """Nothing waits; the ledger has no more than an entry and a failure for each message, and one for each turn.

    What is held again and again was not waiting but going round.
    """
    most = {"results": 0, "held": 0, "ledger": 2 * plan.messages + len(plan.turns)}
    if evidence.held_ever > allowed.held_each * plan.messages:
        yield f"stream held: held {evidence.held_ever} times, over {allowed.held_each} times {plan.messages} messages"
    for name, messages in evidence.messages.items():
        if messages is None:
            yield f"stream {name}: is not there"
        elif messages > most.get(name, messages):
            yield f"stream {name}: holds {messages} messages, more than {most[name]}"
