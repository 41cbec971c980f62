"""Text from a result as a terminal may show it: nothing in it moves the cursor, colours, or turns the direction."""

from coatcheck_core.stub.escaping import escape


def safe_text(text: str) -> str:
    """Escaped but for its lines and tabs."""
    return "\n".join("\t".join(escape(cell) for cell in line.split("\t")) for line in text.split("\n"))
