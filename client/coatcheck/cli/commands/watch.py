"""`coatcheck watch`: a session's stubs as they come."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import examples, json_option, session_option

if TYPE_CHECKING:
    from coatcheck_schemas.events import StubEvent


NAME_CHARS = 80


@click.command(
    "watch",
    epilog=examples("coatcheck watch --session s1", "coatcheck watch --from-start --turn t1 --json | jq .content"),
)
@session_option
@click.option("--turn", metavar="ID", help="Only this turn's.")
@click.option("--from-start", "--replay", "from_start", is_flag=True, help="Begin with the oldest that is kept.")
@json_option
@click.pass_context
def command(ctx: click.Context, session: str, turn: str | None, from_start: bool, as_json: bool) -> None:
    """Print the session's stubs and inline results as they come, until interrupted. A break loses none."""
    from coatcheck.cli.work import run

    with suppress(KeyboardInterrupt):
        run(_watch(ctx, session, turn, from_start, as_json))


async def _watch(ctx: click.Context, session: str, turn: str | None, from_start: bool, as_json: bool) -> None:
    from coatcheck.cli.output import write_json
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client, client.stubs(session, turn=turn, from_start=from_start) as stubs:
        hint(f"watching session {session!r}; Ctrl-C ends it")
        async for event in stubs:
            if as_json:
                write_json(event)
            else:
                _show(event)


def _show(event: "StubEvent") -> None:
    """One among others: its text ends a line, an empty line comes after; a terminal is told what it is of."""
    from coatcheck.cli.output import content_text, write_line
    from coatcheck.cli.terminal import on_terminal, print_dim

    if on_terminal():
        print_dim(header(event))
    text = content_text(event)
    if text:
        write_line(text)
    write_line("")


def header(event: "StubEvent") -> str:
    """What an event is of: tool, call, turn where it has one, disposition."""
    from coatcheck_core.stub.escaping import one_line

    tool, call, turn = (one_line(text or "", NAME_CHARS) for text in (event.tool_name, event.call_id, event.turn_id))
    of_turn = f"turn {turn}, " if turn else ""
    return f"{tool or 'no tool'} (call {call}, {of_turn}{event.disposition})"
