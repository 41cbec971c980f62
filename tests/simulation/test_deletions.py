"""Sessions deleted in the midst of it: whatever dies or fails, nothing old is left and nothing new is lost."""

import os
import random

import pytest
from tests.support.simulation.deleting import delete_session
from tests.support.simulation.fates import FAULTS, Fate, FaultAt, Plan, Storm
from tests.support.simulation.living import audit_deleted
from tests.support.simulation.published import result
from tests.support.simulation.scenarios import SCENARIOS, Scenario, random_scenario
from tests.support.simulation.simulating import running
from tests.support.simulation.time import SimulatedLoop, run_simulated
from tests.support.simulation.world import World

FIRST = int(os.environ.get("SEED", "0"))
COUNT = int(os.environ.get("SIMULATIONS", "20"))
STORMY_SECONDS = 60.0
SAME_AGAIN = Scenario(
    published=[
        result("a", 1800, size=3),
        result("b", 1400, size=3, at=0.01),
        result("n", 1800, turn="", at=0.02),
        result("a", 1800, size=3, at=1.0),
        result("b", 1400, size=3, at=1.01),
        result("c", 1300, size=3, at=1.02),
        result("n", 1800, turn="", at=1.03),
    ]
)
"""What came before comes again after the deletion, under the same ids."""


def simulate_deletion(scenario: Scenario, plan: Plan, at: float, *, seed: int = 0) -> tuple[World, list[str]]:
    """As `simulate`, with the session `s` deleted after so many seconds."""
    random.seed(seed)

    async def main(loop: SimulatedLoop) -> tuple[World, list[str]]:
        async with running(loop, scenario, plan) as world:
            deleting = loop.create_task(delete_session(world, "s", after=at))
        deleted_at = await deleting
        return world, audit_deleted(world, scenario, "s", deleted_at)

    return run_simulated(main)


@pytest.mark.parametrize("at", [0.0, 0.005, 0.5, 1.015, 30.0])
def test_what_comes_again_after_a_deletion_lives_and_what_came_before_does_not(at: float) -> None:
    assert simulate_deletion(SAME_AGAIN, Plan(), at)[1] == []


@pytest.mark.parametrize("fate", FAULTS if os.environ.get("SIMULATION") == "full" else [Fate.CRASH_AFTER])
def test_a_fault_at_any_effect_beside_a_deletion_keeps_nothing_old_and_loses_nothing_new(fate: Fate) -> None:
    effects = len(simulate_deletion(SAME_AGAIN, Plan(), 0.015)[0].effects)
    found = {}
    for number in range(effects):
        plan = FaultAt(number, fate)
        problems = simulate_deletion(SAME_AGAIN, plan, 0.015)[1]
        if problems:
            found[f"{number}, {plan.met}"] = problems
    assert found == {}


def test_a_deletion_at_any_moment_of_a_turn_leaves_nothing_of_it() -> None:
    scenario = SCENARIOS["a turn of results in pieces: in memory, spooled, passed on"]
    found = {}
    for step in range(6):
        at = 0.06 * step + 0.0005
        if problems := simulate_deletion(scenario, Plan(), at)[1]:
            found[at] = problems
    assert found == {}


@pytest.mark.parametrize("is_cluster", [False, True], ids=["server", "cluster"])
@pytest.mark.timeout(600)
def test_a_storm_beside_a_deletion_keeps_nothing_old_and_loses_nothing_new(is_cluster: bool) -> None:
    found = {}
    for seed in range(FIRST + is_cluster, FIRST + COUNT, 2):
        at = random.Random(f"deletion {seed}").choice([0.01, 0.2, 3.0, 8.0, 40.0])
        plan = Storm(seed, until=STORMY_SECONDS, is_cluster=is_cluster)
        if problems := simulate_deletion(random_scenario(seed), plan, at, seed=seed)[1]:
            found[f"SEED={seed}"] = problems
    assert found == {}
