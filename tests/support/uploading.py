"""A producer of the plainest kind: it publishes an opening event, pieces and a last message, as it is told."""

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import msgspec
from tests.support.agents import Agent

from coatcheck_schemas import pieces

PIECE_BYTES = 256 * 1024


def cut(data: bytes, size: int = PIECE_BYTES) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


class Producer:
    """One upload of one call."""

    def __init__(self, agent: Agent, call: str, *, upload: str = "u1", turn: str = "") -> None:
        self.agent = agent
        self.at = agent.address(call, turn)
        self.upload = upload
        self.subject = agent.subjects.chunks(self.at, upload)

    async def open(self, *, tool: str = "build", **fields: Any) -> None:
        body = msgspec.json.encode({"tool_name": tool, "upload": self.upload, **fields})
        await self.agent.publish_raw(self.agent.subjects.results(self.at), body)

    async def send(self, seq: int, data: bytes, *, again: bool = False) -> None:
        """`again` as a repetition that the stream does not know for one."""
        headers = pieces.piece_headers(uuid4().hex, seq)
        if again:
            del headers[pieces.MESSAGE_ID]
        await self.agent.publish_raw(self.subject, data, headers)

    async def end(self, parts: Sequence[bytes], **changes: str | None) -> None:
        data = b"".join(parts)
        headers: dict[str, str | None] = dict(
            pieces.final_headers(uuid4().hex, count=len(parts), size=len(data), sha256=hashlib.sha256(data).hexdigest())
        )
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        await self.agent.publish_raw(
            self.subject, b"", {name: value for name, value in headers.items() if value is not None}
        )

    async def fail(self, reason: str) -> None:
        await self.agent.publish_raw(self.subject, b"", pieces.failed_headers(uuid4().hex, reason))

    async def publish(self, data: bytes, **fields: Any) -> None:
        """All of it."""
        await self.open(**fields)
        parts = cut(data)
        for seq, part in enumerate(parts):
            await self.send(seq, part)
        await self.end(parts)
