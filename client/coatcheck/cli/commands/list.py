"""`coatcheck list`: a session's originals."""

from typing import TYPE_CHECKING, Literal, get_args

import click

from coatcheck.cli.options import json_option, session_option
from coatcheck_schemas.requests import MAX_LIMIT
from coatcheck_schemas.synopsis import Kind

if TYPE_CHECKING:
    from coatcheck_schemas.requests import ListReply


@click.command("list")
@session_option
@click.option("--tool", "tool_name", metavar="NAME", help="Only this tool's.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Only of this kind.")
@click.option("--turn", metavar="ID", help="Only this turn's.")
@click.option("--since", metavar="TIME", help="RFC 3339, as 2026-01-31T23:59:59Z.")
@click.option("--until", metavar="TIME")
@click.option("--order", type=click.Choice(["oldest", "newest"]), default="oldest", show_default=True)
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=50, show_default=True)
@click.option("--cursor", help="Go on after an earlier list.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    session: str,
    tool_name: str | None,
    kind: str | None,
    turn: str | None,
    since: str | None,
    until: str | None,
    order: Literal["oldest", "newest"],
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> None:
    """List the session's originals: their references, tools, kinds and sizes."""
    from coatcheck.cli.output import write_json
    from coatcheck.cli.work import connected, run

    async def listing() -> "ListReply":
        async with connected(ctx.obj) as client:
            return await client.list(
                session,
                tool_name=tool_name,
                kind=kind,
                turn=turn,
                since=since,
                until=until,
                order=order,
                limit=limit,
                cursor=cursor,
            )

    reply = run(listing())
    if as_json:
        write_json(reply)
    else:
        filters = (tool_name, kind, turn, since, until, cursor)
        _show(reply, session, filtered=any(one is not None for one in filters))


def _show(reply: "ListReply", session: str, *, filtered: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from coatcheck.cli.output import note
    from coatcheck.cli.terminal import print_table
    from coatcheck_core.stub.escaping import one_line

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("created", "tool", "kind", "size", "ref"):
        table.add_column(title, no_wrap=True, justify="right" if title == "size" else "left")
    for one in reply.tool_results:
        chars = one.original_chars
        kind = _kind(one.synopsis_kind, one.synopsis_format)
        size = f"{one.original_bytes:,} bytes" if chars is None else f"{chars:,} chars"
        table.add_row(*(Text(text) for text in (one.created_at, one_line(one.tool_name, 40), kind, size, one.ref)))
    if reply.tool_results:
        print_table(table, fold=False)
    else:
        note(_nothing(session, filtered=filtered, unfinished=reply.has_more))
    if reply.has_more and reply.cursor is not None:
        note(f"there is more: go on with --cursor {reply.cursor}")


def _kind(kind: str, form: str | None) -> str:
    """The kind that `--kind` takes, and after a slash the format where that says more."""
    return kind if form is None or form == kind else f"{kind}/{form}"


def _nothing(session: str, *, filtered: bool, unfinished: bool) -> str:
    if unfinished:
        return "none found yet"
    if filtered:
        return f"none of the results stored for session {session[:100]!r} match"
    return f"no results are stored for session {session[:100]!r}: only offloaded ones are listed"
