"""`coatcheck search`: passages in a session's originals."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from coatcheck.cli.options import examples, json_option, ref_session_option, session_of
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_LIMIT

if TYPE_CHECKING:
    from coatcheck.client.requesting import SearchOptions

NOTHING_FOUND = 1
"""As grep has it; an error is told by what is on standard error."""
ALL_AT_A_TIME = 200


@click.command(
    "search",
    epilog=examples(
        "coatcheck search 'connection refused' -i",
        "coatcheck search --regex 'ERROR|FATAL' --ref coat://s1/... --context 80",
        "coatcheck search -v --regex '^(INFO|DEBUG)' --ref coat://s1/... --all",
        "coatcheck search -w main --all --json | jq .ref",
    ),
)
@click.argument("query")
@ref_session_option
@click.option("--ref", help="Only in this original.")
@click.option("--regex", is_flag=True, help="QUERY is a regular expression (RE2).")
@click.option("-i", "--ignore-case", is_flag=True, help="Whatever the case, in any script.")
@click.option("-w", "--whole-word", is_flag=True, help="Only where no letter or digit stands beside it.")
@click.option("-v", "--invert", is_flag=True, help="The lines in which QUERY is not.")
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
@click.option("--all", "all_of_them", is_flag=True, help="Every match, and in JSON each on a line of its own.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    query: str,
    session: str,
    ref: str | None,
    regex: bool,
    ignore_case: bool,
    whole_word: bool,
    invert: bool,
    context_chars: int,
    limit: int,
    cursor: str | None,
    all_of_them: bool,
    as_json: bool,
) -> int:
    """Find QUERY in the session's originals, or in the one of --ref. The exit code is 1 where there is none.

    For people lines count from 1, as `read --numbered` shows them, and `N:` is before a line in which a match begins;
    an offset is what `read --offset` takes. In JSON both count from 0. Matches whose context overlaps are shown as one
    passage; in JSON each stands for itself.
    """
    from coatcheck.cli.finding import print_all, print_some
    from coatcheck.cli.work import connected, run

    if all_of_them and ctx.get_parameter_source("limit") is not ParameterSource.COMMANDLINE:
        limit = ALL_AT_A_TIME
    options: SearchOptions = {
        "regex": regex,
        "ignore_case": ignore_case,
        "whole_word": whole_word,
        "invert": invert,
        "context_chars": context_chars,
        "limit": limit,
    }

    async def search() -> int:
        async with connected(ctx.obj) as client:
            print_found = print_all if all_of_them else print_some
            return await print_found(client, session_of(ctx, ref), query, ref, cursor, options, as_json=as_json)

    return 0 if run(search()) else NOTHING_FOUND
