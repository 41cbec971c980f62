"""`coatcheck provision`: lay out what the workers need on configured servers, or show how it differs."""

import asyncio
from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from coatcheck_core.settings import Settings

from ..provisioning import Drift, drift, place_of, provision
from .connecting import connected

NAME = "coatcheck-provision"


@click.command("provision", short_help="Declare streams, consumers and the bucket, or show drift.")
@click.option("--check", is_flag=True, help="Change nothing; show what differs, and exit with 1 where something does.")
def command(check: bool) -> int:
    """Declare streams, the workers' consumer and the bucket on the configured servers.

    What is there as declared is left alone, so that it can be run at any time.
    """
    settings, _ = click.get_current_context().obj.settings()
    if check:
        found = asyncio.run(_look(settings))
        _show_drift(found)
        return 1 if found else 0
    for line in asyncio.run(_lay_out(settings)) or ["everything is as declared"]:
        click.echo(line)
    return 0


async def _look(settings: Settings) -> list[Drift]:
    async with connected(settings, NAME) as client:
        return await drift(client.jetstream(), place_of(settings.storage), settings)


async def _lay_out(settings: Settings) -> list[str]:
    async with connected(settings, NAME) as client:
        return await provision(client.jetstream(), place_of(settings.storage), settings)


def _show_drift(found: Sequence[Drift]) -> None:
    if not found:
        click.echo("everything is as declared")
        return
    table = Table("what", "field", "declared", "actual")
    for one in found:
        table.add_row(one.what, one.field, one.declared, one.actual)
    Console(highlight=False, markup=False).print(table)
