"""Producers of results in pieces, each while its tool runs: as they should, and as they should not."""

import asyncio
import random
from uuid import uuid4

import msgspec
from nats.aio.client import Client
from tests.support.chaos.load import Plan
from tests.support.chaos.load_sending import Sending
from tests.support.chaos.uploads import FAILURE, PlannedUpload

from coatcheck_schemas.pieces import failed_headers, final_headers, piece_headers
from coatcheck_schemas.refs import sha256_hex

LONGEST_REST_SECONDS = 0.1
_WINDOW = 5
_PRODUCERS = 8


class SendingUploads(Sending):
    """A load, and these beside it."""

    def __init__(self, client: Client, plan: Plan, uploads: list[PlannedUpload]) -> None:
        super().__init__(client, plan)
        self._uploads = uploads
        self._producers = asyncio.Semaphore(_PRODUCERS)

    async def run(self, spread_seconds: float) -> None:
        """Also of the uploads each begins at a time of its own."""
        async with asyncio.TaskGroup() as group:
            group.create_task(super().run(spread_seconds))
            for one in self._uploads:
                group.create_task(self._upload(one, self._random.uniform(0, spread_seconds)))

    async def _upload(self, one: PlannedUpload, begin_seconds: float) -> None:
        await asyncio.sleep(begin_seconds)
        async with self._producers:
            if one.behaviour != "late":
                await self._open(one)
            pieces = await asyncio.to_thread(one.pieces)
            for seq in self._order(one, len(pieces)):
                await self._piece(one, seq, pieces[seq])
                await asyncio.sleep(self._random.uniform(0, LONGEST_REST_SECONDS))
            await self._end(one, pieces)
            if one.behaviour == "late":
                await self._open(one)

    def _order(self, one: PlannedUpload, count: int) -> list[int]:
        """In which the pieces are published; those that stand there again are repeated."""
        order = list(range(count))
        if one.behaviour == "shuffles":
            rng = random.Random(one.seed + 1)
            for at in range(0, count, _WINDOW):
                window = order[at : at + _WINDOW]
                rng.shuffle(window)
                order[at : at + _WINDOW] = window
        if one.behaviour == "repeats":
            order = [seq for first in order for seq in ([first, max(0, first - 2)] if first % 3 == 0 else [first])]
        return order

    async def _open(self, one: PlannedUpload) -> None:
        event = {"tool_name": "build", "upload": one.upload}
        event |= dict(zip(("session_id", "turn_id", "call_id"), one.ids, strict=True))
        await self._publish(
            self._subjects.results(one.at), msgspec.json.encode(event), {"Nats-Msg-Id": f"open-{one.upload}"}
        )

    async def _piece(self, one: PlannedUpload, seq: int, body: bytes) -> None:
        """A repeated one has another message id, or the stream would not take it."""
        headers = piece_headers(uuid4().hex, seq)
        if one.behaviour == "repeats":
            headers["Nats-Msg-Id"] += f"-{self._random.randbytes(4).hex()}"
        await self._publish(self._subjects.chunks(one.at, one.upload), body, headers)

    async def _end(self, one: PlannedUpload, pieces: list[bytes]) -> None:
        if one.behaviour == "silent":
            return
        if one.behaviour == "fails":
            headers = failed_headers(uuid4().hex, FAILURE)
        else:
            content = b"".join(pieces)
            sha256 = await asyncio.to_thread(sha256_hex, b"lie" if one.behaviour == "lies" else content)
            headers = final_headers(uuid4().hex, count=len(pieces), size=len(content), sha256=sha256)
        await self._publish(self._subjects.chunks(one.at, one.upload), b"", headers)
