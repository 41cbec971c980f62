"""The pull itself: idle is no error, nothing is held back, bounds hold."""

import asyncio
from typing import Any

import pytest
from nats.aio.msg import Msg
from tests.support.agents import agent
from tests.support.servers import connected
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.intake.pull import Pull
from coatcheck_workers.provisioning import DURABLE


def pull_from(client: Any, settings: Settings, consume: Any, **bounds: Any) -> Pull:
    stream = Subjects(settings.nats.prefix).stream("results")
    values = {"in_flight": 8, "in_flight_bytes": 8 * 2**20, "largest_message_bytes": 2**20} | bounds
    return Pull(client, stream, DURABLE, consume, **values)


async def test_result_after_twice_the_expiry_is_handled_at_once(deployment: Settings) -> None:
    taken: list[float] = []
    loop = asyncio.get_running_loop()

    async def consume(message: Msg) -> None:
        taken.append(loop.time())
        await message.ack()

    async with connected(deployment) as client, agent(deployment) as it:
        pull = pull_from(client, deployment, consume, expires_seconds=1.0, heartbeat_seconds=0.3)
        await pull.start()
        started = loop.time()
        await eventually(lambda: loop.time() - started > 2.2, expecting="twice the expiry")
        published = loop.time()
        await it.publish("c1", "x")
        await eventually(lambda: taken, expecting="the result")
        await pull.unsubscribe()
    assert taken[0] - published < 1.0


@pytest.mark.parametrize(
    ("bounds", "most_allowed"), [({"in_flight": 5}, 5), ({"in_flight": 64, "in_flight_bytes": 3 * 2**20}, 3)]
)
async def test_bounds_in_messages_and_bytes_hold(
    deployment: Settings, bounds: dict[str, int], most_allowed: int
) -> None:
    let_go = asyncio.Event()
    running: set[str] = set()
    most = 0

    async def consume(message: Msg) -> None:
        nonlocal most
        running.add(message.subject)
        most = max(most, len(running))
        await let_go.wait()
        running.remove(message.subject)
        await message.ack()

    async with connected(deployment) as client, agent(deployment) as it:
        for number in range(20):
            await it.publish(f"c{number}", "x" * 900_000)
        pull = pull_from(client, deployment, consume, **bounds)
        await pull.start()
        await eventually(lambda: most >= most_allowed - 1, expecting="the bound to be reached")
        let_go.set()
        await eventually(lambda: _empty(client, deployment), 30, expecting="an empty queue")
        await pull.unsubscribe()
        await pull.finish(5)
    assert most <= most_allowed


async def test_handler_that_raises_past_everything_costs_no_slot(deployment: Settings) -> None:
    seen: list[str] = []

    async def consume(message: Msg) -> None:
        seen.append(message.subject)
        await message.ack()
        raise RuntimeError("a fault of ours")

    async with connected(deployment) as client, agent(deployment) as it:
        pull = pull_from(client, deployment, consume, in_flight=2)
        await pull.start()
        for number in range(20):
            await it.publish(f"c{number}", "x")
        await eventually(lambda: len(seen) == 20, expecting="all twenty")
        await pull.unsubscribe()


async def _empty(client: Any, settings: Settings) -> bool:
    info = await client.jetstream().stream_info(Subjects(settings.nats.prefix).stream("results"))
    return bool(info.state.messages == 0)


async def test_bound_holds_after_an_idle_time(deployment: Settings) -> None:
    """Each request asked beside one that the server still has would bring as many messages again."""
    let_go = asyncio.Event()
    running: set[str] = set()

    async def consume(message: Msg) -> None:
        running.add(message.subject)
        await let_go.wait()
        await message.ack()

    async with connected(deployment) as client, agent(deployment) as it:
        loop = asyncio.get_running_loop()
        pull = pull_from(client, deployment, consume, heartbeat_seconds=0.2)
        await pull.start()
        started = loop.time()
        await eventually(lambda: loop.time() - started > 2, expecting="ten heartbeats")
        for number in range(40):
            await it.publish(f"c{number}", "x")
        await eventually(lambda: len(running) >= 8, expecting="the bound to be reached")
        await client.flush()
        assert len(running) == 8
        let_go.set()
        await eventually(lambda: _empty(client, deployment), 30, expecting="an empty queue")
        await pull.unsubscribe()
        await pull.finish(5)
