"""What happens too often for a line in the log each time."""

from collections import Counter

TELL_SECONDS = 10.0


class Tally:
    """Counts by name; each name is told at once the first time, and then no oftener than each `TELL_SECONDS`."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._told: dict[str, tuple[float, int]] = {}

    def add(self, name: str, now: float) -> int | None:
        """Count one; how many there were since the last time told, where it is time to tell, else None.

        `name` is one of few: no message's own making.
        """
        self.counts[name] += 1
        told_at, told = self._told.get(name, (-TELL_SECONDS, 0))
        if name in self._told and now - told_at < TELL_SECONDS:
            return None
        self._told[name] = (now, self.counts[name])
        return self.counts[name] - told
