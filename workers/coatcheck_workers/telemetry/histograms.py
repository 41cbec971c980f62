"""Histograms as plain integers: to count one costs a bisection, and nothing is made of them before somebody asks."""

from bisect import bisect_left

RESULT_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 600.0)
"""An inline result takes a few milliseconds; one of a turn waits for the others, up to the deadline."""
WORK_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""What a worker does itself: within `ack_wait`, or a request's time."""
LAG_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Histogram:
    """How many values were at most each bound; `counts` has one more than the bounds, for those above all."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """A clock that was set back makes a time negative: that counts as none."""
        self.counts[bisect_left(self.bounds, value)] += 1
        if value > 0:
            self.total += value

    @property
    def count(self) -> int:
        return sum(self.counts)

    def cumulative(self) -> list[tuple[str, float]]:
        """As Prometheus has them: each bound as text, and how many were at most that."""
        so_far, buckets = 0, list[tuple[str, float]]()
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            so_far += count
            buckets.append((bound, so_far))
        return buckets


class Histograms(dict[str, Histogram]):
    """One for each value of a label, made when it first comes."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        super().__init__()
        self.bounds = bounds

    def __missing__(self, label: str) -> Histogram:
        made = self[label] = Histogram(self.bounds)
        return made
