"""Which stretch of time to read next, going backwards: object stores list forwards only, but from any name on.

Times are milliseconds since 1970. A stretch holds its first and not its last.
"""

NO_END = 10**13
"""Later than whatever an entry's 13 digits can say."""
FIRST_WIDTH = 60_000
MOST_AIM = 640
"""Entries that a stretch is meant to hold at most: less than a listing's page, so that most stretches take one."""
_GROWTH = 8
_NARROWING = 7 / 8
_NEARING = 0.15
"""An empty stretch takes a twentieth of what one that is too full takes: so the steps towards a crowd are careful."""
_SOON = 60_000
"""Entries of a clock that runs before ours lie no further ahead, as a rule."""


class Windows:
    """From `end` back to `floor`, each stretch next to the last, whatever `width` was guessed for the first.

    Where nothing is known steps grow eightfold: a stretch without entries costs little. One that holds more than was
    to be read is narrowed from below, with a liking for what holds none. From then on widths follow how densely the
    entries lay.
    """

    def __init__(self, *, floor: int, end: int, now: int, aim: int, width: int = FIRST_WIDTH) -> None:
        self.floor = floor
        self._end = end
        self._now = now
        self._aim = min(aim, MOST_AIM)
        self._width = max(1, width)
        self._crowd: int | None = None
        self._crowd_span = 1
        self._least = floor
        self.stretches_since_found = 0
        self.empty_in_a_row = 0

    @property
    def end(self) -> int:
        """All from here on has been read."""
        return self._end

    def next(self) -> tuple[int, int] | None:
        """The next stretch; None where all is read."""
        if self._end <= self.floor:
            return None
        begin = max(self.floor, min(self._end, self._now) - self._width)
        if self._crowd is not None:
            begin = max(begin, self._above(self._crowd), self._least)
        return min(begin, self._end - 1), self._end

    def overflowed(self, begin: int, oldest: int, seen: int) -> None:
        """The last stretch, from `begin`, held more than was read: from the time `oldest` to about `seen`."""
        self._least = begin + 1
        self._crowd = max(oldest, min(seen, self._end - 1))
        self._crowd_span = max(1, self._crowd - oldest)
        self.empty_in_a_row = 0

    def read(self, begin: int, count: int, newest: int) -> None:
        """The last stretch was read whole: `count` entries, the newest at `newest`."""
        span = max(1, newest + 1 - begin)
        self._end = begin
        self.stretches_since_found += 1 if count or self.stretches_since_found else 0
        if not count:
            self.empty_in_a_row += 1
            self._width *= _GROWTH
            return
        self.empty_in_a_row = 0
        self._crowd = None
        self._aim = min(2 * self._aim, MOST_AIM)
        self._width = max(1, min(span * self._aim // count, span * _GROWTH))

    def _above(self, crowd: int) -> int:
        """A time over which fewer entries lie than over `crowd`: near to it where their end may be by far."""
        soon = self._now + _SOON
        if crowd < soon < self._end:
            return soon
        left = self._end - crowd
        if left <= self._crowd_span:
            return max(crowd, self._end - self._crowd_span // 2)
        return crowd + int(left * min(_NARROWING, (self._crowd_span / left) ** _NEARING))
