"""`coatcheck turn`: what is done with a turn as a whole."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import json_option, session_option
from coatcheck_schemas.events import MAX_TURN_SIZE, MIN_TURN_SIZE

if TYPE_CHECKING:
    from coatcheck_schemas.events import TurnSettled

CALL_CHARS = 40


@click.group("turn")
def command() -> None:
    """A turn: one message of the model with its tool calls, whose results share a budget."""


@command.command("end")
@click.argument("turn")
@session_option
@click.option(
    "--size",
    type=click.IntRange(MIN_TURN_SIZE, MAX_TURN_SIZE),
    metavar="N",
    help="How many results it has: it is settled once they are there; without it at once.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for what was decided.",
)
@json_option
@click.pass_context
def end(ctx: click.Context, turn: str, session: str, size: int | None, timeout: float, as_json: bool) -> None:
    """Say that no more results come in TURN, and show what was decided of those there are."""
    from coatcheck.cli.output import note, write_json
    from coatcheck.cli.work import run

    if not turn:
        raise click.UsageError("TURN is empty: what has no turn id belongs to no turn", ctx)
    settled = run(_end(ctx, session, turn, size, timeout))
    if as_json:
        write_json(settled)
    elif settled is None:
        note(
            f"the turn is ended, and nothing was told of it within {timeout:g} s: it was settled before, or some of "
            "its results are still on their way"
        )
    else:
        _show(settled)


async def _end(ctx: click.Context, session: str, turn: str, size: int | None, seconds: float) -> "TurnSettled | None":
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client, client.turn(session, turn) as one:
        await one.end(size)
        return await one.wait_settled(seconds)


def _show(settled: "TurnSettled") -> None:
    from rich.table import Table
    from rich.text import Text

    from coatcheck.cli.output import note
    from coatcheck.cli.terminal import print_table
    from coatcheck_core.stub.escaping import one_line

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("call", "disposition", "reason", "chars", "inline"):
        table.add_column(title, no_wrap=True, justify="right" if title in ("chars", "inline") else "left")
    for one in settled.results:
        chars = "" if one.original_chars is None else f"{one.original_chars:,}"
        cells = (one_line(one.call_id, CALL_CHARS), one.disposition, one.reason or "", chars, f"{one.inline_size:,}")
        table.add_row(*map(Text, cells))
    if settled.results:
        print_table(table, fold=False)
    told = f"{settled.received} result{'' if settled.received == 1 else 's'}, settled by {settled.settled_by}"
    note(f"{told}: {settled.inline_total:,} inline of a budget of {settled.budget:,}")
