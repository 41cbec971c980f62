"""`coatcheck turn`: what is done with a turn as a whole."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import examples, json_option, session_option
from coatcheck_schemas.events import MAX_TURN_SIZE, MIN_TURN_SIZE

if TYPE_CHECKING:
    from coatcheck_schemas.events import TurnSettled

CALL_CHARS = 40


@click.group("turn", epilog=examples("coatcheck turn end t1 --session s1"))
def command() -> None:
    """A turn: one message of the model with its tool calls, whose results share a budget."""


@command.command(
    "end",
    epilog=examples("coatcheck turn end t1 --session s1", "coatcheck turn end t1 --size 3 --timeout 30 --json"),
)
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
    """Say that no more results come in TURN, and show what was decided of those there are.

    The exit code is 1 where nothing was decided in time. With a tool's credentials it says that the agent is told.
    """
    from coatcheck.cli.output import write_json
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.work import run
    from coatcheck_schemas.errors import Code, RequestError

    if not turn:
        raise click.UsageError("TURN is empty: what has no turn id belongs to no turn", ctx)
    settled, is_heard = run(_end(ctx, session, turn, size, timeout))
    if not is_heard:
        _tell_unheard(as_json=as_json)
        return
    if settled is None:
        raise RequestError(Code.UNAVAILABLE, _undecided(size, timeout))
    if as_json:
        write_json(settled)
    else:
        _show(settled)
    if not settled.received:
        hint("no result of this turn had come: is its id right, and the session?")


def _undecided(size: int | None, seconds: float) -> str:
    until = "the results that were published before" if size is None else f"{size} result{'' if size == 1 else 's'}"
    return (
        f"the turn is ended, and no manifest came within {seconds:g} s: it is settled once {until} are there, or at "
        "its deadline; wait longer with --timeout, and see that the turn's id is right"
    )


def _tell_unheard(*, as_json: bool) -> None:
    from coatcheck.cli.output import write_json, write_line

    if as_json:
        write_json({"ended": True})
    else:
        write_line("the turn is ended; this user hears no stubs: what is decided goes to the session's agent")


async def _end(
    ctx: click.Context, session: str, turn: str, size: int | None, seconds: float
) -> "tuple[TurnSettled | None, bool]":
    """The manifest, and whether this user may hear it: a tool ends a turn all the same."""
    from coatcheck.cli.work import connected
    from coatcheck.client.denials import is_unheard
    from coatcheck_schemas.errors import RequestError

    async with connected(ctx.obj) as client:
        try:
            async with client.turn(session, turn) as one:
                await one.end(size)
                return await one.wait_settled(seconds), True
        except RequestError as error:
            if not is_unheard(error):
                raise
        await client.end_turn(session, turn, size=size)
        return None, False


def _show(settled: "TurnSettled") -> None:
    from rich.table import Table
    from rich.text import Text

    from coatcheck.cli.quiet import hint
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
    hint(f"{told}: {settled.inline_total:,} inline of a budget of {settled.budget:,}")
