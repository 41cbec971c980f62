"""So many a second, and so many at once: what is beyond goes without."""


class Allowance:
    """A full one lets `burst` through at once; it fills again by `per_second`."""

    def __init__(self, per_second: float, burst: int, now: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = float(burst)
        self._as_of = now

    def take(self, now: float) -> bool:
        """Whether one more may pass."""
        self._left = min(self._burst, self._left + (now - self._as_of) * self._per_second)
        self._as_of = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
