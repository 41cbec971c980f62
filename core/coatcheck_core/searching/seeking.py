"""Going from match to match through a text that passes, so that none falls between two of its pieces.

Which matches there are depends on the text and on where the search begins, never on the pieces: a place is decided
once so much after it is there as a match may take.
"""

from collections.abc import Callable

from coatcheck_core.lines import Place

from .matching import NO_MATCH, Hit, Matcher
from .stretch import Stretch

STRIDE_BYTES = 512 * 1024
"""So far is looked before the time is asked for: the slowest expressions do some MiB a second."""

OutOfTime = Callable[[], bool]


def never() -> bool:
    return False


class Seeker:
    """Where matches lie in a stretch, from the char `start` of the text on. None overlaps the one before.

    `at` is the place in the stretch from which to search on: what lies before has been looked at.
    """

    def __init__(self, matcher: Matcher, stretch: Stretch, *, start: int, is_out_of_time: OutOfTime) -> None:
        self.at = 0
        self.has_begun = False
        self._matcher = matcher
        self._stretch = stretch
        self._start = start
        self._is_out_of_time = is_out_of_time

    @property
    def is_done(self) -> bool:
        """Whether all places of the text have been looked at."""
        return self._stretch.is_last and (not self.has_begun or self.at > len(self._stretch.data))

    def feed(self, data: bytes, place: Place | None, *, is_last: bool, keep_from: int) -> int:
        """The next bytes; how many of those before `keep_from`, and looked at, are gone."""
        gone = self._stretch.feed(data, place, is_last=is_last, let_go=min(keep_from, self.at - 1))
        self.at -= gone
        if not self.has_begun:
            self._begin()
        return gone

    def next(self) -> Hit | None:
        """The next match, which may be empty; None where more of the text, or of time, is needed for it."""
        while self.has_begun:
            stop = min(self._stretch.stop, self.at + STRIDE_BYTES + self._matcher.longest)
            is_end = self._stretch.is_last and stop == self._stretch.stop
            decided = stop + 1 if is_end else stop - self._matcher.longest + 1
            if self.at >= decided:
                break
            hit = self._matcher.next(self._stretch.data, self.at, stop)
            if hit is None or hit[0] >= decided:
                self.at = decided if is_end else max(self.at, self._stretch.char_start(decided))
                if stop == self._stretch.stop:
                    break
            else:
                begin, end = hit
                self.at = end if end > begin else self._stretch.next_char(begin)
                if end != NO_MATCH:
                    return hit
            if self._is_out_of_time():
                break
        return None

    def _begin(self) -> None:
        missing = self._start - self._stretch.place(self.at).chars
        passed = self._stretch.after(self.at, max(0, missing))
        self.at += len(passed.encode())
        self.has_begun = len(passed) >= missing
