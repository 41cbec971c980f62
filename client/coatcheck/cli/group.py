"""The click group: it knows its commands by name, imports one when it runs, and turns errors into one line."""

import io
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import click

from .contents import CLIENT_COMMANDS, EXAMPLES, EXIT_CODES, EXTRAS, OTHERS, SECTIONS, SERVER_COMMANDS
from .failures import USAGE, Failure, finish_quietly, to_failure
from .invocation import add_settings_options
from .standard_streams import check_standard_streams

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ENTRY_POINT_GROUP = "coatcheck.commands"
OWN_PACKAGES = frozenset({"coatcheck", "coatcheck_core", "coatcheck_schemas", "coatcheck_workers"})


class CommandGroup(click.Group):
    """The `coatcheck` group: the client's commands and those of the entry-point group `coatcheck.commands`.

    Every command gets `--config` and `--set`; `click.get_current_context().obj` is the `Invocation`.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(
            context_settings={"help_option_names": ["-h", "--help"]}, epilog=f"{EXIT_CODES}\n{EXAMPLES}", **attributes
        )
        add_settings_options(self)
        self.params.append(
            click.Option(["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_print_version)
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        servers = _server_entry_points()
        known = [
            name for section in SECTIONS.values() for name in section if name in CLIENT_COMMANDS or name in servers
        ]
        return known + sorted(servers.keys() - SERVER_COMMANDS.keys())

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
            raise click.UsageError(f"{error.message.rstrip('.')}; {self._advice(ctx, args)}", ctx) from None

    def _advice(self, ctx: click.Context, args: list[str]) -> str:
        """The command that was meant, where one is near; else all there are."""
        from difflib import get_close_matches

        names = self.list_commands(ctx)
        near = get_close_matches(args[0], names, n=1) if args else []
        return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """By purpose, from the tables of contents, so that help imports no command."""
        names = self.list_commands(ctx)
        listed = {
            title: {name: line for name, line in rows.items() if name in names} for title, rows in SECTIONS.items()
        }
        known = {name for rows in listed.values() for name in rows}
        listed[OTHERS] = {name: "" for name in names if name not in known}
        width = max(map(len, names))
        for title, rows in listed.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), line) for name, line in rows.items()])
        if not _server_entry_points().keys() & SERVER_COMMANDS.keys():
            formatter.write_paragraph()
            for extra in sorted({_extra_of(name) for name in SERVER_COMMANDS}):
                named = ", ".join(name for name in SERVER_COMMANDS if _extra_of(name) == extra)
                formatter.write_text(f"{named}: {_installing(extra)}")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """As click has it, but that the commands' names and lines come from the tables: a key press imports none."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        lines = CLIENT_COMMANDS | SERVER_COMMANDS
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [CompletionItem(name, help=lines.get(name)) for name in names]

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
            check_standard_streams()
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
    """The entry point's command; where a library is not installed, the error says what to install.

    Any other ImportError is a fault, ours or of what is installed, and passes as one.
    """
    try:
        command = entry_point.load()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OWN_PACKAGES:
            raise
        advice = _installing(_extra_of(entry_point.name))
        raise click.ClickException(
            f"`coatcheck {entry_point.name}` needs what is not installed ({error}): {advice}"
        ) from None
    if not isinstance(command, click.Command):
        raise click.ClickException(f"the entry point {entry_point.name} ({entry_point.value}) is no click command")
    return command


def _extra_of(command: str) -> str:
    return EXTRAS.get(command, "server")


def _installing(extra: str) -> str:
    return f"pip install 'coatcheck[{extra}]'"


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"coatcheck {version('coatcheck')}")
        ctx.exit()
