"""`coatcheck publish`: a file as a tool's result."""

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Unpack

import click

from coatcheck.cli.options import ResultOptions, check_ids, result_options

if TYPE_CHECKING:
    from coatcheck_schemas.events import StubEvent

STDIN = "-"
MOST_BYTES = 64 * 1024 * 1024
"""More than any NATS server takes in one message: there is no need to read on."""


@click.command("publish")
@click.argument("file", type=click.File("rb"))
@result_options
@click.pass_context
def command(ctx: click.Context, file: BinaryIO, **options: Unpack[ResultOptions]) -> int:
    """Publish FILE (- is standard input) as a tool's result, and print what stands for it: a stub, or itself."""
    from coatcheck.cli.output import write_event
    from coatcheck.cli.work import run

    tool_name = options["tool"] or _name(file)
    check_ids(ctx, options, tool_name)
    data = file.read(MOST_BYTES + 1)
    event = run(_publish(ctx, tool_name, data, options))
    write_event(event, as_json=options["as_json"])
    return 1 if event.disposition == "failed" else 0


async def _publish(ctx: click.Context, tool_name: str, data: bytes, options: ResultOptions) -> "StubEvent":
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        return await client.submit(
            options["session"],
            data,
            tool_name=tool_name,
            turn=options["turn"],
            turn_size=options["turn_size"],
            call=options["call"],
            mime_type=options["mime_type"],
            timeout=options["timeout"],
        )


def _name(file: BinaryIO) -> str:
    name = getattr(file, "name", STDIN)
    return Path(name).name if isinstance(name, str) and name not in (STDIN, "<stdin>") else "stdin"
