"""One simulation from its beginning to its audit."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from tests.support.simulation.audit import audit
from tests.support.simulation.fates import Plan
from tests.support.simulation.published import Published
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.time import SimulatedLoop, run_simulated
from tests.support.simulation.world import World

from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.results import decode_result

LONGEST_SECONDS = 3600.0


def simulate(scenario: Scenario, plan: Plan, *, seed: int = 0) -> tuple[World, list[str]]:
    """Run it until nothing is left to do; the world as it is then, and what is wrong with it."""
    random.seed(seed)  # the delays of retries are spread at random

    async def main(loop: SimulatedLoop) -> World:
        async with running(loop, scenario, plan) as world:
            pass
        return world

    world = run_simulated(main)
    return world, audit(world, scenario)


@asynccontextmanager
async def running(loop: SimulatedLoop, scenario: Scenario, plan: Plan) -> AsyncIterator[World]:
    """A world in which the scenario is about to begin; left once nothing is left to do."""
    world = World(
        loop, scenario.settings, plan, workers=scenario.workers, away=scenario.away, spool_bytes=scenario.spool_bytes
    )
    loop.set_exception_handler(lambda _, context: world.problems.append(f"nobody heard of {context}"))
    for one in scenario.published:
        await _spoil(world, scenario, one)
        loop.call_at(one.at, world.publish, one.subject, one.body, one.headers)
    with _unforeseen(world.problems):
        yield world
        await asyncio.sleep(max(one.at for one in scenario.published))
        await world.until_quiet(LONGEST_SECONDS)


async def _spoil(world: World, scenario: Scenario, one: Published) -> None:
    """Put another original where this result's is to be stored, if the scenario says so."""
    if world.is_result(one.subject):
        address = world.subjects.parse_result(one.subject)
        if address.call in scenario.spoiled:
            name = result_id(address.call, sha256_hex(decode_result(one.headers, one.body).data))
            await world.store.put(world.keys.output(address.session, name), b"another")


class _Unforeseen(logging.Handler):
    """Collects what the flow logs with a traceback: exceptions that no part of it expects."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self._problems.append(f"{record.getMessage()}: {record.exc_info[1]!r}")


@contextmanager
def _unforeseen(problems: list[str]) -> Iterator[None]:
    log = logging.getLogger("coatcheck")
    handler, propagate, level = _Unforeseen(problems), log.propagate, log.level
    log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = propagate
        log.setLevel(level)
