"""A worker's telemetry without a worker."""

from coatcheck_workers.telemetry.counts import Counts
from coatcheck_workers.telemetry.exposition import Exposition, WorkerCollector
from coatcheck_workers.telemetry.health import Health
from coatcheck_workers.telemetry.standing import Standing
from coatcheck_workers.telemetry.streams import StreamFigures


class Link:
    """A connection that is as it is set."""

    def __init__(self) -> None:
        self.is_connected = True
        self.away_seconds = 0.0


def standing(link: Link | None = None) -> Standing:
    """A worker of which nothing has started."""
    return Standing(Health(link or Link()), StreamFigures())


def exposition(counts: Counts | None = None) -> bytes:
    """The page of metrics for these counts."""
    page, _ = Exposition(WorkerCollector(counts or Counts(), standing(), "1.2.3")).page("")
    return page
