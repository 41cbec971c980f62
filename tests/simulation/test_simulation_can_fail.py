"""The audit of a simulation finds what it is there for: each rule that keeps results safe is broken once."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

import pytest
from tests.support.simulation.fates import Fate, FaultAt, Plan, Storm
from tests.support.simulation.scenarios import SCENARIOS, Scenario, random_scenario
from tests.support.simulation.simulating import simulate
from tests.support.simulation.streams import Stream
from tests.support.simulation.world import SimulatedMessage

from coatcheck_workers.flow.fallback import Fallback
from coatcheck_workers.flow.finishing import Finishing
from coatcheck_workers.flow.settling import Settling
from coatcheck_workers.flow.turns import Turns
from coatcheck_workers.streams.held import Held
from coatcheck_workers.streams.publishing import EXPECTED_LAST
from coatcheck_workers.uploads.known import Known
from coatcheck_workers.uploads.receiving import Receiving

OVER_BUDGET = SCENARIOS["a turn of a known size, over its budget"]
TO_THE_DEADLINE = SCENARIOS["a turn that is settled at its deadline"]
STORE_AWAY = SCENARIOS["the store is away for longer, and letters are tried again"]
IN_PIECES = SCENARIOS["a turn of results in pieces: in memory, spooled, passed on"]


async def nothing(*_: Any, **__: Any) -> None:
    """What is left out."""


def walk(scenario: Scenario, *fates: Fate) -> Iterator[list[str]]:
    effects = len(simulate(scenario, Plan())[0].effects)
    for number in range(effects):
        for fate in fates:
            yield simulate(scenario, FaultAt(number, fate))[1]


def storms(count: int = 60) -> Iterator[list[str]]:
    for seed in range(count):
        yield simulate(random_scenario(seed), Storm(seed, until=60.0), seed=seed)[1]


def without_expectation(monkeypatch: pytest.MonkeyPatch, of: Callable[[str], bool]) -> None:
    """Streams take what is published under such a subject, whatever it expects."""
    publish = Stream.publish

    def careless(stream: Stream, subject: str, body: bytes, headers: Mapping[str, str], now: datetime) -> int:
        kept = {name: value for name, value in headers.items() if name != EXPECTED_LAST or not of(subject)}
        return publish(stream, subject, body, kept, now)

    monkeypatch.setattr(Stream, "publish", careless)


def mentions(found: Iterator[list[str]], words: str) -> bool:
    return any(words in problem for problems in found for problem in problems)


def test_results_acknowledged_without_being_held_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "hold", nothing)
    assert mentions(iter([simulate(OVER_BUDGET, Plan())[1]]), "is missing")


def test_messages_acknowledged_before_they_are_handled_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = Settling.settle

    async def hasty(settling: Settling, message: Any, arrived: Any, handling: Any) -> None:
        try:
            await SimulatedMessage.ack(message)
        except asyncio.CancelledError:
            handling.close()
            raise
        await settle(settling, message, arrived, handling)

    monkeypatch.setattr(Settling, "settle", hasty)
    assert simulate(OVER_BUDGET, Plan())[1] == []
    assert mentions(walk(OVER_BUDGET, Fate.CRASH_AFTER), "is missing")


def test_stubs_published_without_an_expectation_are_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    without_expectation(monkeypatch, lambda subject: subject.startswith("coat.stubs."))
    assert mentions(walk(OVER_BUDGET, Fate.CRASH_AFTER), "was published 2 times")


def test_ledgers_appended_to_without_an_expectation_go_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    without_expectation(monkeypatch, lambda subject: ".ledger." in subject)
    assert any(storms())


def test_manifests_that_nobody_publishes_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finishing, "_publish_manifest", nothing)
    assert mentions(iter([simulate(OVER_BUDGET, Plan())[1]]), "coat.settled.s.t is missing")


def test_a_settling_that_offloads_the_wrong_results_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coatcheck_core.turns.ledger._largest_first", lambda item: item[1].length)
    assert mentions(iter([simulate(OVER_BUDGET, Plan())[1]]), "was to offload")


def test_what_waits_and_is_never_let_go_of_is_found_at_its_deadline_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A held result that nobody released falls due, and is delivered once all the same."""
    monkeypatch.setattr(Held, "release", nothing)
    world, problems = simulate(OVER_BUDGET, Plan())
    assert problems == []
    assert world.loop.time() > world.settings.turn.deadline_seconds


def test_held_results_that_fall_due_unseen_are_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turns, "fall_due", nothing)
    assert mentions(iter([simulate(TO_THE_DEADLINE, Plan())[1]]), "is missing")


def test_letters_that_were_not_written_leave_refs_that_do_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def boast(*_: Any) -> bool:
        return True

    monkeypatch.setattr(Fallback, "_write_letter", boast)
    assert mentions(iter([simulate(STORE_AWAY, Plan())[1]]), "does not read back")


def test_pieces_that_are_waited_for_though_they_were_taken_make_a_failure_of_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Known, "is_known", nothing)
    assert mentions(walk(IN_PIECES, Fate.CRASH_AFTER), "-failed is not due")


def test_pieces_that_nobody_takes_away_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Receiving, "forget", nothing)
    assert mentions(iter([simulate(IN_PIECES, Plan())[1]]), "pieces are left")


def test_pieces_taken_away_before_their_event_is_settled_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = Settling.settle

    async def hasty(settling: Settling, message: Any, arrived: Any, handling: Any) -> None:
        async def handle() -> None:
            await handling
            await settling.receiving.forget(arrived)

        await settle(settling, message, arrived, handle())

    monkeypatch.setattr(Settling, "settle", hasty)
    assert mentions(walk(IN_PIECES, Fate.CRASH_AFTER), "is not due")


def test_exceptions_that_nobody_expects_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(Turns, "arrive", fail)
    assert mentions(iter([simulate(OVER_BUDGET, Plan())[1]]), "KeyError")
