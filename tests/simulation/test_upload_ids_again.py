"""An upload's id that a producer uses again: what came under it is a result of its own."""

import pytest
from tests.support.simulation.fates import Plan
from tests.support.simulation.published import in_pieces, text
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.simulating import simulate


@pytest.mark.parametrize("opened", [-1.0, 0.0, 1.0])
def test_new_pieces_under_an_id_that_was_used_are_taken_whenever_their_event_comes(opened: float) -> None:
    scenario = Scenario(
        published=[
            *in_pieces("a", text("a", 1400).encode(), turn=""),
            *in_pieces("a", text("b", 1400).encode(), turn="", at=301.0, seconds=0.1, opened=opened),
        ],
        assignments=("upload.idle_seconds=3",),
    )
    _, problems = simulate(scenario, Plan())
    assert problems == []
