"""A result that was published twice stands in the list of its session once, wherever the store fails meanwhile."""

import pytest
from tests.support.simulation.fates import FAULTS, Fate, FaultAt, Plan
from tests.support.simulation.published import result
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.simulating import simulate

AWAY_FOR_LONG = Scenario(
    published=[result("a", 1800, turn=""), result("a", 1800, turn="", at=0.05)],
    assignments=("storage.retry_seconds=2", "storage.retry_max_seconds=3"),
    away=(("store", 0.0, 9.0),),
)


def listed(plan: Plan) -> list[str]:
    world, problems = simulate(AWAY_FOR_LONG, plan)
    assert problems == []
    return [key for key in world.store._objects if "/by-time/" in key]


def test_two_letters_of_one_result_leave_one_entry() -> None:
    assert len(listed(Plan())) == 1


@pytest.mark.parametrize("fate", [fate for fate in FAULTS if fate in (Fate.CRASH_BEFORE, Fate.CRASH_AFTER)])
def test_so_it_is_whatever_effect_a_worker_dies_at(fate: Fate) -> None:
    world, _ = simulate(AWAY_FOR_LONG, Plan())
    left = {number: len(listed(FaultAt(number, fate))) for number in range(len(world.effects))}
    assert {number: count for number, count in left.items() if count != 1} == {}
