"""An error as one line for a person, and the exit code that goes with it."""

import os
import re
import sys
from typing import NamedTuple

import click

USAGE = 2
INTERRUPTED = 130

_ADVICE = {
    "not_found": "`coatcheck list` shows what there is",
    "unavailable": "`coatcheck doctor` finds out why",
    "internal": "the workers' logs say why",
}
"""By the code of a request's error."""

_UNIT_FIELD = re.compile(r"\bunit=(chars|lines|bytes)\b")
_BASE64 = ", which gives base64"
"""Said of the reply; `read` writes the bytes themselves."""


class Failure(NamedTuple):
    """What is printed after `error: `, and the code that the process ends with."""

    message: str
    exit_code: int


def to_failure(error: BaseException) -> Failure:
    """The failure that an exception is; one that nobody expected is raised again, with its traceback."""
    from coatcheck_core.settings import ConfigError
    from coatcheck_schemas.errors import CoatcheckError, RequestError

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
        code = f"{error.code}: " if isinstance(error, RequestError) else ""
        message = in_options(str(error))
        return Failure(_one_line(f"{code}{message}{_advice(error, message)}"), 1)
    if isinstance(error, OSError):
        return Failure(_one_line(_in_words(error)), 1)
    raise error


def _advice(error: BaseException, message: str) -> str:
    """What to do, where the message does not name a command already: whoever answered knows of no command line."""
    from coatcheck_schemas.errors import RequestError

    if not isinstance(error, RequestError) or "`coatcheck " in message:
        return ""
    advice = _ADVICE.get(error.code)
    return f"; {advice}" if advice else ""


def _in_words(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{os.fsdecode(error.filename)}: {error.strerror}; see that it is there, and that this user may use it"


def finish_quietly() -> None:
    """Whoever read our output is gone: let the interpreter flush what is left into nothing."""
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, sys.stdout.fileno())
    finally:
        os.close(sink)


def in_options(message: str) -> str:
    """A message that speaks of a request's fields, in the words of the command line."""
    from coatcheck.operations import renamed

    message = renamed(message, lambda operation, path: f"`coatcheck fs {operation}{path}`")
    return _UNIT_FIELD.sub(r"--unit \1", message).replace(_BASE64, "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
