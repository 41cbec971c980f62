"""`coatcheck publish`: a file as a tool's result."""

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Unpack

import click

from coatcheck.cli.options import InputFile, ResultOptions, check_ids, examples, fields_of, result_options

if TYPE_CHECKING:
    from coatcheck_schemas.events import StubEvent

STDIN = "-"


@click.command(
    "publish",
    epilog=examples(
        "coatcheck publish report.json --session s1 --tool fetch_report",
        "coatcheck publish big.log --upload",
        "seq 1 20000 | coatcheck publish - --tool seq --turn t1 --json",
    ),
)
@click.argument("file", type=InputFile())
@click.option(
    "--upload", "direct", is_flag=True, help="Put it straight into object storage, which must be in reach from here."
)
@result_options
@click.pass_context
def command(ctx: click.Context, file: BinaryIO, direct: bool, **options: Unpack[ResultOptions]) -> int:
    """Publish FILE (- is standard input) as a tool's result, and print what stands for it: a stub, or itself.

    It may be of any size, and grow while it is read. Where it cannot be read to its end, what was published of a large
    one is kept, marked as incomplete, and the exit code is 1.
    """
    from coatcheck.cli.output import write_event
    from coatcheck.cli.sources import size_of
    from coatcheck.cli.work import run

    tool_name = options["tool"] or _name(file)
    check_ids(ctx, options, tool_name)
    if direct and size_of(file) is None:
        raise click.UsageError("--upload takes a file: what has no size goes without it, in pieces", ctx)
    publishing = _upload if direct else _publish
    event = run(publishing(ctx, tool_name, file, options))
    write_event(event, as_json=options["as_json"])
    return 1 if event.disposition == "failed" else 0


async def _publish(ctx: click.Context, tool_name: str, file: BinaryIO, options: ResultOptions) -> "StubEvent":
    from coatcheck.cli.progress import Bar
    from coatcheck.cli.publishing import stream_of, terminable
    from coatcheck.cli.sources import chunks_of, size_of
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client, stream_of(client, options, tool_name) as out:
        with terminable():
            with Bar(tool_name, size_of(file)) as bar:
                async with aclosing(chunks_of(file)) as chunks:
                    async for data in chunks:
                        await out.write(data)
                        if out.is_open:
                            bar.update(out.written)
            return await out.submit(options["timeout"])


async def _upload(ctx: click.Context, tool_name: str, file: BinaryIO, options: ResultOptions) -> "StubEvent":
    from coatcheck.cli.progress import Bar
    from coatcheck.cli.sources import size_of
    from coatcheck.cli.work import connected

    async with connected(ctx.obj) as client:
        with Bar(tool_name, size_of(file)) as bar:
            return await client.upload(
                options["session"],
                file,
                tool_name=tool_name,
                timeout=options["timeout"],
                progress=bar.update,
                **fields_of(options),
            )


def _name(file: BinaryIO) -> str:
    name = getattr(file, "name", STDIN)
    return Path(name).name if isinstance(name, str) and name not in (STDIN, "<stdin>") else "stdin"
