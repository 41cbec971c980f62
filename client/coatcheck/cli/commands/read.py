"""`coatcheck read`: an original, whole or in part."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import json_option, session_of, session_option

if TYPE_CHECKING:
    from coatcheck.client import Client
    from coatcheck_schemas.requests import ReadReply, Unit

TO_THE_END = -1


@click.command("read")
@click.argument("ref")
@session_option
@click.option("--offset", type=int, default=0, show_default=True, help="Where to begin; negative: from the end.")
@click.option("--limit", type=int, help="How much: by default 20000 chars or bytes, 200 lines; -1: to the end.")
@click.option("--unit", type=click.Choice(["chars", "lines", "bytes"]), default="chars", show_default=True)
@click.option("--numbered", is_flag=True, help="With line numbers.")
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
    """Write the original of REF, or a part of it, exactly as it is.

    The session is the one that REF names, unless --session says another. A hint on standard error says how to go on.
    """
    from coatcheck.cli.work import run

    run(_read(ctx, session_of(ctx, ref), ref, offset, limit, unit, numbered, as_json))


async def _read(
    ctx: click.Context,
    session: str,
    ref: str,
    offset: int,
    limit: int | None,
    unit: "Unit",
    numbered: bool,
    as_json: bool,
) -> None:
    from coatcheck.cli.output import note, write_bytes, write_json
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        page = await client.read(session, ref, offset=offset, limit=limit, unit=unit, numbered=numbered)
        if as_json:
            write_json(page)
            return
        write_bytes(_data(page))
        if limit == TO_THE_END:
            page = await _write_rest(client, session, ref, page, numbered)
    if page.next is not None:
        note(f"there is more: go on with --offset {page.next.offset} --unit {page.next.unit}, or --limit -1 for all")


async def _write_rest(client: "Client", session: str, ref: str, page: "ReadReply", numbered: bool) -> "ReadReply":
    """A reply is cut to what one message carries: page on to the end."""
    from coatcheck.cli.output import write_bytes

    while page.next is not None:
        following = await client.read(
            session, ref, offset=page.next.offset, limit=TO_THE_END, unit=page.next.unit, numbered=numbered
        )
        write_bytes(_data(following))
        if following.next == page.next:
            break
        page = following
    return page


def _data(page: "ReadReply") -> bytes:
    import base64

    return base64.b64decode(page.content) if page.unit == "bytes" else page.content.encode()
