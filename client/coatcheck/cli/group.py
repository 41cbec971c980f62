"""The click group: it knows its commands by name, imports one when it runs, and turns errors into one line."""

import io
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from .failures import USAGE, Failure, finish_quietly, to_failure
from .invocation import add_settings_options

ENTRY_POINT_GROUP = "coatcheck.commands"

CLIENT_COMMANDS = {
    "publish": "Publish a file as a tool's result and print what stands for it.",
    "exec": "Run a command and publish its output as a tool's result.",
    "turn": "End a turn, and show what was decided of its results.",
    "watch": "Print a session's stubs as they come.",
    "read": "Read an original, whole or in part.",
    "search": "Find passages in a session's originals.",
    "list": "List a session's originals.",
    "delete": "Delete a result, or all of a session.",
    "link": "Make a URL that gives an original's bytes.",
    "fs": "List, read, write and search a session's files.",
    "clear": "Put placeholders in place of a conversation's old results.",
    "config": "Show every setting, its value and where it comes from.",
    "tools": "Print the definitions of an agent's tools; needs no server.",
    "synopsis": "Show the stub that a file would get; needs no server.",
}
"""What the client itself brings, with the line that the group's help shows: listing them imports none."""

SERVER_COMMANDS = {
    "up": "Run everything on this machine: NATS, object storage, workers.",
    "worker": "Run a worker against configured servers.",
    "provision": "Declare streams, consumers and the bucket, or show drift.",
    "dlq": "List, show, retry or drop dead letters.",
}
"""Help lines of the entry points that this distribution has; any other is listed by its name."""


class CommandGroup(click.Group):
    """The `coatcheck` group: the client's commands and those of the entry-point group `coatcheck.commands`.

    Every command gets `--config` and `--set`; `click.get_current_context().obj` is the `Invocation`.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(context_settings={"help_option_names": ["-h", "--help"]}, **attributes)
        add_settings_options(self)
        self.params.append(
            click.Option(["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_print_version)
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*CLIENT_COMMANDS, *sorted(_server_entry_points())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in CLIENT_COMMANDS:
            own: click.Command = import_module(f".commands.{cmd_name}", __package__).command
            return add_settings_options(own)
        entry_point = _server_entry_points().get(cmd_name)
        return None if entry_point is None else add_settings_options(_load(entry_point))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{error.message.rstrip('.')}; known: {known}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The two lists from the tables above, so that help imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(CLIENT_COMMANDS.items()))
        servers = [(name, SERVER_COMMANDS.get(name, "")) for name in sorted(_server_entry_points())]
        if servers:
            with formatter.section("Server commands (pip install 'coatcheck[server]')"):
                formatter.write_dl(servers)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and exit with the command's code: 0, its own, 1 on an error, 2 on wrong usage."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # as standard error has it: no text is a traceback
        try:
            outcome = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            finish_quietly()
            sys.exit(1)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(USAGE)
        except (Exception, KeyboardInterrupt) as error:
            _report(to_failure(error))
        sys.exit(outcome if type(outcome) is int else 0)


def _report(failure: Failure) -> None:
    click.echo(f"error: {failure.message}", err=True)
    sys.exit(failure.exit_code)


def _server_entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP) if point.name not in CLIENT_COMMANDS}


def _load(entry_point: EntryPoint) -> click.Command:
    """The entry point's command; where its dependencies are not installed, the error says what to install."""
    try:
        command = entry_point.load()
    except ImportError as error:
        raise click.ClickException(
            f"`coatcheck {entry_point.name}` needs what is not installed ({error}): pip install 'coatcheck[server]'"
        ) from None
    if not isinstance(command, click.Command):
        raise click.ClickException(f"the entry point {entry_point.name} ({entry_point.value}) is no click command")
    return command


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"coatcheck {version('coatcheck')}")
        ctx.exit()
