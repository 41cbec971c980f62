"""What fails again and again: told at once when it begins, then in sums, for one outage fails many messages."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from functools import partial
from typing import Protocol

import msgspec

from coatcheck_workers.process.about import about

EVERY_SECONDS = 10.0

Later = Callable[[float, Callable[[], None]], object]
"""Calls a function once after so many seconds."""


class Tell(Protocol):
    """Writes a line, as a logger's `warning`; `extra` says what it is about, where that is not what is in hand."""

    def __call__(self, line: str, /, *, extra: Mapping[str, object] | None = None) -> None: ...


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
        tell: Tell,
        later: Later | None = None,
        every_seconds: float = EVERY_SECONDS,
        words: Words = tries,
    ) -> None:
        self._tell = tell
        self._words = words
        self._later = later or _on_the_loop
        self._every_seconds = every_seconds
        self._untold: dict[Kind, int] = {}
        self._last: dict[Kind, tuple[str, str | None]] = {}

    def happened(self, kind: Kind, told: str, subject: str | None = None) -> None:
        """`subject` names the message that it happened to: a sum is found where its last, often its only one, is."""
        if kind not in self._untold:
            self._tell(told)
            self._wait(kind)
        else:
            self._untold[kind] += 1
            self._last[kind] = told, subject

    def _wait(self, kind: Kind) -> None:
        self._untold[kind] = 0
        self._later(self._every_seconds, partial(self._sum_up, kind))

    def _sum_up(self, kind: Kind) -> None:
        count, (last, subject) = self._untold.pop(kind), self._last.pop(kind, ("", None))
        if count:
            within = f"in {self._every_seconds:g} s ({kind.error})"
            extra = None if subject is None else about(subject)
            self._tell(f"{self._words(count, kind)} {within}; the last: {last}", extra=extra)
            self._wait(kind)


def _on_the_loop(seconds: float, call: Callable[[], None]) -> None:
    # In a context of its own: the sum is about other messages, and is not to hold or name the first.
    asyncio.get_running_loop().call_later(seconds, call, context=Context())
