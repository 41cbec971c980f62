"""Searching a text that is in memory."""

from collections.abc import Iterator

from .finder import Finder
from .found import Found
from .inverse import InverseFinder
from .matching import Matcher


def find(text: str, matcher: Matcher, *, context_chars: int, start: int = 0, invert: bool = False) -> Iterator[Found]:
    """The matches that begin at the char `start` or later, or the lines without, as a finder gives them.

    Going on at the end of a match, or behind that of a line, finds the same ones as never having stopped.
    """
    finder = (InverseFinder if invert else Finder)(matcher, context_chars=context_chars, start=start)
    finder.feed(text.encode(), is_last=True)
    return finder.found()


def count(text: str, matcher: Matcher, *, invert: bool = False) -> int:
    """How many `find` gives from the beginning."""
    finder = (InverseFinder if invert else Finder)(matcher, context_chars=0)
    finder.feed(text.encode(), is_last=True)
    return finder.count()
