"""`coatcheck read`: an original, whole or in part."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from coatcheck.cli.options import examples, json_option, ref_session_option, session_of
from coatcheck_schemas.requests import TO_THE_END

if TYPE_CHECKING:
    from coatcheck.cli.reading import Reading
    from coatcheck_schemas.requests import Unit


def _nonzero(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is nothing: give how much to read, or -1 for all", ctx, param)
    return value


@click.command(
    "read",
    epilog=examples(
        "coatcheck read coat://s1/... --follow-pages > original.txt",
        "coatcheck read coat://s1/... --unit lines --numbered --offset -20",
        "coatcheck read coat://s1/... --unit bytes --follow-pages > image.png",
    ),
)
@click.argument("ref")
@ref_session_option
@click.option(
    "--offset", type=int, default=0, show_default=True, help="Where to begin, from 0; negative: from the end."
)
@click.option(
    "--limit",
    type=click.IntRange(min=TO_THE_END),
    callback=_nonzero,
    help="How much: by default 20000 chars or bytes, 200 lines; -1: to the end. With --follow-pages of each page.",
)
@click.option("--unit", type=click.Choice(["chars", "lines", "bytes"]), default="chars", show_default=True)
@click.option("--numbered", is_flag=True, help="With line numbers, from 1; the unit is lines then.")
@click.option("--follow-pages", is_flag=True, help="Go on, page after page, to the end; in JSON a reply a line.")
@click.option("--metadata", is_flag=True, help="What is known of the original, in place of it; with --json beside it.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    ref: str,
    session: str,
    offset: int,
    limit: int | None,
    unit: "Unit",
    numbered: bool,
    follow_pages: bool,
    metadata: bool,
    as_json: bool,
) -> None:
    """Write the original of REF, or a part of it: exactly as it is into a pipe or file, a text as UTF-8.

    On a terminal control characters are shown escaped. The session is the one that REF names, unless --session says
    another. A hint on standard error says how to go on.
    """
    from coatcheck.cli.reading import Reading
    from coatcheck.cli.work import run

    if numbered and unit != "lines":
        if ctx.get_parameter_source("unit") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--numbered goes with --unit lines: only lines have numbers", ctx)
        unit = "lines"
    reading = Reading(session_of(ctx, ref), ref, offset, limit, unit, numbered)
    # To the end without JSON was always all of it, however many messages that takes.
    follows = follow_pages or (limit == TO_THE_END and not as_json)
    run(_read(ctx, reading, follows=follows, metadata=metadata, as_json=as_json))


async def _read(ctx: click.Context, reading: "Reading", *, follows: bool, metadata: bool, as_json: bool) -> None:
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.reading import going_on, write_metadata, write_page, write_pages
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        if metadata and not as_json:
            await write_metadata(client, reading)
            return
        if follows:
            await write_pages(client, reading, as_json=as_json, metadata=metadata)
            return
        page = await write_page(client, reading, as_json=as_json, metadata=metadata)
    if page.next is not None and not as_json:
        following = going_on(reading, page.next.unit, page.next.offset)
        hint(f"there is more: go on with {following}, or --follow-pages for all")
