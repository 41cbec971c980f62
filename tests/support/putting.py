"""PUT and GET by plain HTTP, as somebody does who has a URL and nothing else."""

import asyncio
import urllib.error
import urllib.request
from typing import Any

from tests.support.agents import Agent


async def put(url: str, data: bytes, headers: dict[str, str] | None = None) -> int:
    """The status."""
    return (await _asked(urllib.request.Request(url, data=data, method="PUT", headers=headers or {})))[0]


async def got(url: str) -> tuple[int, bytes]:
    """The status and the body."""
    return await _asked(urllib.request.Request(url))


async def _asked(request: urllib.request.Request) -> tuple[int, bytes]:
    def ask() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return await asyncio.to_thread(ask)


async def uploaded(agent: Agent, data: bytes, **fields: Any) -> dict[str, Any]:
    """The reply to a request `upload` of these fields, after the bytes were put as it says."""
    reply: dict[str, Any] = (await agent.request("upload", fields))["ok"]
    assert await put(reply["url"], data, reply["headers"]) == 200
    return reply


async def name(agent: Agent, call: str, upload: str, *, turn: str = "", **fields: Any) -> None:
    """The event that names an upload."""
    await agent.publish(call, None, turn=turn, upload=upload, **fields)
