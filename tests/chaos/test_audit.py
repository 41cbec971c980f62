"""The audit itself: it passes what is right, and finds each thing that may go wrong in a doctored log."""

import dataclasses
import functools
from collections.abc import Callable

import msgspec
import pytest
from tests.support.chaos.audit import Allowed, assert_sound, find_faults
from tests.support.chaos.evidence import Evidence, Letter
from tests.support.chaos.honest import SETTINGS, honest_evidence
from tests.support.chaos.load import Plan, Shape, plan_load

from coatcheck_schemas.events import StubEvent, TurnSettled

NOTHING = Allowed()
SEED = 3


@dataclasses.dataclass
class Log:
    """Evidence that may be doctored."""

    plan: Plan
    evidence: Evidence

    def faults(self, allowed: Allowed = NOTHING) -> list[str]:
        return find_faults(self.plan, self.evidence, allowed)

    def replace(self, **fields: object) -> None:
        self.evidence = msgspec.structs.replace(self.evidence, **fields)

    def subject(self, wanted: Callable[[StubEvent], bool]) -> str:
        """Of a stub event that is so."""
        events = ((one, data) for one, data in self.evidence.stored if one.startswith("coat.stubs."))
        return next(one for one, data in events if wanted(msgspec.json.decode(data, type=StubEvent)))

    def manifest_of(self, shape: Shape) -> str:
        """The subject of the largest turn's manifest of this shape."""
        turns = [turn for turn in self.plan.turns if turn.shape == shape and turn.settled_by]
        at = max(turns, key=lambda turn: len(turn.results)).at
        return f"coat.settled.{at.session}.{at.turn}"

    def rewrite(self, subject: str, **fields: object) -> None:
        """Other values in the event or manifest, stored and heard."""
        kind: type[StubEvent | TurnSettled] = StubEvent if subject.startswith("coat.stubs.") else TurnSettled

        def rewritten(one: str, data: bytes) -> bytes:
            if one != subject:
                return data
            return msgspec.json.encode(msgspec.structs.replace(msgspec.json.decode(data, type=kind), **fields))

        self.replace(
            stored=[(one, rewritten(one, data)) for one, data in self.evidence.stored],
            heard=[(one, rewritten(one, data)) for one, data in self.evidence.heard],
        )


@functools.cache
def _honest(seed: int) -> tuple[Plan, Evidence]:
    plan = plan_load(SETTINGS, seed, results=240, turns=20, largest_turn=30)
    return plan, honest_evidence(plan)


@pytest.fixture
def log() -> Log:
    return Log(*_honest(SEED))


def _offloaded(event: StubEvent) -> bool:
    return event.disposition == "offloaded"


def _failed(event: StubEvent) -> bool:
    return event.disposition == "failed"


@pytest.mark.parametrize("seed", range(1, 9))
def test_honest_log_has_no_fault(seed: int) -> None:
    assert Log(*_honest(seed)).faults() == []


def test_same_seed_gives_the_same_load(log: Log) -> None:
    again = plan_load(SETTINGS, SEED, results=240, turns=20, largest_turn=30)
    assert again == log.plan
    assert {turn.shape for turn in again.turns} == set(Shape.__args__)  # type: ignore[attr-defined]


def test_missing_stub_is_found(log: Log) -> None:
    subject = log.subject(_offloaded)
    log.replace(stored=[one for one in log.evidence.stored if one[0] != subject])
    assert f"{subject}: stored 0 times, not once" in log.faults()


def test_missing_failed_stub_is_found(log: Log) -> None:
    subject = log.subject(_failed)
    log.replace(stored=[one for one in log.evidence.stored if one[0] != subject])
    assert f"{subject}: stored 0 times, not once" in log.faults()


def test_doubled_stub_is_found(log: Log) -> None:
    log.replace(stored=[*log.evidence.stored, log.evidence.stored[0]])
    assert log.faults() == [f"{log.evidence.stored[0][0]}: stored 2 times, not once"]


def test_stub_heard_twice_is_found_even_where_nats_was_away(log: Log) -> None:
    log.replace(heard=[*log.evidence.heard, log.evidence.heard[0]])
    assert log.faults(Allowed(nats_away=True)) == [f"{log.evidence.heard[0][0]}: heard 2 times, not once"]


def test_stub_that_was_stored_and_not_heard_is_found_unless_nats_was_away(log: Log) -> None:
    (subject, _), *others = log.evidence.heard
    log.replace(heard=others)
    assert log.faults() == [f"{subject}: heard 0 times, not once"]
    assert log.faults(Allowed(nats_away=True)) == []


def test_stub_heard_with_other_bytes_than_are_stored_is_found(log: Log) -> None:
    (subject, data), *others = log.evidence.heard
    log.replace(heard=[(subject, data + b" "), *others])
    assert log.faults() == [f"{subject}: other bytes were heard than are stored"]


def test_stub_that_nothing_explains_is_found(log: Log) -> None:
    stray = ("coat.stubs.s1.=.call-0", b"{}")
    log.replace(stored=[*log.evidence.stored, stray])
    assert log.faults() == ["coat.stubs.s1.=.call-0: nothing was published that explains it"]


def test_altered_inline_content_is_found(log: Log) -> None:
    subject = log.subject(lambda event: event.disposition == "inline" and isinstance(event.content, str))
    log.rewrite(subject, content="something else")
    assert any(fault.startswith(f"{subject}: its content is not what was published") for fault in log.faults())


def test_wrong_hash_of_an_original_is_found(log: Log) -> None:
    ref, sha256 = next(iter(log.evidence.read.items()))
    log.replace(read={**log.evidence.read, ref: "0" * 64})
    assert any(f"{ref} reads back to sha256 {'0' * 64}, published was {sha256}" in fault for fault in log.faults())


def test_original_that_cannot_be_read_is_found(log: Log) -> None:
    ref, *_ = log.evidence.read
    log.replace(read_errors={ref: "not_found"})
    assert any(f"{ref} can't be read: not_found" in fault for fault in log.faults())


def test_wrong_hash_in_an_event_is_found(log: Log) -> None:
    subject = log.subject(_offloaded)
    log.rewrite(subject, sha256="0" * 64)
    assert any(fault.startswith(f"{subject}: says sha256") for fault in log.faults())


def test_result_over_its_threshold_that_went_inline_is_found(log: Log) -> None:
    subject = log.subject(lambda event: event.reason == "single_threshold")
    log.rewrite(subject, disposition="inline", reason=None)
    assert any(fault.startswith(f"{subject}: is ('inline', None)") for fault in log.faults())


def test_store_failure_is_a_fault_unless_the_store_was_away_for_long(log: Log) -> None:
    subject = log.subject(lambda event: event.reason == "single_threshold" and event.turn_id == "")
    log.rewrite(subject, disposition="preview_only", reason="store_failure")
    assert any("preview_only" in fault for fault in log.faults())
    assert log.faults(Allowed(store_failures=True)) == []


@pytest.mark.parametrize("shape", ["sized", "end", "end_sized", "over", "partly"])
def test_missing_manifest_is_found(log: Log, shape: Shape) -> None:
    subject = log.manifest_of(shape)
    log.replace(stored=[one for one in log.evidence.stored if one[0] != subject])
    assert f"{subject}: stored 0 times, not once" in log.faults()


def test_doubled_manifest_is_found(log: Log) -> None:
    subject = log.manifest_of("sized")
    log.replace(heard=[*log.evidence.heard, *(one for one in log.evidence.heard if one[0] == subject)])
    assert log.faults() == [f"{subject}: heard 2 times, not once"]


def test_manifest_of_a_turn_whose_size_nobody_said_is_found(log: Log) -> None:
    at = next(turn.at for turn in log.plan.turns if turn.shape == "open")
    data = next(data for one, data in log.evidence.stored if one == log.manifest_of("end"))
    subject = f"coat.settled.{at.session}.{at.turn}"
    log.replace(stored=[*log.evidence.stored, (subject, data)])
    assert f"{subject}: nothing was published that explains it" in log.faults()


def test_turn_over_its_budget_is_found(log: Log) -> None:
    """As of workers that each looked at their own result alone: everything at or under the threshold went inline."""
    log.evidence = honest_evidence(log.plan, ignore_turns=True)
    faults = log.faults()
    assert any(f"is not below {SETTINGS.turn.inline_budget}, and yet" in fault for fault in faults)
    assert any("results that could be offloaded went inline" in fault for fault in faults)


def test_turn_offloaded_for_no_need_is_found(log: Log) -> None:
    log.evidence = honest_evidence(log.plan, budget=1)
    faults = [fault for fault in log.faults() if "its budget is 1" not in fault]
    assert any("though the turn was within its budget already" in fault for fault in faults)
    assert any("though there was room for it" in fault for fault in faults)


def test_turn_offloaded_smallest_first_is_found(log: Log) -> None:
    log.evidence = honest_evidence(log.plan, smallest_first=True)
    assert any("is offloaded before the larger" in fault for fault in log.faults())


def test_manifest_that_forgets_a_result_is_found(log: Log) -> None:
    subject = log.manifest_of("sized")
    data = next(data for one, data in log.evidence.stored if one == subject)
    log.rewrite(subject, results=msgspec.json.decode(data, type=TurnSettled).results[1:])
    faults = [fault for fault in log.faults() if fault.startswith(subject)]
    assert any("lists" in fault for fault in faults)
    assert any("add up to" in fault for fault in faults)


def test_manifest_at_odds_with_a_stub_event_is_found(log: Log) -> None:
    subject = log.manifest_of("sized")
    data = next(data for one, data in log.evidence.stored if one == subject)
    first, *others = msgspec.json.decode(data, type=TurnSettled).results
    log.rewrite(subject, results=[msgspec.structs.replace(first, original_chars=-1), *others])
    assert any(fault.startswith(subject) and "its stub event says" in fault for fault in log.faults())


def test_turn_settled_before_all_had_come_is_found(log: Log) -> None:
    subject = log.manifest_of("sized")
    log.rewrite(subject, settled_by="deadline", received=0)
    faults = [fault for fault in log.faults() if fault.startswith(subject)]
    assert any("settled by deadline, not by size" in fault for fault in faults)
    assert any("received 0 results, not" in fault for fault in faults)


def test_missing_dead_letter_is_found(log: Log) -> None:
    gone = log.evidence.letters[0].headers["Coat-Subject"]
    log.replace(letters=[one for one in log.evidence.letters if one.headers["Coat-Subject"] != gone])
    assert any("0 dead letters, not 1" in fault for fault in log.faults())


def test_dead_letter_of_a_good_result_is_found(log: Log) -> None:
    good = next(one for one in log.plan.results if one.original is not None)
    subject = f"coat.results.{good.at.session}.{good.at.turn}.{good.at.call}"
    headers = {"Coat-Subject": subject, "Coat-Reason": "internal", "Nats-Msg-Id": "COAT_RESULTS-1000000"}
    log.replace(letters=[*log.evidence.letters, Letter("coat.dlq.=.=.=", headers, good.body)])
    assert any("dead letters of what is good (internal" in fault for fault in log.faults())


def test_dead_letter_written_twice_is_found(log: Log) -> None:
    log.replace(letters=[*log.evidence.letters, log.evidence.letters[0]])
    assert any("there 2 times" in fault for fault in log.faults(Allowed(nats_away=True)))


@pytest.mark.parametrize("stream", ["results", "held"])
def test_what_still_waits_is_found(log: Log, stream: str) -> None:
    log.replace(messages={**log.evidence.messages, stream: 1})
    assert log.faults() == [f"stream {stream}: holds 1 messages, more than 0"]


def test_ledger_that_grew_is_found(log: Log) -> None:
    log.replace(messages={**log.evidence.messages, "ledger": 100_000})
    assert any(fault.startswith("stream ledger: holds 100000 messages") for fault in log.faults())


def test_results_that_were_held_again_and_again_are_found(log: Log) -> None:
    log.replace(held_ever=100_000)
    assert any(fault.startswith("stream held: held 100000 times") for fault in log.faults())


def test_failure_says_the_seed_and_where_to_look(log: Log) -> None:
    log.replace(stored=log.evidence.stored[1:])
    with pytest.raises(AssertionError, match=r"SEED=3: 1 faults\n- .*\nLook at: the logs") as failure:
        assert_sound(log.plan, log.evidence, NOTHING, "the logs")
    assert "make chaos SEED=3" in str(failure.value)
