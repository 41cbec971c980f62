"""What befalls each effect: nothing, or one of the ways in which the world fails. The world asks, a plan answers."""

import random
from collections.abc import Sequence
from enum import Enum
from typing import TypeVar

T = TypeVar("T")


class Fate(Enum):
    """Of one effect: a publish, an append, a read, a purge, an object put or got, an ack, a nak, a term."""

    GO = "goes through"
    CRASH_BEFORE = "the worker dies, the effect is not done"
    CRASH_AFTER = "the worker dies, the effect is done"
    REFUSED = "not done, and the worker is told"
    LOST = "done, and the worker is told that it failed"
    LATE = "the worker is told that it failed, and it is done later"


FAULTS = (Fate.CRASH_BEFORE, Fate.CRASH_AFTER, Fate.REFUSED, Fate.LOST)


class Plan:
    """A world in which nothing fails: each effect takes a millisecond, workers take messages in turn.

    `is_cluster`: reads may lag, and a publish is refused while another to its subject is on its way.
    """

    is_cluster = False

    def fate(self, number: int, label: str, seconds: float) -> Fate:
        """Of the effect of this number, counted from 0, at this time."""
        return Fate.GO

    def delay(self) -> float:
        """Seconds that an effect takes to get there, or its answer to come back."""
        return 0.0005

    def lag(self) -> float:
        """By how many seconds a read lags behind."""
        return 0.0

    def skew(self) -> float:
        """By how many seconds a worker's clock is wrong."""
        return 0.0

    def pick(self, choices: Sequence[T], number: int) -> T:
        """Who takes a message, which is the delivery of this number."""
        return choices[number % len(choices)]

    def loses_progress(self) -> bool:
        """Whether a message is delivered again although a worker is still at it."""
        return False


class FaultAt(Plan):
    """One fault, at one effect; `met` is what that was."""

    def __init__(self, number: int, fate: Fate) -> None:
        self.number = number
        self.given = fate
        self.met: str | None = None

    def fate(self, number: int, label: str, seconds: float) -> Fate:
        if number != self.number:
            return Fate.GO
        self.met = label
        return self.given


class Storm(Plan):
    """Everything fails now and then, from a seed, until `until` seconds have passed."""

    def __init__(self, seed: int, *, until: float, is_cluster: bool = False) -> None:
        self._random = random.Random(seed)
        self._until = until
        self.is_cluster = is_cluster
        self._share = self._random.choice([0.0, 0.01, 0.04, 0.1])
        self._stalls = self._random.choice([0.0, 0.3])
        self._slow = self._random.choice([0.01, 0.1])

    def fate(self, number: int, label: str, seconds: float) -> Fate:
        if seconds > self._until or self._random.random() >= self._share:
            return Fate.GO
        return self._random.choice((*FAULTS, Fate.LATE))

    def delay(self) -> float:
        longest = 2.0 if self._random.random() < self._slow else 0.005
        return self._random.random() * longest

    def lag(self) -> float:
        return self._random.random() * 0.1 if self.is_cluster and self._random.random() < 0.3 else 0.0

    def skew(self) -> float:
        return self._random.choice([0.0, 0.0, -3.0, 3.0]) if self.is_cluster else 0.0

    def pick(self, choices: Sequence[T], number: int) -> T:
        return self._random.choice(choices)

    def loses_progress(self) -> bool:
        return self._random.random() < self._stalls
