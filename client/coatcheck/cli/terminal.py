"""Text from a result as a terminal may show it: nothing in it moves the cursor, colours, or turns the direction."""

from rich.console import Console

from coatcheck_core.stub.escaping import escape

WIDE = 4096


def table_console(*, fold: bool) -> Console:
    """Where tables go. Rows are folded to a terminal's width only where asked: a reference must stay in one piece."""
    console = Console(highlight=False)
    return console if fold and console.is_terminal else Console(highlight=False, width=WIDE)


def safe_text(text: str) -> str:
    """Escaped but for its lines and tabs."""
    return "\n".join("\t".join(escape(cell) for cell in line.split("\t")) for line in text.split("\n"))
