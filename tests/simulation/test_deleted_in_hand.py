"""A result whose session is deleted while it is in hand, at every moment of its handling: refused, and nothing left."""

from datetime import datetime

import msgspec
import pytest
from tests.support.simulation.fates import Fate, Plan
from tests.support.simulation.published import end, in_pieces, result
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.simulating import running
from tests.support.simulation.time import BEGINNING, SimulatedLoop, run_simulated
from tests.support.simulation.world import World

from coatcheck_schemas.events import StubEvent
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.tombstone import Stage

WHOLE = Scenario(published=[result("a", 1800, turn="", at=0.1)])
IN_TURN = Scenario(published=[result("a", 1800, size=2, at=0.1)])
IN_PIECES = Scenario(
    published=in_pieces("a", b"x" * 160_000, turn="", seconds=0.1, opened=0.15),
    assignments=("storage.large_bytes=65536",),
    spool_bytes=100_000,
)


class BuriedAt(Plan):
    """All workers know of the deletion right before the first effect whose label begins like this."""

    def __init__(self, label: str, stage: Stage = Stage.DONE) -> None:
        self.label = label
        self.stage = stage
        self.world: World | None = None
        self.deleted_at: datetime | None = None

    def fate(self, number: int, label: str, seconds: float) -> Fate:
        if self.deleted_at is None and label.startswith(self.label) and self.world is not None:
            self.deleted_at = self.world.loop.now()
            bury(self.world, self.deleted_at, self.stage)
        return Fate.GO


def bury(world: World, deleted_at: datetime, stage: Stage) -> None:
    world.deleted["s"] = deleted_at, stage
    for worker in world.workers:
        worker.tombstones.hear("s", world.deleted["s"])


def run(scenario: Scenario, plan: BuriedAt) -> World:
    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, scenario, plan) as world:
            plan.world = world
        assert plan.deleted_at is not None, f"nothing is called {plan.label}"
        assert world.problems == []
        return world

    return run_simulated(main)


def letters(world: World) -> list[Kept]:
    return list(world.streams["dlq"].messages.values())


def assert_refused(world: World) -> None:
    stubs = [kept for kept in world.streams["stubs"].messages.values() if ".stubs." in kept.subject]
    assert [kept.subject.rpartition(".")[2] for kept in stubs] == ["a-failed"]
    event = msgspec.json.decode(stubs[0].body, type=StubEvent)
    assert (event.disposition, event.reason) == ("failed", "invalid")
    assert "this session was deleted at 2026-01-31T12:00:0" in str(event.content)
    assert "publish it again" in str(event.content)
    assert [(kept.headers["Coat-Reason"], kept.body) for kept in letters(world)] == [("deleted", b"")]
    assert world.store._objects == {}
    assert not any(world.streams[name].messages for name in ("results", "held"))


@pytest.mark.parametrize("label", ["put ", "publish coat.stubs.", "ack coat.results."])
def test_a_result_of_no_turn_is_refused_whenever_its_session_is_deleted(label: str) -> None:
    world = run(WHOLE, BuriedAt(label))
    if label.startswith("ack"):
        # Its handling was over: what there is goes with the session.
        assert letters(world) == []
    else:
        assert_refused(world)


@pytest.mark.parametrize("label", ["publish coat-internal.ledger.", "put ", "publish coat.stubs."])
def test_a_result_of_a_turn_is_refused_whenever_its_session_is_deleted(label: str) -> None:
    assert_refused(run(IN_TURN, BuriedAt(label)))


@pytest.mark.parametrize(
    "label", ["read coat.chunks", "abandon ", "begin ", "complete ", "copy ", "put ", "publish coat.stubs."]
)
def test_an_upload_is_refused_and_freed_whenever_its_session_is_deleted(label: str) -> None:
    world = run(IN_PIECES, BuriedAt(label))
    assert_refused(world)
    assert not world.multiparts


def test_an_upload_that_waits_for_its_pieces_stops_at_once() -> None:
    pieces = in_pieces("a", b"x" * 160_000, turn="", opened=0.0, order=(0,))
    scenario = Scenario(published=pieces, assignments=("upload.idle_seconds=3000",))

    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, scenario, Plan()) as world:
            loop.call_later(5.0, lambda: bury(world, loop.now(), Stage.DONE))
        return world

    world = run_simulated(main)
    assert_refused(world)
    assert world.loop.time() < 10
    assert not world.streams["chunks"].messages


def test_a_message_that_cannot_be_read_is_not_kept_either() -> None:
    unreadable = msgspec.structs.replace(WHOLE.published[0], body=b"secret words", headers={"Secret": "words"})
    world = run(Scenario(published=[unreadable]), BuriedAt("last coat-internal.failures."))
    assert_refused(world)
    assert "Secret" not in letters(world)[0].headers


def test_the_end_of_a_turn_is_refused_with_a_letter() -> None:
    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, Scenario(published=[end(at=0.1)]), Plan()) as world:
            loop.call_at(0.1, lambda: bury(world, loop.now(), Stage.DONE))
        return world

    world = run_simulated(main)
    assert [(kept.subject, kept.headers["Coat-Reason"]) for kept in letters(world)] == [("coat.dlq.s.t.end", "deleted")]
    assert not world.streams["stubs"].messages


@pytest.mark.parametrize("stage", [Stage.PURGING, Stage.ERASING])
def test_what_is_to_be_stored_waits_until_the_old_life_is_gone(stage: Stage) -> None:
    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, WHOLE, Plan()) as world:
            bury(world, BEGINNING, stage)
            loop.call_at(5.0, lambda: bury(world, BEGINNING, Stage.DONE))
        return world

    world = run_simulated(main)
    (stub,) = world.streams["stubs"].messages.values()
    assert (stub.at - BEGINNING).total_seconds() > 5
    assert msgspec.json.decode(stub.body, type=StubEvent).disposition == "offloaded"
    assert letters(world) == []


def test_what_goes_inline_waits_for_the_streams_alone() -> None:
    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, Scenario(published=[result("a", 100, turn="", at=0.1)]), Plan()) as world:
            bury(world, BEGINNING, Stage.ERASING)
        return world

    (stub,) = run_simulated(main).streams["stubs"].messages.values()
    assert (stub.at - BEGINNING).total_seconds() < 1


def test_a_letter_whose_session_is_deleted_is_dropped_and_not_tried_for_ever() -> None:
    scenario = Scenario(
        published=WHOLE.published,
        assignments=("storage.retry_seconds=2", "storage.retry_max_seconds=3"),
        away=(("store", 0.0, 20.0),),
    )

    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, scenario, Plan()) as world:
            loop.call_at(10.0, lambda: bury(world, loop.now(), Stage.DONE))
        return world

    world = run_simulated(main)
    assert letters(world) == []
    assert world.store._objects == {}
