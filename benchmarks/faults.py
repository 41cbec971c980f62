"""What a result waits for where its worker dies, or where the store is away."""

import asyncio
import time
from collections.abc import Callable

import msgspec
from nats.js import JetStreamContext
from tests.support.s3_proxy import S3Proxy, s3_proxied
from tests.support.wait import eventually

from benchmarks.agent import KB, Agent, new_prefix, result_of
from benchmarks.deployment import Servers, consumer, deployed
from coatcheck_workers.provisioning import DURABLE

IN_HAND = 100
_SMALL_EACH_SECONDS = 0.01
_LARGE_EACH_SECONDS = 0.1
_OVERDUE_SECONDS = 60
_AHEAD_SECONDS = 0.2
"""For the load to be laid out before the first of it is due."""


async def killed(on: Servers, ack_wait_seconds: float) -> float:
    """Seconds from the SIGKILL of a worker with 100 results in hand until all stubs are out; another is there."""
    prefix = new_prefix()
    worker: dict[str, object] = {"in_flight": 2 * IN_HAND, "ack_wait_seconds": ack_wait_seconds}
    async with (
        s3_proxied(on.s3.endpoint) as (proxy, endpoint),
        deployed(on, prefix, 2 * IN_HAND, worker=worker) as (client, settings),
        Agent(client, prefix) as agent,
    ):
        hanging: dict[str, object] = {"endpoint": endpoint, "timeout_seconds": 60}
        doomed = on.settings(prefix, 2 * IN_HAND, worker=worker, storage=hanging)
        manage, stream = client.jetstream(), f"{prefix}_results".upper()
        async with consumer(on, "ours", "offload", doomed) as process:
            proxy.hang()
            await agent.publish_all([(f"s.=.c{number}", result_of(30 * KB, number)) for number in range(IN_HAND)])
            await eventually(lambda: _are_in_hand(manage, stream), 30, "the worker to take all results")
            async with consumer(on, "ours", "offload", settings):
                assert await _are_in_hand(manage, stream), "the doomed worker gave some of its results back"
                process.kill()
                began = time.perf_counter()
                return await agent.hears(IN_HAND, _OVERDUE_SECONDS) - began


async def _are_in_hand(manage: JetStreamContext, stream: str) -> bool:
    taken = await manage.consumer_info(stream, DURABLE)
    return taken.num_ack_pending == IN_HAND and not taken.num_redelivered


class Waits(msgspec.Struct, frozen=True):
    """Seconds from publish to stub of small inline results, while the store answers as usual, and while it is away."""

    usual: list[float]
    away: list[float]


def refuse(proxy: S3Proxy) -> None:
    """Connections are reset."""
    proxy.refuse()


def hang(proxy: S3Proxy) -> None:
    """Nothing comes back."""
    proxy.hang()


async def store_away(on: Servers, go_away: Callable[[S3Proxy], None], seconds: float) -> Waits:
    """100 small results and 10 of 30 kB a second, for so many seconds, and for as many after the store went away."""
    prefix = new_prefix()
    async with (
        s3_proxied(on.s3.endpoint) as (proxy, endpoint),
        deployed(on, prefix, 64, storage={"endpoint": endpoint}) as (client, settings),
        Agent(client, prefix) as agent,
        consumer(on, "ours", "offload", settings),
    ):
        await _mixed_load(agent, "warm", 1)
        usual = await _mixed_load(agent, "u", seconds)
        go_away(proxy)
        away = await _mixed_load(agent, "a", seconds)
        proxy.heal()
    return Waits(usual, away)


async def _mixed_load(agent: Agent, name: str, seconds: float) -> list[float]:
    """Published at fixed times, whatever comes back; how long each small one took from the time it was due."""
    load = [
        (number * each, f"{name}{size}x{number}", result_of(size, number))
        for size, each in ((KB, _SMALL_EACH_SECONDS), (30 * KB, _LARGE_EACH_SECONDS))
        for number in range(int(seconds / each))
    ]
    began = time.perf_counter() + _AHEAD_SECONDS

    async def publish(due: float, call: str, body: bytes) -> None:
        await asyncio.sleep(began + due - time.perf_counter())
        await agent.publish(f"s.=.{call}", body)

    await asyncio.gather(*(publish(*one) for one in load))
    due_at = {call: began + due for due, call, body in load if len(body) < 2 * KB}
    await eventually(lambda: due_at.keys() <= agent.heard.keys(), _OVERDUE_SECONDS, "the small results' stubs")
    return [agent.heard[call] - due for call, due in due_at.items()]
