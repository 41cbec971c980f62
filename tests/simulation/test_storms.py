"""Random turns in a random world: orders, repetitions, delays, deaths, lost answers, several workers, full streams.

`SIMULATIONS=5000 SEED=100000` runs others, and more of them. A failure names its seed.
"""

import os
import random

import pytest
from tests.support.simulation.fates import Storm
from tests.support.simulation.published import result
from tests.support.simulation.scenarios import Scenario, random_scenario
from tests.support.simulation.simulating import simulate

FIRST = int(os.environ.get("SEED", "0"))
COUNT = int(os.environ.get("SIMULATIONS", "200"))
STORMY_SECONDS = 60.0
_SHARE = 20


@pytest.mark.parametrize("is_cluster", [False, True], ids=["server", "cluster"])
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT, 2 * _SHARE))
@pytest.mark.timeout(600)
def test_a_storm_loses_and_doubles_nothing(seed: int, is_cluster: bool) -> None:
    found: dict[str, list[str]] = {}
    for one in range(seed + is_cluster * _SHARE, seed + _SHARE + is_cluster * _SHARE):
        _, problems = simulate(random_scenario(one), Storm(one, until=STORMY_SECONDS, is_cluster=is_cluster), seed=one)
        if problems:
            found[f"SEED={one}"] = problems
    assert found == {}


@pytest.mark.parametrize("count", [1, 300])
def test_a_turn_of_any_size_comes_through_a_storm(count: int) -> None:
    chosen = random.Random(count)
    published = [
        result(f"c{number}", chosen.choice([20, 900, 1400]), at=chosen.random(), size=count) for number in range(count)
    ]
    scenario = Scenario(published=published, assignments=("turn.inline_budget=300000",), workers=4)
    world, problems = simulate(scenario, Storm(count, until=STORMY_SECONDS, is_cluster=True))
    assert problems == []
    assert len(world.streams["stubs"].messages) == count + 1
