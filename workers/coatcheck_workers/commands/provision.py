"""`coatcheck provision`: lay out what the workers need on configured servers, or show how it differs."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import click
import nats
import nats.errors
from nats.js import JetStreamContext
from rich.console import Console
from rich.table import Table

from coatcheck_core.settings import Settings

from ..login import log_in
from ..provisioning import Bucket, Drift, drift, provision

CONNECT_SECONDS = 5


@click.command("provision", short_help="Declare streams, consumers and the bucket, or show drift.")
@click.option("--check", is_flag=True, help="Change nothing; show what differs, and exit with 1 where something does.")
def command(check: bool) -> int:
    """Declare streams, the workers' consumer and the bucket on the configured servers.

    What is there as declared is left alone, so that it can be run at any time.
    """
    settings, _ = click.get_current_context().obj.settings()
    if not settings.nats.url:
        raise click.ClickException(
            "nats.url is not set, and no `coatcheck up` runs here: set it, or run `coatcheck up`"
        )
    if check:
        found = asyncio.run(_look(settings))
        _show_drift(found)
        return 1 if found else 0
    for line in asyncio.run(_lay_out(settings)) or ["everything is as declared"]:
        click.echo(line)
    return 0


async def _look(settings: Settings) -> list[Drift]:
    async with _jetstream(settings) as js:
        return await drift(js, Bucket(settings.storage), settings)


async def _lay_out(settings: Settings) -> list[str]:
    async with _jetstream(settings) as js:
        return await provision(js, Bucket(settings.storage), settings)


@asynccontextmanager
async def _jetstream(settings: Settings) -> AsyncIterator[JetStreamContext]:
    servers = log_in(settings.nats)
    try:
        client = await nats.connect(
            servers.urls,
            user=servers.user,
            password=servers.password,
            token=servers.token,
            name="coatcheck-provision",
            connect_timeout=CONNECT_SECONDS,
            allow_reconnect=False,
            # Without these it tries a server that refuses sixty times, two seconds apart.
            max_reconnect_attempts=2,
            reconnect_time_wait=0.2,
            error_cb=_ignore,
        )
    except (OSError, TimeoutError, nats.errors.Error) as error:
        raise click.ClickException(f"cannot connect to NATS at {servers}: {error or type(error).__name__}") from error
    try:
        yield client.jetstream()
    finally:
        await client.close()


def _show_drift(found: Sequence[Drift]) -> None:
    if not found:
        click.echo("everything is as declared")
        return
    table = Table("what", "field", "declared", "actual")
    for one in found:
        table.add_row(one.what, one.field, one.declared, one.actual)
    Console(highlight=False, markup=False).print(table)


async def _ignore(_: Exception) -> None:
    """The failure is raised as well; nats-py would log it with its traceback."""
