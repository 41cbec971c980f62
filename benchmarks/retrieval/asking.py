"""A request and its reply, timed: of the worker or of the floor."""

import time
from typing import Any

import msgspec
from nats.aio.client import Client

from benchmarks.large.running import LONGEST_SECONDS
from benchmarks.retrieval.floor import Range
from benchmarks.retrieval.keeping import SESSION


class Asking(msgspec.Struct, frozen=True):
    """Of one deployment. Seconds are until the reply is here, not until it is decoded."""

    client: Client
    prefix: str

    async def raw(self, verb: str, session: str = SESSION, /, **fields: object) -> tuple[float, bytes]:
        return await self._timed(f"{self.prefix}.{verb}.{session}", msgspec.json.encode(fields))

    async def ours(self, verb: str, session: str = SESSION, /, **fields: object) -> tuple[float, dict[str, Any]]:
        """Raises RuntimeError for an error reply."""
        seconds, data = await self.raw(verb, session, **fields)
        reply = msgspec.json.decode(data)
        if "ok" not in reply:
            raise RuntimeError(f"{verb} was answered {data[:500]!r}")
        return seconds, reply["ok"]

    async def floor(self, how: str, wanted: Range) -> tuple[float, bytes]:
        return await self._timed(f"{self.prefix}.floor.{how}", msgspec.json.encode(wanted))

    async def _timed(self, subject: str, body: bytes) -> tuple[float, bytes]:
        began = time.perf_counter()
        reply = await self.client.request(subject, body, timeout=LONGEST_SECONDS)
        return time.perf_counter() - began, reply.data
