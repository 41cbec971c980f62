"""An agent's side, as every figure is taken: results are published, stub events heard, in a process of no worker's."""

import asyncio
import itertools
import os
import time
from types import TracebackType

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg

KB = 1000

AT_ONCE = 32

_numbers = itertools.count()


class Agent:
    """Hears every stub event under a prefix, and when: `times` in the order of hearing, `heard` by call id."""

    def __init__(self, client: Client, prefix: str) -> None:
        self.times: list[float] = []
        self.heard: dict[str, float] = {}
        self._client = client
        self._jetstream = client.jetstream(timeout=30)
        self._prefix = prefix
        self._awaited = 0
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> "Agent":
        await self._client.subscribe(f"{self._prefix}.stubs.>", cb=self._hear)
        await self._client.flush()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Its subscription ends with the connection."""

    async def _hear(self, message: Msg) -> None:
        now = time.perf_counter()
        self.times.append(now)
        self.heard.setdefault(message.subject.rpartition(".")[2].partition("-")[0], now)
        if len(self.times) >= self._awaited:
            self._arrived.set()

    async def hears(self, count: int, seconds: float = 30) -> float:
        """Wait until so many stub events in all have come; when the last of them came."""
        if len(self.times) < count:
            self._awaited = count
            self._arrived.clear()
            await asyncio.wait_for(self._arrived.wait(), seconds)
        return self.times[count - 1]

    async def publish(self, address: str, body: bytes) -> None:
        """`address` is `SESSION.TURN.CALL`; returns once the result is stored."""
        await self._jetstream.publish(f"{self._prefix}.results.{address}", body)

    async def publish_all(self, results: list[tuple[str, bytes]]) -> None:
        for start in range(0, len(results), AT_ONCE):
            await asyncio.gather(*(self.publish(*result) for result in results[start : start + AT_ONCE]))


def result_of(size: int, number: int, turn_size: int | None = None) -> bytes:
    """A JSON document as an API answers, different each time, as the text of a JSON event."""
    record = {"id": number, "name": f"deployment-{number}", "labels": {"app": "web", "tier": "front"}, "ready": True}
    if size < 2 * KB:
        text = msgspec.json.encode(record).decode().ljust(size)
    else:
        each = len(msgspec.json.encode(record | {"id": f"{number}-000"})) + 1
        records = [record | {"id": f"{number}-{i:03}"} for i in range(-(-size // each))]
        text = msgspec.json.encode({"kind": "List", "items": records}).decode()
    event = {"tool_name": "kubectl", "content": text}
    return msgspec.json.encode(event if turn_size is None else event | {"turn_size": turn_size})


def new_prefix() -> str:
    return f"bench{os.getpid()}x{next(_numbers)}"
