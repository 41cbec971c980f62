"""`coatcheck publish`: a file as a tool's result."""

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Unpack

import click

from coatcheck.cli.options import InputFile, ResultOptions, check_ids, examples, fields_of, result_options

if TYPE_CHECKING:
    from coatcheck.client import Published
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
    one is kept, marked as incomplete, and the exit code is 1. A tool's credentials hear no stub: then it says that it
    goes to the agent.
    """
    from coatcheck.cli.publishing import write_outcome
    from coatcheck.cli.sources import size_of
    from coatcheck.cli.work import run

    tool_name = options["tool"] or _name(file)
    check_ids(ctx, options, tool_name)
    if direct and size_of(file) is None:
        raise click.UsageError("--upload takes a file: what has no size goes without it, in pieces", ctx)
    publishing = _upload if direct else _publish
    return write_outcome(run(publishing(ctx, tool_name, file, options)), as_json=options["as_json"])


async def _publish(
    ctx: click.Context, tool_name: str, file: BinaryIO, options: ResultOptions
) -> "StubEvent | Published":
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
            return await out.submit_or_publish(options["timeout"])


async def _upload(
    ctx: click.Context, tool_name: str, file: BinaryIO, options: ResultOptions
) -> "StubEvent | Published":
    """A tool is told that it hears no stub before anything is put."""
    from coatcheck.cli.progress import Bar
    from coatcheck.cli.sources import size_of
    from coatcheck.cli.work import connected
    from coatcheck.client.denials import is_unheard
    from coatcheck_schemas.errors import RequestError

    session, timeout, fields = options["session"], options["timeout"], fields_of(options)
    async with connected(ctx.obj) as client:
        with Bar(tool_name, size_of(file)) as bar:
            try:
                return await client.upload(
                    session, file, tool_name=tool_name, timeout=timeout, progress=bar.update, **fields
                )
            except RequestError as error:
                if not is_unheard(error):
                    raise
            return await client.publish_file(session, file, tool_name=tool_name, progress=bar.update, **fields)


def _name(file: BinaryIO) -> str:
    name = getattr(file, "name", STDIN)
    return Path(name).name if isinstance(name, str) and name not in (STDIN, "<stdin>") else "stdin"
