"""What a line is, wherever lines are counted."""


def count_lines(text: str) -> int:
    """A line ends at `\\n` alone; a last one without it counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")
