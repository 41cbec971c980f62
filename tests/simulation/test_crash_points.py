"""Each scenario with one fault, at every effect in turn: whatever dies or fails there, the audit finds nothing.

`make test` lets the worker die before and after each effect; with `SIMULATION=full` the effect is also refused, or done
without an answer, each time.
"""

import os

import pytest
from tests.support.simulation.fates import FAULTS, Fate, FaultAt, Plan
from tests.support.simulation.scenarios import SCENARIOS
from tests.support.simulation.simulating import simulate

WALKED = FAULTS if os.environ.get("SIMULATION") == "full" else (Fate.CRASH_BEFORE, Fate.CRASH_AFTER)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.timeout(600)
def test_a_fault_at_any_effect_loses_and_doubles_nothing(name: str) -> None:
    scenario = SCENARIOS[name]
    world, problems = simulate(scenario, Plan())
    assert problems == [], "where nothing fails"
    found: dict[str, list[str]] = {}
    for number in range(len(world.effects)):
        for fate in WALKED:
            plan = FaultAt(number, fate)
            _, problems = simulate(scenario, plan)
            assert plan.met is not None
            if problems:
                found[f"{fate.name} at effect {number}, {plan.met}"] = problems
    assert found == {}
