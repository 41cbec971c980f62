"""`coatcheck watch`: a session's stubs as they come."""

import click

from coatcheck.cli.options import json_option, session_option


@click.command("watch")
@session_option
@click.option("--turn", metavar="ID", help="Only this turn's.")
@click.option("--from-start", "--replay", "from_start", is_flag=True, help="Begin with the oldest that is kept.")
@json_option
@click.pass_context
def command(ctx: click.Context, session: str, turn: str | None, from_start: bool, as_json: bool) -> None:
    """Print the session's stubs and inline results as they come, until interrupted. A break loses none."""
    from coatcheck.cli.work import run

    run(_watch(ctx, session, turn, from_start, as_json))


async def _watch(ctx: click.Context, session: str, turn: str | None, from_start: bool, as_json: bool) -> None:
    from coatcheck.cli.output import note, write_event, write_line
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client, client.stubs(session, turn=turn, from_start=from_start) as stubs:
        note(f"watching session {session!r}; Ctrl-C ends it")
        async for event in stubs:
            write_event(event, as_json=as_json)
            if not as_json:
                write_line("")
