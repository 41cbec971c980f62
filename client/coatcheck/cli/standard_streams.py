"""Standard input, output and error where whoever started the command has closed them (`<&-`, `>&-`, `2>&-`)."""

import os
import sys

import click


def check_standard_streams() -> None:
    """No file or connection that is opened later gets their numbers. A closed input is an empty one.

    Raises ClickException where standard output is closed, before anything is done whose result nobody would see.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            _occupy(number)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        raise click.ClickException("standard output is closed: send it to a file, a pipe or /dev/null")


def _occupy(number: int) -> None:
    sink = os.open(os.devnull, os.O_RDWR)
    if sink != number:
        os.dup2(sink, number)
        os.close(sink)
