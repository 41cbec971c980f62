"""Going from match to match through a text that passes, so that none falls between two of its pieces.

Which matches there are depends on the text and on where the search begins, never on the pieces: a place is decided
once so much after it is there as a match may take.
"""

from typing import Protocol

from coatcheck_core.lines import Place

from .chars import char_start, next_char
from .matching import MOST_STRIDE_BYTES, NO_MATCH, Hit, Literal, Matcher
from .stretch import Stretch

LEAST_STRIDE_BYTES = 8 * 1024
"""So far is looked before the time is asked for, where a matcher allows no less. Most expressions do some hundred MiB a
second, the slowest a hundredth of one: a stride is longer after a quick one, up to what its matcher allows, and shorter
after a slow one.
"""
_LINES_AT_A_TIME = 1000
"""So many are counted before the time is asked for."""
_QUICK_SECONDS, _SLOW_SECONDS = 0.005, 0.05


class Watch(Protocol):
    """How long the search may go on before it pauses: after that, it is gone on with by calling again."""

    def now(self) -> float:
        """In seconds, from whenever."""
        ...

    def is_over(self) -> bool:
        """Whether to pause here."""
        ...


class NoWatch:
    """All the time that it takes."""

    def now(self) -> float:
        return 0.0

    def is_over(self) -> bool:
        return False


class Seeker:
    """Where matches lie in a stretch, from the char `start` of the text on. None overlaps the one before.

    `at` is the place in the stretch from which to search on: what lies before has been looked at.
    """

    def __init__(self, matcher: Matcher, stretch: Stretch, *, start: int, watch: Watch) -> None:
        self.at = 0
        self.has_begun = False
        self._matcher = matcher
        self._stretch = stretch
        self._start = start
        self._watch = watch
        self._stride = min(max(LEAST_STRIDE_BYTES, matcher.longest), matcher.most_stride)
        self._narrow: int | None = None
        self._cleared = 0

    @property
    def is_done(self) -> bool:
        """Whether all places of the text have been looked at."""
        return self._stretch.is_last and (not self.has_begun or self.at > len(self._stretch.data))

    def feed(self, data: bytes | memoryview, place: Place | None, *, is_last: bool, keep_from: int) -> int:
        """The next bytes; how many of those before `keep_from`, and looked at, are gone."""
        gone = self._stretch.feed(data, place, is_last=is_last, let_go=min(keep_from, self.at - 1))
        self.at -= gone
        if not self.has_begun:
            self._begin()
        return gone

    def next(self) -> Hit | None:
        """The next match, which may be empty; None where more of the text, or of time, is needed for it."""
        while self.has_begun:
            stride = self._stride if self._narrow is None else min(self._narrow, self._stride)
            stop = min(self._stretch.stop, self.at + stride + self._matcher.longest)
            is_end = self._stretch.is_last and stop == self._stretch.stop
            decided = stop + 1 if is_end else stop - self._matcher.longest + 1
            if self.at >= decided:
                break
            hit = self._look(stop)
            if hit is None or hit[0] >= decided:
                self.at = decided if is_end else max(self.at, char_start(self._stretch.data, decided))
                self._widen()
                if stop == self._stretch.stop:
                    break
            else:
                begin, end = hit
                self.at = end if end > begin else next_char(self._stretch.data, begin)
                if end != NO_MATCH:
                    self._narrow = None
                    return hit
                self._narrow, self._cleared = max(1, stride // 2), 0
            if self._watch.is_over():
                break
        return None

    def skip_line(self) -> bool:
        """Go on behind the end of the line that it is in; False where that is not here yet."""
        data = self._stretch.data
        end = data.find(b"\n", min(self.at, len(data)))
        if end < 0 and not self._stretch.is_last:
            self.at = max(self.at, self._stretch.stop)
            return False
        self.at = len(data) + 1 if end < 0 else end + 1
        return True

    def count(self) -> int | None:
        """How many `next` would give; None where they must be gone through to be counted."""
        if not isinstance(self._matcher, Literal) or self._matcher.may_overlap:
            return None
        counted, stop = 0, -1
        while self.has_begun and stop < self._stretch.stop and (stop < 0 or not self._watch.is_over()):
            stop = min(self._stretch.stop, self.at + MOST_STRIDE_BYTES)
            some, end = self._matcher.count(self._stretch.data, self.at, stop)
            is_end = self._stretch.is_last and stop == self._stretch.stop
            decided = stop + 1 if is_end else char_start(self._stretch.data, stop - self._matcher.longest + 1)
            counted, self.at = counted + some, max(end, decided)
        return counted

    def count_lines(self) -> tuple[int, int, bool] | None:
        """How many lines have a literal that lies in one, where the last one of it begins, and whether that line goes
        on beyond what is here; None where `next` must find them.
        """
        if not isinstance(self._matcher, Literal) or self._matcher.has_newline or not self.has_begun:
            return None
        data, stop = self._stretch.data, self._stretch.stop
        counted, last = 0, -1
        while (hit := self._matcher.next(data, self.at, stop)) is not None:
            counted, last = counted + 1, hit[0]
            self.at = data.find(b"\n", hit[1]) + 1
            if not self.at:
                self.at = hit[1]
                return counted, last, True
            if counted % _LINES_AT_A_TIME == 0 and self._watch.is_over():
                break
        return counted, last, False

    def _widen(self) -> None:
        """Back to whole strides, where nothing is found twice in a row.

        They are narrowed where a match is too long: what follows it may be, too, and within a stretch that holds no end
        of such a match there is none to be found. Halving them, the first place from which one is short enough is come
        to in a few looks, where going on from char to char would take one for each.
        """
        if self._narrow is None:
            return
        self._cleared += 1
        if self._cleared > 1:
            self._narrow *= 2
            if self._narrow >= self._stride:
                self._narrow = None

    def _look(self, stop: int) -> Hit | None:
        began = self._watch.now()
        hit = self._matcher.next(self._stretch.data, self.at, stop)
        took = self._watch.now() - began
        if took > _SLOW_SECONDS:
            self._stride = min(self._stride, max(LEAST_STRIDE_BYTES, self._stride // 2))
        elif hit is None and took < _QUICK_SECONDS:
            self._stride = min(self._matcher.most_stride, self._stride * 2)
        return hit

    def _begin(self) -> None:
        missing = self._start - self._stretch.place(self.at).chars
        passed = self._stretch.after(self.at, max(0, missing))
        self.at += len(passed.encode())
        self.has_begun = len(passed) >= missing
