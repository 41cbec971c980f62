"""Text from a result as a terminal may show it: nothing in it moves the cursor, colours, or turns the direction."""

import sys
from typing import TYPE_CHECKING

from coatcheck_core.stub.escaping import escape

if TYPE_CHECKING:
    from rich.table import Table

WIDE = 4096


def on_terminal() -> bool:
    """Whether standard output is shown to somebody, and not piped."""
    return sys.stdout.isatty()


def print_table(table: "Table", *, fold: bool) -> None:
    """Rows are folded to a terminal's width only where asked: a reference must stay in one piece.

    Into a pipe no line has trailing blanks.
    """
    import click
    from rich.console import Console

    console = Console(highlight=False)
    if not (fold and console.is_terminal):
        console = Console(highlight=False, width=WIDE)
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def print_dim(text: str) -> None:
    """A line beside the content; the text must be safe already."""
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False, soft_wrap=True).print(Text(text, "dim"))


def safe_text(text: str) -> str:
    """Escaped but for its lines and tabs."""
    return "\n".join("\t".join(escape(cell) for cell in line.split("\t")) for line in text.split("\n"))
