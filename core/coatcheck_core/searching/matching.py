"""What is searched for, as the search sees it: something that finds the next match in bytes of UTF-8."""

from typing import Protocol

LONGEST_BYTES = 64 * 1024
"""A match of an expression has at most so many bytes of UTF-8: so far it is looked for from where it begins.

It is less where an expression is a large program (see `expressions`).
"""
MOST_STRIDE_BYTES = 4 * 1024 * 1024
"""So far is looked in one go at most, where what is looked for is found quickly at its slowest too."""
NO_MATCH = -1
"""In place of a match's end: here is none after all, and the search goes on behind this place."""

Hit = tuple[int, int]
"""Where a match begins and ends. It may be empty, or none: `NO_MATCH`."""


class Matcher(Protocol):
    """`longest` is how many bytes must be seen from a place on to rule out that a match begins there.

    `most_stride` is how many bytes besides one call may be given: it cannot be interrupted, and is to take a second at
    most.
    """

    longest: int
    most_stride: int

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        """The first match that begins at `start` or later and ends at `stop` at most.

        What lies before and after is looked at for what holds at the match's ends, but is no part of it. Surely right
        is a match that begins `longest` before `stop`, or earlier; or any where `stop` is the text's end.
        """
        ...


class Literal:
    """A text taken as it is. Raises ValueError for an empty one."""

    most_stride = MOST_STRIDE_BYTES

    def __init__(self, query: str) -> None:
        if not query:
            raise ValueError("an empty query matches everywhere")
        self._query = query.encode()
        self.longest = len(self._query)
        self.has_newline = "\n" in query
        self.may_overlap = any(self._query.startswith(self._query[at:]) for at in range(1, self.longest))

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        # UTF-8 synchronises itself: the bytes of whole chars are found at the places of these chars only.
        at = data.find(self._query, start, stop)
        return None if at < 0 else (at, at + self.longest)

    def count(self, data: bytes, start: int, stop: int) -> Hit:
        """How many there are one after the other, and where the last one ends, or `start`; not where they may overlap,
        for then the last one is not the last place where the query lies.
        """
        at = data.rfind(self._query, start, stop)
        return data.count(self._query, start, stop), at + self.longest if at >= 0 else start
