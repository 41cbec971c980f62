"""An error as one line for a person, and the exit code that goes with it."""

import os
import sys
from typing import NamedTuple

import click

USAGE = 2
INTERRUPTED = 130


class Failure(NamedTuple):
    """What is printed after `error: `, and the code that the process ends with."""

    message: str
    exit_code: int


def to_failure(error: BaseException) -> Failure:
    """The failure that an exception is; one that nobody expected is raised again, with its traceback."""
    from coatcheck_core.settings import ConfigError
    from coatcheck_schemas.errors import CoatcheckError

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Failure("interrupted", INTERRUPTED)
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "coatcheck"
        return Failure(f"{_one_line(error.format_message())} (see {command} --help)", USAGE)
    if isinstance(error, click.ClickException):
        return Failure(_one_line(error.format_message()), error.exit_code)
    if isinstance(error, ConfigError):
        return Failure(_one_line(str(error)), USAGE)
    if isinstance(error, CoatcheckError):
        code = getattr(error, "code", None)
        return Failure(_one_line(f"{code}: {error}" if code else str(error)), 1)
    if isinstance(error, OSError):
        return Failure(_one_line(str(error)), 1)
    raise error


def finish_quietly() -> None:
    """Whoever read our output is gone: let the interpreter flush what is left into nothing."""
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, sys.stdout.fileno())
    finally:
        os.close(sink)


def _one_line(text: str) -> str:
    return " ".join(text.split())
