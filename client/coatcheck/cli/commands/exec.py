"""`coatcheck exec`: a command's output as a tool's result."""

import os
from typing import TYPE_CHECKING, Unpack

import click

from coatcheck.cli.options import ResultOptions, check_ids, result_options

if TYPE_CHECKING:
    from coatcheck.cli.capture import Output
    from coatcheck.client import Client
    from coatcheck_schemas.errors import CoatcheckError
    from coatcheck_schemas.events import StubEvent

NOT_FOUND = 127
NOT_EXECUTABLE = 126


class CommandNotFound(click.ClickException):
    """There is no such command."""

    exit_code = NOT_FOUND


class NotExecutable(click.ClickException):
    """The command is there and cannot be started."""

    exit_code = NOT_EXECUTABLE


@click.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@result_options
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARGS]...")
@click.pass_context
def command(ctx: click.Context, argv: tuple[str, ...], **options: Unpack[ResultOptions]) -> int:
    """Run CMD, publish its output, and print what stands for it: a stub, or the output itself.

    The exit code is the command's; 127 where there is no such command, 1 where it went well and the publishing did
    not. A failing command's output ends in a line with its exit code.
    """
    from coatcheck.cli.work import run

    check_ids(ctx, options, _tool_name(argv, options))
    return run(_exec(ctx, argv, options))


async def _exec(ctx: click.Context, argv: tuple[str, ...], options: ResultOptions) -> int:
    """Connected first: a command whose output could not be kept is better not run."""
    from coatcheck.cli.capture import Output, run_command
    from coatcheck.cli.output import write_event
    from coatcheck.cli.work import connected
    from coatcheck_schemas.errors import CoatcheckError

    async with connected(ctx.obj) as client:
        output = Output(client.max_payload)
        try:
            code = await run_command(argv, output.add)
        except OSError as error:
            kind = CommandNotFound if isinstance(error, FileNotFoundError) else NotExecutable
            raise kind(f"cannot run {argv[0]}: {error.strerror or error}") from None
        try:
            event = await _submit(client, argv, output, code, options)
        except CoatcheckError as error:
            _show_tail(output, error, as_json=options["as_json"])
            return code or 1
    write_event(event, as_json=options["as_json"])
    return code or (1 if event.disposition == "failed" else 0)


async def _submit(
    client: "Client", argv: tuple[str, ...], output: "Output", code: int, options: ResultOptions
) -> "StubEvent":
    from coatcheck.cli.capture import with_exit_code
    from coatcheck_schemas.errors import Code, RequestError

    whole = output.whole
    if whole is None:
        raise RequestError(
            Code.TOO_LARGE,
            f"the output has {output.total} bytes, more than the {client.max_payload} that one NATS message carries "
            "here: let the command print less, or into a file",
            bytes=output.total,
            max_bytes=client.max_payload,
        )
    return await client.submit(
        options["session"],
        with_exit_code(whole, code),
        tool_name=_tool_name(argv, options),
        turn=options["turn"],
        turn_size=options["turn_size"],
        call=options["call"],
        mime_type=options["mime_type"],
        is_error=code != 0,
        timeout=options["timeout"],
    )


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
