"""What a command knows of its call: the configuration layers, and the settings laid over each other from them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from coatcheck_core.settings import Origin, Settings

_Command = TypeVar("_Command", bound=click.Command)

SERVES_ITSELF = "up"
"""The one command that does not look for a running `up`: it is the one that writes the ready file."""


class Invocation:
    """`click.get_current_context().obj` in every command: the `--config`, `--set` and `--quiet` of this call."""

    def __init__(self) -> None:
        self.config_file: Path | None = None
        self.assignments: list[str] = []
        self.uses_ready_file = True
        self.is_quiet = False

    def settings(self, *, ready_file: bool | None = None) -> "tuple[Settings, Origin]":
        """The settings, and the origin of each value that is not a default.

        `ready_file`: whether the file that a running `coatcheck up` keeps gives the servers where `nats.url` is not
        set; by default it does for every command but `up`. Raises ConfigError, which the group prints as one line.
        """
        from coatcheck.discovery import lay_ready_file
        from coatcheck_core.settings import load

        settings, origins = load(_read(self.config_file), os.environ, self.assignments)
        if self.uses_ready_file if ready_file is None else ready_file:
            return lay_ready_file(settings, origins)
        return settings, origins


def add_settings_options(command: _Command) -> _Command:
    """The command with `--config`, `--set` and `--quiet`, which fill in the `Invocation`.

    They are not passed to its callback. A group's commands have them too.
    """
    if isinstance(command, click.Group):
        for one in command.commands.values():
            add_settings_options(one)
    if not any(param.name == "config_file" for param in command.params):
        command.params += [
            click.Option(
                ["--config", "config_file"],
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                expose_value=False,
                callback=_stored(_keep_file),
                is_eager=True,
                help="YAML file with settings.",
            ),
            click.Option(
                ["--set", "assignments"],
                multiple=True,
                metavar="KEY=VALUE",
                expose_value=False,
                callback=_stored(_keep_assignments),
                is_eager=True,
                help="One setting, as result.threshold=40; can be repeated.",
            ),
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                expose_value=False,
                callback=_stored(_keep_quiet),
                help="No progress and no hints on standard error; errors are told.",
            ),
        ]
    return command


def _keep_file(invocation: Invocation, value: Path | None) -> None:
    if value is not None:
        invocation.config_file = value


def _keep_assignments(invocation: Invocation, value: tuple[str, ...]) -> None:
    invocation.assignments += value


def _keep_quiet(invocation: Invocation, value: bool) -> None:
    invocation.is_quiet = invocation.is_quiet or value


def _stored(keep: Callable[[Invocation, Any], None]) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        invocation = ctx.ensure_object(Invocation)
        if ctx.parent is not None and ctx.command.name == SERVES_ITSELF:
            invocation.uses_ready_file = False
        keep(invocation, value)

    return callback


def _read(path: Path | None) -> tuple[str, str] | None:
    from coatcheck_core.credentials.secret_files import read_whole
    from coatcheck_core.settings import ConfigError
    from coatcheck_schemas.errors import InvalidInput

    if path is None:
        return None
    try:
        return str(path), read_whole(str(path), f"the configuration file {path}")
    except InvalidInput as error:
        raise ConfigError(f"{error}; correct --config") from None
