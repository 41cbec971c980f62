"""What takes longer than a stream remembers: turns of one name a week apart, letters whose stub is refused for long."""

import asyncio

import pytest
from tests.support.simulation.audit import audit
from tests.support.simulation.fates import Plan
from tests.support.simulation.published import broken, result
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.simulating import simulate
from tests.support.simulation.streams import DUPLICATES_SECONDS
from tests.support.simulation.time import SimulatedLoop, run_simulated
from tests.support.simulation.world import World

LONGEST_SECONDS = 600.0
WEEK_SECONDS = 7 * 24 * 3600.0
FIRST = [result("a", 1400, size=2), result("b", 1490, size=2)]
SECOND = [result("c", 1400, size=2), result("d", 1490, size=2)]
BUDGET = "turn.inline_budget=2000"


async def run(world: World, scenario: Scenario) -> None:
    for one in scenario.published:
        world.publish(one.subject, one.body, one.headers)
    await world.until_quiet(LONGEST_SECONDS)


def again_after(seconds: float, *, workers: int) -> list[str]:
    """What is wrong with the second turn, where the streams have let go of the first after so long."""
    first, second = (Scenario(published=some, assignments=(BUDGET,), workers=workers) for some in (FIRST, SECOND))

    async def main(loop: SimulatedLoop) -> World:
        world = World(loop, first.settings, Plan(), workers=workers)
        await run(world, first)
        assert audit(world, first) == []
        await asyncio.sleep(seconds)
        for name in ("ledger", "stubs"):
            world.streams[name].purge(">")
            world.streams[name].stored.clear()
        await run(world, second)
        return world

    return audit(run_simulated(main), second)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_turn_may_have_the_name_of_one_that_has_been_gone_for_long(workers: int) -> None:
    assert again_after(WEEK_SECONDS, workers=workers) == []


def test_a_worker_outlives_a_ledger_that_is_made_anew() -> None:
    assert again_after(0.0, workers=1) == []


def test_a_dead_letter_is_written_once_however_long_its_stub_is_refused() -> None:
    away = (("stubs", 0.0, 3 * DUPLICATES_SECONDS), ("store", 0.0, 3 * DUPLICATES_SECONDS))
    published = [broken("a"), result("b", 1800, turn="")]
    assignments = ("storage.retry_seconds=2", "storage.retry_max_seconds=3")
    world, problems = simulate(Scenario(published=published, assignments=assignments, away=away), Plan())
    assert problems == []
    assert sorted(world.streams["dlq"].stored) == ["coat.dlq.s.=.b", "coat.dlq.s.t.a"]
