"""`coatcheck list`: a session's originals."""

from typing import TYPE_CHECKING, Literal, get_args

import click
from click.core import ParameterSource

from coatcheck.cli.moments import moment
from coatcheck.cli.options import examples, json_option, session_option
from coatcheck_schemas.requests import MAX_LIMIT
from coatcheck_schemas.synopsis import Kind

if TYPE_CHECKING:
    from coatcheck.client.requesting import ListFilters

ALL_AT_A_TIME = 500
TIME = "TIME"


@click.command(
    "list",
    epilog=examples(
        "coatcheck list --newest --limit 5",
        "coatcheck list --tool kubectl --kind json --since 2h",
        "coatcheck list --all --json | jq -r .ref",
    ),
)
@session_option
@click.option("--tool", "tool_name", metavar="NAME", help="Only this tool's.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Only of this kind.")
@click.option("--turn", metavar="ID", help="Only this turn's; an empty one: those without a turn.")
@click.option(
    "--since", metavar=TIME, callback=moment, help="From then on: RFC 3339, as 2026-01-31T23:59:59Z, or 2h, 7d (ago)."
)
@click.option("--until", metavar=TIME, callback=moment, help="Before then; as --since.")
@click.option("--order", type=click.Choice(["oldest", "newest"]), default="oldest", show_default=True)
@click.option("--newest", "order", flag_value="newest", help="The same as --order newest.")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=50, show_default=True, help="How many at a time.")
@click.option("--cursor", help="Go on after an earlier list.")
@click.option("--all", "all_of_them", is_flag=True, help="Every one, and in JSON each on a line of its own.")
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
    all_of_them: bool,
    as_json: bool,
) -> None:
    """List the session's originals by time of arrival: their references, tools, kinds and sizes."""
    from coatcheck.cli.listing import print_all, print_some
    from coatcheck.cli.work import connected, run

    if all_of_them and ctx.get_parameter_source("limit") is not ParameterSource.COMMANDLINE:
        limit = ALL_AT_A_TIME
    filters: ListFilters = {
        "tool_name": tool_name,
        "kind": kind,
        "turn": turn,
        "since": since,
        "until": until,
        "order": order,
        "limit": limit,
    }

    async def listing() -> None:
        async with connected(ctx.obj) as client:
            await (print_all if all_of_them else print_some)(client, session, cursor, filters, as_json=as_json)

    run(listing())
