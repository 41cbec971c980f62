"""Whether a worker lives, and whether it works: what an orchestrator asks before it kills it, or counts on it."""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

AWAY_SECONDS = 90.0
"""A worker whose connection has been away for so long is of no use to anybody; it ends by itself after 120 s."""


class Stage(StrEnum):
    STARTING = "starting"
    WORKING = "working"
    STOPPING = "stopping"


class Linked(Protocol):
    """A connection to NATS."""

    @property
    def is_connected(self) -> bool: ...

    @property
    def away_seconds(self) -> float:
        """How long it has been away, once it was there; else 0."""
        ...


class Health:
    """One worker's. Reasons are our own words, and so never tell a secret, or what a server said."""

    def __init__(self, connection: Linked) -> None:
        self._connection = connection
        self.stage = Stage.STARTING
        self.deaf: Callable[[], list[str]] = list
        """The streams of which nothing can be taken."""

    @property
    def is_connected(self) -> bool:
        return self._connection.is_connected

    def why_not_alive(self) -> list[str]:
        """Nothing while it lives, also before NATS first answers: to start it anew would bring NATS no sooner.

        That its event loop turns is proven by there being an answer at all.
        """
        away = self._connection.away_seconds
        if self.stage is Stage.STARTING or away < AWAY_SECONDS:
            return []
        return [f"NATS has been away for {away:.0f} s"]

    def why_not_ready(self) -> list[str]:
        """Nothing while results and requests are taken."""
        if self.stage is not Stage.WORKING:
            return [f"the worker is {self.stage}"]
        if not self.is_connected:
            return [f"NATS has been away for {self._connection.away_seconds:.0f} s"]
        return [f"nothing can be taken from {stream}" for stream in self.deaf()]
