"""A server command's connection that ends at once, and says why, where NATS does not let its user ask JetStream."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click
from nats.aio.client import Client

from coatcheck_core.settings import Settings

from ..deployment.administering import AS_ADMINISTRATOR
from .connecting import connected

_DENIED = re.compile(r'permissions violation for (?:publish to "(\$js\.api\.[^"]*)"|subscription to "(_inbox[^"]*)")')
"""nats-py gives the server's words in lower case. To hear no reply is as bad as to ask nothing."""


@asynccontextmanager
async def permitted(settings: Settings, name: str) -> AsyncIterator[Client]:
    """As `connected`; within the block a denial ends what waits for an answer, which would only never come.

    Raises ClickException then too.
    """
    task, denied = asyncio.current_task(), list[str]()

    async def hear(error: Exception) -> None:
        found = _DENIED.search(str(error).lower())
        if found is None or task is None:
            return
        if not denied:
            task.cancel()
        denied.append((found[1] or found[2]).upper())

    async with connected(settings, name, hear) as client:
        try:
            yield client
        except asyncio.CancelledError:
            if not denied or task is None:
                raise
            task.uncancel()
            told = f"NATS does not let this user ask JetStream ({denied[0][:200]}: permissions violation)"
            raise click.ClickException(f"{told}: {AS_ADMINISTRATOR}") from None
