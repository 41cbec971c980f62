"""`coatcheck provision`: lay out what the workers need on configured servers, or show how it differs."""

import asyncio
from collections.abc import Sequence

import click
from rich.table import Table
from rich.text import Text

from coatcheck.cli.options import examples
from coatcheck.cli.terminal import print_table
from coatcheck_core.settings import Settings

from ..provisioning import Drift, drift, place_of, provision
from .permitted import permitted

NAME = "coatcheck-provision"


@click.command(
    "provision",
    short_help="Declare streams, consumers and the bucket, or show drift.",
    epilog=examples("coatcheck provision", "coatcheck provision --check --config production.yaml"),
)
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
    async with permitted(settings, NAME) as client:
        return await drift(client.jetstream(), place_of(settings.storage), settings)


async def _lay_out(settings: Settings) -> list[str]:
    async with permitted(settings, NAME) as client:
        return await provision(client.jetstream(), place_of(settings.storage), settings)


def _show_drift(found: Sequence[Drift]) -> None:
    if not found:
        click.echo("everything is as declared")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("what", "field", "declared", "actual"):
        table.add_column(title, overflow="fold")
    for one in found:
        table.add_row(*map(Text, (one.what, one.field or "all", one.declared, one.actual)))
    print_table(table, fold=True)
