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


async def test_after_twice_the_expiry_the_server_still_has_a_request_for_what_comes(deployment: Settings) -> None:
    taken: list[str] = []
    loop = asyncio.get_running_loop()

    async def consume(message: Msg) -> None:
        taken.append(message.subject)
        await message.ack()

    async with connected(deployment) as client, agent(deployment) as it:
        pull = pull_from(client, deployment, consume, expires_seconds=1.0, heartbeat_seconds=0.3)
        await pull.start()
        started = loop.time()
        await eventually(lambda: loop.time() - started > 2.2, expecting="twice the expiry")
        await eventually(lambda: _asks(client, deployment), expecting="a request that waits at the server")
        await it.publish("c1", "x")
        await eventually(lambda: taken, expecting="the result")
        await pull.unsubscribe()


async def _asks(client: Any, settings: Settings) -> bool:
    info = await client.jetstream().consumer_info(Subjects(settings.nats.prefix).stream("results"), DURABLE)
    return bool(info.num_waiting)


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
        await eventually(lambda: _empty(client, deployment), expecting="an empty queue")
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
        await eventually(lambda: _empty(client, deployment), expecting="an empty queue")
        await pull.unsubscribe()
        await pull.finish(5)


class Holding:
    """A consumer's handler that keeps what it has taken until it is let go."""

    def __init__(self) -> None:
        self.taken: list[Msg] = []
        self.let_go = asyncio.Event()

    async def consume(self, message: Msg) -> None:
        self.taken.append(message)
        await self.let_go.wait()
        await message.ack()


async def _end(pull: Pull, holding: Holding) -> None:
    holding.let_go.set()
    await pull.unsubscribe()
    await pull.finish(5)


async def test_lent_places_let_as_many_others_in_and_no_more(deployment: Settings) -> None:
    holding = Holding()
    async with connected(deployment) as client, agent(deployment) as it:
        for number in range(20):
            await it.publish(f"c{number}", "x")
        pull = pull_from(client, deployment, holding.consume, in_flight=4)
        await pull.start()
        await eventually(lambda: len(holding.taken) == 4, expecting="the bound")
        for message in list(holding.taken):
            pull.lend(message)
        await eventually(lambda: len(holding.taken) == 8, expecting="as many again")
        for message in list(holding.taken):
            pull.lend(message)
        await _pending(client, deployment, 8)
        assert len(holding.taken) == 8
        await _end(pull, holding)


async def test_place_taken_back_is_not_given_away_again(deployment: Settings) -> None:
    holding = Holding()
    async with connected(deployment) as client, agent(deployment) as it:
        pull = pull_from(client, deployment, holding.consume, in_flight=2)
        await pull.start()
        for number in range(2):
            await it.publish(f"c{number}", "x")
        await eventually(lambda: len(holding.taken) == 2, expecting="the bound")
        pull.lend(holding.taken[0])
        pull.take_back(holding.taken[0])
        pull.lend(holding.taken[1])
        for number in range(2, 6):
            await it.publish(f"c{number}", "x")
        await eventually(lambda: len(holding.taken) == 3, expecting="one in the place of the one that is lent")
        await _pending(client, deployment, 3)
        assert len(holding.taken) == 3
        await _end(pull, holding)


async def test_bytes_of_what_has_lent_its_place_stay_bounded(deployment: Settings) -> None:
    holding = Holding()
    async with connected(deployment) as client, agent(deployment) as it:
        for number in range(12):
            await it.publish(f"c{number}", "x" * 900_000)
        bounds = {"in_flight": 8, "in_flight_bytes": 5 * 2**20}
        pull = pull_from(client, deployment, holding.consume, **bounds)
        await pull.start()
        await eventually(lambda: len(holding.taken) >= 5, expecting="the bound in bytes")
        for message in list(holding.taken):
            pull.lend(message)
        await _pending(client, deployment, 5)
        assert len(holding.taken) == 5
        await _end(pull, holding)


async def test_server_hears_that_the_work_goes_on(deployment: Settings) -> None:
    """`ack_wait` is far shorter than the work, and nothing comes twice."""
    holding = Holding()
    jetstream_stream = Subjects(deployment.nats.prefix).stream("results")
    async with connected(deployment) as client, agent(deployment) as it:
        config = (await client.jetstream().consumer_info(jetstream_stream, DURABLE)).config
        config.ack_wait = 2.0
        await client.jetstream().add_consumer(jetstream_stream, config)
        pull = pull_from(client, deployment, holding.consume, progress_seconds=0.3)
        await pull.start()
        await it.publish("c", "x")
        await eventually(lambda: holding.taken, expecting="the result")
        started = asyncio.get_running_loop().time()
        await eventually(lambda: asyncio.get_running_loop().time() - started > 5, expecting="more than twice ack_wait")
        info = await client.jetstream().consumer_info(jetstream_stream, DURABLE)
        assert (info.num_redelivered, info.num_ack_pending) == (0, 1)
        await _end(pull, holding)


async def _pending(client: Any, settings: Settings, count: int) -> None:
    """Everything that the server would deliver has come: a request of the pull's waits, or none is allowed."""

    async def delivered() -> bool:
        info = await client.jetstream().consumer_info(Subjects(settings.nats.prefix).stream("results"), DURABLE)
        return bool(info.num_ack_pending == count)

    await eventually(delivered, expecting=f"{count} in hand")
    await client.flush()
