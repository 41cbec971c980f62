"""Results of one call with the same text and other media are two, whenever they come and whatever dies in between."""

import base64
import json
from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from tests.support.simulation.fates import Fate, FaultAt, Plan, Storm
from tests.support.simulation.published import Published, end
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.simulating import running
from tests.support.simulation.time import SimulatedLoop, run_simulated
from tests.support.simulation.world import World

from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.subjects import Subjects

SUBJECTS = Subjects()
TEXT = "taken"


def shot(picture: str | None, *, at: float = 0.0, turn: str = "t", call: str = "=", **fields: Any) -> Published:
    """A screenshot; those of one picture are the same result, of another one, or None, another result of the call."""
    content: list[dict[str, Any]] = [{"type": "text", "text": TEXT}]
    if picture is not None:
        content.append({"type": "image", "data": base64.b64encode(picture.encode()).decode(), "mimeType": "image/png"})
    body = {"tool_name": "look", "content": content} | fields
    return Published(at, f"coat.results.s.{turn}.{call}", json.dumps(body).encode())


SCENARIOS = {
    "at once, in a turn of a known size": [shot("a", turn_size=2), shot("b", turn_size=2)],
    "at once, of whose size the second alone knows": [shot("a"), shot("b", at=0.001, turn_size=2)],
    "one after the other, each again": [
        shot("a", turn_size=3),
        shot("b", turn_size=3, at=0.01),
        shot("a", turn_size=3, at=0.02),
        shot("c", turn_size=3, at=0.5),
        shot("b", turn_size=3, at=1.0),
    ],
    "until the deadline": [shot("a", turn_size=3), shot("b", turn_size=3, at=0.5)],
    "of an unknown size": [shot("a"), shot("b", at=0.001), shot("a", at=0.5), end(at=1.0)],
    "of no turn, at once and again": [
        shot("a", turn="="),
        shot("b", turn="="),
        shot("a", turn="=", at=0.5),
        shot("b", turn="=", at=0.6),
    ],
}


def simulated(published: list[Published], plan: Plan, workers: int = 2) -> World:
    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, Scenario(published=published, workers=workers), plan) as world:
            pass
        return world

    return run_simulated(main)


def problems(world: World, published: list[Published]) -> list[str]:
    """What is wrong: a picture without its one event or with two, a manifest that counts otherwise, what is left."""
    wanted = {one.body.split(b'"data": "')[1].split(b'"')[0].decode() for one in published if b"image" in one.body}
    shown: Counter[str] = Counter()
    received = len(wanted)
    for kept in world.streams["stubs"].messages.values():
        if kept.subject.startswith("coat.settled."):
            received = msgspec.json.decode(kept.body, type=TurnSettled).received
            continue
        event = msgspec.json.decode(kept.body, type=StubEvent)
        shown.update(block["data"] for block in json.loads(msgspec.json.encode(event.content)) if "data" in block)
    found = list(world.problems)
    if shown != Counter(wanted):
        found.append(f"shown are {shown}, of {wanted}")
    if received != len(wanted):
        found.append(f"the manifest says {received}, of {len(wanted)}")
    left = [kept.subject for name in ("results", "held", "dlq") for kept in world.streams[name].messages.values()]
    return found + [f"{subject} is left" for subject in left]


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_picture_has_its_one_event(name: str) -> None:
    assert problems(simulated(SCENARIOS[name], Plan()), SCENARIOS[name]) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_so_it_is_whatever_dies_at_any_effect(name: str) -> None:
    published = SCENARIOS[name]
    found: dict[str, list[str]] = {}
    for number in range(len(simulated(published, Plan()).effects)):
        fate = Fate.CRASH_AFTER if number % 2 else Fate.CRASH_BEFORE
        plan = FaultAt(number, fate)
        if wrong := problems(simulated(published, plan), published):
            found[f"{fate.name} at {plan.met}"] = wrong
    assert found == {}


@pytest.mark.parametrize("name", SCENARIOS)
def test_so_it_is_in_storms(name: str) -> None:
    published = SCENARIOS[name]
    found: dict[int, list[str]] = {}
    for seed in (*range(10), 1022):
        plan = Storm(seed, until=30.0, is_cluster=bool(seed % 2))
        if wrong := problems(simulated(published, plan, workers=3), published):
            found[seed] = wrong
    assert found == {}


def test_a_text_whose_pictures_came_before_it_changes_nothing() -> None:
    published = [shot("a", turn_size=2), shot(None, turn_size=2, at=0.5), shot("b", turn_size=2, at=1.0)]
    assert problems(simulated(published, Plan()), published) == []


def test_pictures_of_two_turns_are_each_of_their_own() -> None:
    published = [shot("a", turn="t1", turn_size=1), shot("b", turn="t2", turn_size=1, at=1.0)]
    world = simulated(published, Plan())
    ids = [kept.subject.rpartition(".")[2] for kept in world.streams["stubs"].messages.values()]
    stubs = [one for one in ids if one.startswith("=-")]
    assert len(stubs) == 2
    assert all(one == other for one, other in pairwise(stubs))
