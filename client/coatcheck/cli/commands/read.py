"""`coatcheck read`: an original, whole or in part."""

from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from coatcheck.cli.options import json_option, ref_session_option, session_of
from coatcheck_schemas.requests import TO_THE_END

if TYPE_CHECKING:
    from coatcheck.client import Client
    from coatcheck_schemas.requests import ReadReply, Unit


class Reading(NamedTuple):
    """What is asked for, in the words of the options."""

    session: str
    ref: str
    offset: int
    limit: int | None
    unit: "Unit"
    numbered: bool


def _nonzero(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is nothing: give how much to read, or -1 for all", ctx, param)
    return value


@click.command("read")
@click.argument("ref")
@ref_session_option
@click.option(
    "--offset", type=int, default=0, show_default=True, help="Where to begin, from 0; negative: from the end."
)
@click.option(
    "--limit",
    type=click.IntRange(min=TO_THE_END),
    callback=_nonzero,
    help="How much: by default 20000 chars or bytes, 200 lines; -1: to the end.",
)
@click.option("--unit", type=click.Choice(["chars", "lines", "bytes"]), default="chars", show_default=True)
@click.option("--numbered", is_flag=True, help="With line numbers, from 1; the unit is lines then.")
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
    as_json: bool,
) -> None:
    """Write the original of REF, or a part of it: exactly as it is into a pipe or file.

    On a terminal control characters are shown escaped. The session is the one that REF names, unless --session says
    another. A hint on standard error says how to go on.
    """
    from coatcheck.cli.work import run

    if numbered and unit != "lines":
        if ctx.get_parameter_source("unit") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--numbered goes with --unit lines: only lines have numbers", ctx)
        unit = "lines"
    run(_read(ctx, Reading(session_of(ctx, ref), ref, offset, limit, unit, numbered), as_json))


async def _read(ctx: click.Context, reading: Reading, as_json: bool) -> None:
    from coatcheck.cli.output import end_line, note, write_content, write_json
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        page = await _page(client, reading)
        if as_json:
            write_json(page)
            return
        data = _data(page)
        while reading.limit == TO_THE_END and page.next is not None:
            # A reply is cut to what one message carries: page on to the end.
            write_content(data, ends=False)
            goes_on = page.next
            page = await _page(client, reading._replace(offset=goes_on.offset, unit=goes_on.unit))
            data = _data(page)
            if page.next == goes_on:
                break
        write_content(data, ends=False)
        end_line(data)
    if page.next is not None:
        note(f"there is more: go on with {going_on(reading, page.next.unit, page.next.offset)}, or --limit -1 for all")


async def _page(client: "Client", reading: Reading) -> "ReadReply":
    """Of a line that is cut there are no numbered chars. Raises RequestError; it names the session that was asked."""
    from coatcheck_schemas.errors import Code, RequestError

    session, ref, offset, limit, unit, numbered = reading
    numbered = numbered and unit == "lines"
    try:
        return await client.read(session, ref, offset=offset, limit=limit, unit=unit, numbered=numbered)
    except RequestError as error:
        if error.code is not Code.NOT_FOUND:
            raise
        named = RequestError(error.code, f"{error.message} (session {session[:100]!r} was asked)")
        named.details.update(error.details)  # not as keywords: their names are the answerer's
        raise named from None


def going_on(reading: Reading, unit: "Unit", offset: int) -> str:
    """The options for the page that follows; limit and numbers are kept where it counts in the same unit."""
    options = f"--offset {offset} --unit {unit}"
    if unit != reading.unit:
        return options
    if reading.numbered:
        options += " --numbered"
    return options if reading.limit is None or reading.limit == TO_THE_END else f"{options} --limit {reading.limit}"


def _data(page: "ReadReply") -> "str | bytes":
    import base64

    return base64.b64decode(page.content) if page.unit == "bytes" else page.content
