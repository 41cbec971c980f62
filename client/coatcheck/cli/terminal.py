"""What a terminal is given: nothing from a result controls it, and no style where it, or `NO_COLOR`, wants none."""

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from coatcheck_core.stub.escaping import escape

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 4096
_PLAIN_TERMINALS = ("dumb", "unknown")


def on_terminal() -> bool:
    """Whether standard output is shown to somebody, and not piped."""
    return sys.stdout.isatty()


def is_styled(stream: TextIO) -> bool:
    """Whether what is written there may have colours and bold: not in a pipe, a dumb terminal, or with `NO_COLOR`."""
    return stream.isatty() and not forbids_styles()


def forbids_styles() -> bool:
    """Whether the environment wants none, whatever the stream is."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in _PLAIN_TERMINALS


def moves_cursor(stream: TextIO) -> bool:
    """Whether a line there can be written over: no progress is shown where it cannot."""
    return stream.isatty() and os.environ.get("TERM", "") not in _PLAIN_TERMINALS


def styled(text: str, **styles: Any) -> str:
    """The text for standard output, with click's styles where it may have any."""
    import click

    return click.style(text, **styles) if is_styled(sys.stdout) else text


def console(*, stderr: bool = False, **options: Any) -> "Console":
    """Of rich, by the same rules; long lines are left to the terminal where `soft_wrap` says so."""
    from rich.console import Console

    plain: dict[str, Any] = {"color_system": None} if forbids_styles() else {}
    return Console(stderr=stderr, highlight=False, **{**plain, **options})


def print_table(table: "Table", *, fold: bool) -> None:
    """Rows are folded to a terminal's width only where asked: a reference must stay in one piece.

    Into a pipe no line has trailing blanks.
    """
    import click

    shown = console()
    if not (fold and shown.is_terminal):
        shown = console(width=WIDE)
    if shown.is_terminal:
        shown.print(table)
        return
    with shown.capture() as captured:
        shown.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def print_dim(text: str) -> None:
    """A line beside the content; the text must be safe already."""
    from rich.text import Text

    console(soft_wrap=True).print(Text(text, "dim"))


def safe_text(text: str) -> str:
    """Escaped but for its lines and tabs."""
    return "\n".join("\t".join(escape(cell) for cell in line.split("\t")) for line in text.split("\n"))
