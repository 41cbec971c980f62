"""What is so now, asked of a worker's parts when somebody looks; each joins once it is there."""

from collections.abc import Callable
from typing import Protocol

from coatcheck_workers.intake.pull import Pull
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.retrieval.originals.damage import Damage
from coatcheck_workers.storage.gate import Gate
from coatcheck_workers.uploads.seats import Seats

from .health import Health
from .streams import StreamFigures


class HasChildren(Protocol):
    """What has processes of its own."""

    @property
    def children(self) -> int: ...


class Standing:
    """A worker's parts, as far as they have been started."""

    def __init__(self, health: Health, streams: StreamFigures) -> None:
        self.health = health
        self.streams = streams
        self.pulls: dict[str, Pull] = {}
        """By the short name of their streams."""
        self.requests: list[Requests] = []
        self.children: list[HasChildren] = []
        self.gate: Gate | None = None
        self.damage: Damage | None = None
        self.seats: Seats | None = None
        self.reconnects: Callable[[], int] = int
