"""`--quiet`: neither progress nor hints on standard error; what fails is told all the same."""

import click

from .invocation import Invocation


def is_quiet() -> bool:
    """Whether the command that runs was asked to be; outside of one, no."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and isinstance(ctx.obj, Invocation) and ctx.obj.is_quiet


def hint(text: str) -> None:
    """To standard error, beside the content, unless it is to be quiet."""
    if not is_quiet():
        click.echo(text, err=True)
