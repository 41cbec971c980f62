"""`coatcheck search`: passages in a session's originals."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import json_option, ref_session_option, session_of
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_LIMIT

if TYPE_CHECKING:
    from rich.console import Console

    from coatcheck_schemas.requests import Match, SearchReply


@click.command("search")
@click.argument("query")
@ref_session_option
@click.option("--ref", help="Only in this original.")
@click.option(
    "--context",
    "context_chars",
    type=click.IntRange(0, MAX_CONTEXT_CHARS),
    default=300,
    show_default=True,
    help="Chars around a match.",
)
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=20, show_default=True, help="Matches at a time.")
@click.option("--cursor", help="Go on after an earlier search.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    query: str,
    session: str,
    ref: str | None,
    context_chars: int,
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> None:
    """Find QUERY in the session's originals, or in the one of --ref.

    For people lines count from 1, as `read --numbered` shows them; an offset is what `read --offset` takes. In JSON
    both count from 0.
    """
    from coatcheck.cli.output import write_json
    from coatcheck.cli.work import connected, run

    async def search() -> "SearchReply":
        async with connected(ctx.obj) as client:
            return await client.search(
                session_of(ctx, ref), query, ref=ref, context_chars=context_chars, limit=limit, cursor=cursor
            )

    reply = run(search())
    if as_json:
        write_json(reply)
    else:
        _show(reply)


def _show(reply: "SearchReply") -> None:
    from rich.console import Console

    from coatcheck.cli.output import note

    console = Console(highlight=False, soft_wrap=True)
    for match in reply.matches:
        _show_match(console, match)
    if not reply.matches:
        note("no match" if not reply.has_more else "no match yet")
    if reply.has_more and reply.cursor is not None:
        note(f"there is more: go on with --cursor {reply.cursor}")


def _show_match(console: "Console", match: "Match") -> None:
    from rich.text import Text

    from coatcheck.cli.terminal import print_dim, safe_text

    print_dim(f"{match.ref} line {match.line + 1} offset {match.offset}")
    start = max(match.offset - match.snippet_offset, 0)
    found = match.snippet[start : start + match.length]
    rest = match.snippet[start + match.length :]
    console.print(Text.assemble(safe_text(match.snippet[:start]), (safe_text(found), "bold red"), safe_text(rest)))
    console.print()
