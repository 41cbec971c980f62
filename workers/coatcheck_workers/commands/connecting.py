"""A server command's connection to NATS: it ends in one line of error soon, where there is no server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import click
import nats.errors
from nats.aio.client import Client

from coatcheck.client.opening import explain
from coatcheck_core.credentials.tls import end_tls_quietly, insist_on_tls
from coatcheck_core.credentials.tls_faults import is_tls_fault
from coatcheck_core.settings import Settings
from coatcheck_schemas.anybytes import hear_any_bytes

from ..login import log_in

CONNECT_SECONDS = 5
CLOSE_SECONDS = 1
ADVICE = "`coatcheck doctor` finds out why"


async def _ignore(_: Exception) -> None:
    """The failure is raised as well; nats-py would log it with its traceback."""


@asynccontextmanager
async def connected(
    settings: Settings, name: str, hear: Callable[[Exception], Awaitable[None]] = _ignore
) -> AsyncIterator[Client]:
    """Closed at the end of the block; `hear` is given what the server says beside its answers.

    Raises InvalidInput where no server is configured, ClickException where none lets us in.
    """
    who = log_in(settings.nats)
    client = Client()
    end_tls_quietly(client)
    if who.insists_on_tls:
        insist_on_tls(client)
    try:
        await client.connect(
            who.urls,
            **who.options,
            name=name,
            connect_timeout=CONNECT_SECONDS,
            allow_reconnect=False,
            # Without these it tries a server that refuses sixty times, two seconds apart.
            max_reconnect_attempts=2,
            reconnect_time_wait=0.2,  # type: ignore[arg-type]
            error_cb=hear,
        )
    except (OSError, TimeoutError, nats.errors.Error) as error:
        await _hang_up(client, waits=not is_tls_fault(error))
        raise click.ClickException(f"cannot connect to NATS at {who}: {explain(error)}; {ADVICE}") from error
    hear_any_bytes(client)
    try:
        yield client
    finally:
        await client.close()


async def _hang_up(client: Client, *, waits: bool) -> None:
    """nats-py leaves the connection to a server that does not let us in to whoever collects the garbage.

    The end of one whose handshake failed is never told to it.
    """
    transport: Any = client._transport
    if transport is not None:
        transport.close()
        if not waits:
            return
        with suppress(OSError):  # TimeoutError is one
            async with asyncio.timeout(CLOSE_SECONDS):
                await transport.wait_closed()
