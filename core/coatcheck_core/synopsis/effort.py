"""How long a synopsis may take: whoever waits for it says so, between two blocks of the text."""

from collections.abc import Callable

Step = Callable[[], None]
"""Called before each block of work, some milliseconds at most; raises OutOfTime where no more is to be done."""


class OutOfTime(Exception):
    """The synopsis is not worth more time: a plain one takes its place."""


def unhurried() -> None:
    """The step of who waits for as long as it takes."""
