"""A worker or the floor, and large results for it: from the event that opens one to its stub."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from nats.aio.client import Client

from benchmarks.agent import Agent, new_prefix
from benchmarks.deployment import Servers, consumer, deployed
from benchmarks.large.contents import PIECE_BYTES, pieces
from benchmarks.large.memory import MB, Memory, watched
from benchmarks.large.producing import producer, publish_pieces

IN_FLIGHT = 64
LONGEST_SECONDS = 600


class Took(msgspec.Struct, frozen=True):
    """MB a second from the opening event to the stub, and what the consumer's memory grew by over idle, in MB."""

    rate: float
    grown: float
    grown_children: float


class Running(msgspec.Struct, frozen=True):
    """One consumer in a deployment of its own."""

    on: Servers
    client: Client
    agent: Agent
    prefix: str
    memory: Memory

    def subject(self, call: str) -> str:
        return f"{self.prefix}.chunks.s.=.{call}.up-{call}"

    async def lay(self, call: str, count: int, seed: int = 0) -> None:
        """All pieces of a result into the stream, beforehand."""
        await publish_pieces(self.client, self.subject(call), pieces(count, seed))

    async def open(self, call: str) -> None:
        event = {"tool_name": "kubectl", "upload": f"up-{call}"}
        await self.agent.publish(f"s.=.{call}", msgspec.json.encode(event))


@asynccontextmanager
async def running(on: Servers, who: str, compression: str) -> AsyncIterator[Running]:
    prefix = new_prefix()
    storage: dict[str, object] = {"compression": compression}
    async with (
        deployed(on, prefix, IN_FLIGHT, storage=storage) as (client, settings),
        Agent(client, prefix) as agent,
        consumer(on, who, "pieces", settings) as process,
        watched(process.pid) as memory,
    ):
        yield Running(on=on, client=client, agent=agent, prefix=prefix, memory=memory)


async def laid(who: str, on: Servers, count: int, compression: str) -> Took:
    """All pieces are in the stream before the event that opens them is published."""
    async with running(on, who, compression) as one:
        await one.lay("c", count)
        began = time.perf_counter()
        await one.open("c")
        seconds = await one.agent.hears(1, LONGEST_SECONDS) - began
        return _took(one, count, seconds)


async def live(who: str, on: Servers, count: int, compression: str) -> Took:
    """The producer begins once the event that opens the pieces is published."""
    async with running(on, who, compression) as one, producer(on.nats.url, one.subject("c"), str(count)) as begin:
        began = time.perf_counter()
        await one.open("c")
        begin.write(b"\n")
        seconds = await one.agent.hears(1, LONGEST_SECONDS) - began
        return _took(one, count, seconds)


def _took(one: Running, count: int, seconds: float) -> Took:
    one.memory.look()
    return Took(count * PIECE_BYTES / MB / seconds, one.memory.grown / MB, one.memory.grown_children / MB)
