"""Whoever takes the matches of a search."""

from collections.abc import Callable
from typing import Protocol

from coatcheck_schemas.requests import Match

from ..filling import Filling


class Taker(Protocol):
    """It is given matches in order, until it takes one no more; of each original one after the other."""

    @property
    def count(self) -> int:
        """How many it has."""
        ...

    @property
    def room(self) -> int:
        """The bytes that the next match may have as JSON."""
        ...

    @property
    def wants_more_of_this(self) -> bool:
        """Whether it wants more matches of the original that the last one is of."""
        ...

    @property
    def count_more(self) -> Callable[[int, int], None] | None:
        """Where of the lines below one that it took, in the same original, their number is enough: it is told how many
        more have a match, and the last of them, from 0.
        """
        ...

    def take(self, match: Match) -> bool:
        """Whether it has room for it. Raises RequestError `too_large` where it could have none for it alone."""
        ...

    def drop(self, ref: str) -> None:
        """Forget the matches of an original, which was deleted meanwhile."""
        ...


class Matches:
    """Those of one reply, in order."""

    wants_more_of_this = True
    count_more = None

    def __init__(self, *, limit: int, max_reply_bytes: int) -> None:
        self._filling: Filling[Match] = Filling(limit=limit, max_reply_bytes=max_reply_bytes)

    @property
    def items(self) -> list[Match]:
        return self._filling.items

    @property
    def count(self) -> int:
        return len(self._filling.items)

    @property
    def room(self) -> int:
        return self._filling.room

    def take(self, match: Match) -> bool:
        return self._filling.take(match)

    def drop(self, ref: str) -> None:
        self._filling.items[:] = [match for match in self._filling.items if match.ref != ref]
