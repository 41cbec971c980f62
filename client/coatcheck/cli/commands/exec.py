"""`coatcheck exec`: a command's output as a tool's result."""

import os
from typing import TYPE_CHECKING, Unpack

import click

from coatcheck.cli.options import ResultOptions, check_ids, examples, result_options

if TYPE_CHECKING:
    from coatcheck.cli.capture import Output
    from coatcheck.client import ResultStream
    from coatcheck_schemas.errors import CoatcheckError

NOT_FOUND = 127
NOT_EXECUTABLE = 126


class CommandNotFound(click.ClickException):
    """There is no such command."""

    exit_code = NOT_FOUND


class NotExecutable(click.ClickException):
    """The command is there and cannot be started."""

    exit_code = NOT_EXECUTABLE


@click.command(
    "exec",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples(
        "coatcheck exec -- python3 -m pydoc argparse",
        "coatcheck exec --session s1 --turn t2 --turn-size 1 --call call_1 -- ls -l /",
        "coatcheck exec --quiet --no-retrieval -- sh -c 'dmesg | tail -n 5000'",
    ),
)
@result_options
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARGS]...")
@click.pass_context
def command(ctx: click.Context, argv: tuple[str, ...], **options: Unpack[ResultOptions]) -> int:
    """Run CMD, publish its output, and print what stands for it: a stub, or the output itself.

    The output may be of any size: what is more than one message carries is published while the command runs. The exit
    code is the command's; 127 where there is no such command, 1 where it went well and the publishing did not. A
    failing command's output ends in a line with its exit code. Ctrl-C is the command's to answer, a second one kills
    it; what a large output has until then is kept, marked as incomplete.
    """
    from coatcheck.cli.work import run

    check_ids(ctx, options, _tool_name(argv, options))
    return run(_exec(ctx, argv, options))


async def _exec(ctx: click.Context, argv: tuple[str, ...], options: ResultOptions) -> int:
    """Connected first: a command whose output could not be kept is better not run."""
    from coatcheck.cli.capture import Output, exit_code
    from coatcheck.cli.publishing import stream_of, terminable, write_outcome
    from coatcheck.cli.work import connected
    from coatcheck_schemas.errors import CoatcheckError

    output = Output()
    code = 0
    async with connected(ctx.obj) as client:
        try:
            async with stream_of(client, options, _tool_name(argv, options)) as out:
                returned, failure = await _run(argv, output, out, _tool_name(argv, options))
                code = exit_code(returned)
                if failure is not None:
                    raise failure
                with terminable():
                    await _conclude(out, output, returned)
                    done = await out.submit_or_publish(options["timeout"])
        except CoatcheckError as error:
            _show_tail(output, error, as_json=options["as_json"])
            return code or 1
    failed = write_outcome(done, as_json=options["as_json"])
    return code or failed


async def _run(
    argv: tuple[str, ...], output: "Output", out: "ResultStream", name: str
) -> "tuple[int, CoatcheckError | None]":
    """The return code, and why the output could not be published, which stops no command half-way."""
    from coatcheck.cli.capture import run_command
    from coatcheck.cli.progress import Bar
    from coatcheck_schemas.errors import CoatcheckError

    failure: CoatcheckError | None = None

    async def receive(data: bytes) -> None:
        nonlocal failure
        output.add(data)
        if failure is not None:
            return
        try:
            await out.write(data)
        except CoatcheckError as error:
            failure = error
        if out.is_open:
            bar.update(out.written)

    try:
        with Bar(name, None) as bar:
            returned = await run_command(argv, receive)
    except OSError as error:
        kind = CommandNotFound if isinstance(error, FileNotFoundError) else NotExecutable
        raise kind(f"cannot run {argv[0]}: {error.strerror or error}") from None
    except click.Abort:
        out.failure = "it was interrupted"
        raise
    out.is_error = returned != 0
    return returned, failure


async def _conclude(out: "ResultStream", output: "Output", returned: int) -> None:
    """Say how the command ended. A large output that a signal cut off is not whole."""
    from coatcheck.cli.capture import exit_code, signal_name

    await out.write(output.exit_line(exit_code(returned)))
    if returned < 0 and out.is_open:
        out.failure = f"the command was ended by {signal_name(-returned)}"


def _tool_name(argv: tuple[str, ...], options: ResultOptions) -> str:
    return options["tool"] or os.path.basename(argv[0])


def _show_tail(output: "Output", error: "CoatcheckError", *, as_json: bool) -> None:
    """Nothing else has the output now: its end goes to standard output, the error beside it."""
    from coatcheck.cli.failures import to_failure
    from coatcheck.cli.output import note, write_content, write_json
    from coatcheck_schemas.errors import Code, RequestError

    tail = output.tail
    message = to_failure(error).message
    if as_json:
        code = error.code if isinstance(error, RequestError) else Code.INVALID_ARGUMENT
        problem = {"code": code, "message": str(error)}
        write_json({"error": problem, "tail": tail.decode("utf-8", "replace"), "output_bytes": output.total})
    else:
        write_content(tail)
    shown = "all of it is shown" if len(tail) == output.total else f"its last {len(tail)} bytes are shown"
    note(f"error: {message} ({shown})")
