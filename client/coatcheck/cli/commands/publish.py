"""`coatcheck publish`: a file as a tool's result."""

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Unpack

import click

from coatcheck.cli.options import ResultOptions, result_options

if TYPE_CHECKING:
    from coatcheck_schemas.events import StubEvent

STDIN = "-"


@click.command("publish")
@click.argument("file", type=click.File("rb"))
@result_options
@click.pass_context
def command(ctx: click.Context, file: BinaryIO, **options: Unpack[ResultOptions]) -> int:
    """Publish FILE (- is standard input) as a tool's result, and print what stands for it: a stub, or itself."""
    from coatcheck.cli.output import write_event
    from coatcheck.cli.work import run

    event = run(_publish(ctx, file, options))
    write_event(event, as_json=options["as_json"])
    return 1 if event.disposition == "failed" else 0


async def _publish(ctx: click.Context, file: BinaryIO, options: ResultOptions) -> "StubEvent":
    import asyncio

    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        data = await asyncio.to_thread(_read, file, client.max_payload)
        return await client.submit(
            options["session"],
            data,
            tool_name=options["tool"] or _name(file),
            turn=options["turn"],
            call=options["call"],
            mime_type=options["mime_type"],
            timeout=options["timeout"],
        )


def _read(file: BinaryIO, limit: int) -> bytes:
    """All of it; one byte more than the limit is enough to know that it is too much."""
    from coatcheck_schemas.errors import Code, RequestError

    data = file.read(limit + 1)
    if len(data) > limit:
        raise RequestError(
            Code.TOO_LARGE,
            f"{_name(file)} has more than the {limit} bytes that one NATS message carries here: publish a part of it",
        )
    return data


def _name(file: BinaryIO) -> str:
    name = getattr(file, "name", STDIN)
    return Path(name).name if isinstance(name, str) and name not in (STDIN, "<stdin>") else "stdin"
