"""What a line is, wherever lines are counted."""

import msgspec


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a text: how many chars, newlines and bytes come before it."""

    chars: int = 0
    newlines: int = 0
    bytes: int = 0


def count_lines(text: str) -> int:
    """A line ends at `\\n` alone; a last one without it counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")
