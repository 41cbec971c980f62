"""`coatcheck link`: a URL for an original's bytes."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import examples, json_option, ref_session_option, session_of
from coatcheck_schemas.requests import DEFAULT_LINK_SECONDS, MAX_LINK_SECONDS

if TYPE_CHECKING:
    from coatcheck_schemas.requests import LinkReply


@click.command(
    "link",
    epilog=examples(
        "coatcheck link coat://s1/... --expires 60", "coatcheck link coat://s1/... | xargs curl -o original"
    ),
)
@click.argument("ref")
@ref_session_option
@click.option(
    "--expires",
    "expires_seconds",
    type=click.IntRange(1, MAX_LINK_SECONDS),
    default=DEFAULT_LINK_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long the URL is good.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, ref: str, session: str, expires_seconds: int, as_json: bool) -> None:
    """Print a URL by which whoever has it can get the bytes of REF, straight from object storage, until it expires."""
    from coatcheck.cli.output import write_json, write_line
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.work import connected, run

    async def link() -> "LinkReply":
        async with connected(ctx.obj) as client:
            return await client.link(session_of(ctx, ref), ref, expires_seconds=expires_seconds)

    reply = run(link())
    if as_json:
        write_json(reply)
        return
    write_line(reply.url)
    hint(f"it expires at {reply.expires_at}")
