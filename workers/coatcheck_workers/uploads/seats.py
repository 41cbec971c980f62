"""How many uploads one worker follows at once, and who gives way. Counting alone, no I/O."""

from typing import Protocol

GIVES_WAY_SECONDS = 15.0
"""A seat is given up once nothing has come for it so long, where another upload wants one."""
RETURN_SECONDS = 15.0
"""When an upload that gave way to another is taken up again."""


class Seated(Protocol):
    """An upload that is followed."""

    gives_way: float | None
    """Where it is to be given up: after how many seconds it is to be taken up again."""

    def silent_seconds(self) -> float:
        """How long nothing has come for it."""
        ...


class Seats:
    """At most `most` uploads; of more, those that are silent take turns."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._is_closed = False
        self._seated: list[Seated] = []

    @property
    def taken(self) -> int:
        """How many uploads are followed."""
        return len(self._seated)

    def take(self, one: Seated) -> bool:
        """Whether there was a seat; where there was none, the longest silent one is asked to give up its own."""
        if len(self._seated) < self._most and not self._is_closed:
            self._seated.append(one)
            return True
        staying = [other for other in self._seated if other.gives_way is None]
        longest = max(staying, key=lambda other: other.silent_seconds(), default=None)
        if longest is not None and longest.silent_seconds() >= GIVES_WAY_SECONDS:
            longest.gives_way = RETURN_SECONDS
        return False

    def close(self) -> None:
        """Those for which nothing comes just now are for another worker."""
        self._is_closed = True
        for one in self._seated:
            one.gives_way = 0.0

    def leave(self, one: Seated) -> None:
        self._seated.remove(one)
