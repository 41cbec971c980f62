"""What fails again and again: told at once when it begins, then in sums, for one outage fails many messages."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from functools import partial

import msgspec

EVERY_SECONDS = 10.0

Later = Callable[[float, Callable[[], None]], object]
"""Calls a function once after so many seconds."""


class Kind(msgspec.Struct, frozen=True):
    """What is told as one; there are few of them, since neither field is of a message's own making."""

    stream: str
    error: str


Words = Callable[[int, Kind], str]
"""What a sum is of: that so many more of a kind there were."""


def tries(count: int, kind: Kind) -> str:
    return f"{count} more {'try' if count == 1 else 'tries'} of {kind.stream} failed"


def letters(count: int, kind: Kind) -> str:
    return f"{count} more dead {'letter' if count == 1 else 'letters'} of {kind.stream}"


class Recurring:
    """Of each kind the first is told whole, then each `every_seconds` how many more there were, until none is."""

    def __init__(
        self,
        tell: Callable[[str], None],
        later: Later | None = None,
        every_seconds: float = EVERY_SECONDS,
        words: Words = tries,
    ) -> None:
        self._tell = tell
        self._words = words
        self._later = later or _on_the_loop
        self._every_seconds = every_seconds
        self._untold: dict[Kind, int] = {}
        self._last: dict[Kind, str] = {}

    def happened(self, kind: Kind, told: str) -> None:
        if kind not in self._untold:
            self._tell(told)
            self._wait(kind)
        else:
            self._untold[kind] += 1
            self._last[kind] = told

    def _wait(self, kind: Kind) -> None:
        self._untold[kind] = 0
        self._later(self._every_seconds, partial(self._sum_up, kind))

    def _sum_up(self, kind: Kind) -> None:
        count, last = self._untold.pop(kind), self._last.pop(kind, "")
        if count:
            within = f"in {self._every_seconds:g} s ({kind.error})"
            self._tell(f"{self._words(count, kind)} {within}; the last: {last}")
            self._wait(kind)


def _on_the_loop(seconds: float, call: Callable[[], None]) -> None:
    # In a context of its own: the sum is about many messages, and is not to hold or name the first of them.
    asyncio.get_running_loop().call_later(seconds, call, context=Context())
