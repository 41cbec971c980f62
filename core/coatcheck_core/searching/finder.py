"""The matches in a text that passes, with what is around them."""

from collections.abc import Iterator
from typing import Unpack

from coatcheck_core.lines import Place

from .chars import MOST_CHAR_BYTES
from .found import SHOWN_CHARS, Found
from .matching import Hit, Matcher
from .passing import Options, Passing
from .stretch import Stretch


class Finder(Passing):
    """The matches that begin at `start` or later. `safe` is where another may go on.

    Empty ones are passed over, but where one a line is wanted: there they show that the line matches.
    """

    def __init__(self, matcher: Matcher, **options: Unpack[Options]) -> None:
        super().__init__(matcher, **options)
        self._waiting: Hit | None = None
        self._once_a_line = options.get("once_a_line", False)
        self._is_skipping = False

    @property
    def safe(self) -> int:
        """From which char to search on if no more is fed here: the matches before have been given."""
        if not self._seeker.has_begun:
            return self._start
        at = self._seeker.at if self._waiting is None else self._waiting[0]
        return self._stretch.place(min(at, len(self._stretch.data))).chars

    @property
    def is_done(self) -> bool:
        """Whether the text has been gone through to its end."""
        return self._waiting is None and self._seeker.is_done

    def feed(self, data: bytes | memoryview, place: Place | None = None, *, is_last: bool) -> None:
        """The next bytes, whole chars, which begin at `place`; where that is not known it is counted."""
        at = self._seeker.at if self._waiting is None else self._waiting[0]
        gone = self._seeker.feed(data, place, is_last=is_last, keep_from=at - MOST_CHAR_BYTES * self._context)
        if self._waiting is not None:
            self._waiting = self._waiting[0] - gone, self._waiting[1] - gone

    def found(self) -> Iterator[Found]:
        """The matches that are whole now, their context too."""
        while (hit := self._next()) is not None:
            if not self._stretch.has_after(hit[1], self._context):
                return
            yield shown(self._stretch, *hit, self._context)
            if self._waiting is hit:
                self._is_given()
            if self._watch.is_over():
                return

    def count(self) -> int:
        """How many more matches there are so far; they are not given any more."""
        counted = 0 if self._waiting is None else 1
        self._waiting = None
        if (at_once := self._seeker.count()) is not None:
            return counted + at_once
        while self._next() is not None:
            self._waiting = None
            counted += 1
            if self._watch.is_over():
                break
        return counted

    def count_lines(self) -> tuple[int, int | None]:
        """After a match was given: in how many lines below it one begins so far, and the last of them, from 0.

        They are not given any more. It is once a line, and takes a fraction of what giving each does.
        """
        if self._waiting is not None:
            self._is_given()
        counted, last = 0, None
        while not self._watch.is_over():
            self._is_skipping = self._is_skipping and not self._seeker.skip_line()
            if not self._is_skipping and (quick := self._seeker.count_lines()) is not None:
                some, at, self._is_skipping = quick
                counted, last = counted + some, at if some else last
            if (hit := self._next()) is None:
                break
            self._is_given()
            counted, last = counted + 1, hit[0]
        return counted, None if last is None else self._stretch.place(last).newlines

    def _is_given(self) -> None:
        """The match that waits has been given, or counted."""
        if self._waiting is not None:
            begin, end = self._waiting
            self._is_skipping = self._once_a_line and b"\n" not in self._stretch.data[begin:end]
            if self._is_skipping and begin == end:
                self._seeker.at = begin
            self._waiting = None

    def _next(self) -> Hit | None:
        """The next match, which waits from now on to be given."""
        if self._is_skipping:
            self._is_skipping = not self._seeker.skip_line()
            if self._is_skipping:
                return None
        while self._waiting is None and (hit := self._seeker.next()) is not None:
            if hit[1] > hit[0] or (self._once_a_line and self._is_in_line(hit[0])):
                self._waiting = hit
            elif self._watch.is_over():
                break
        return self._waiting

    def _is_in_line(self, at: int) -> bool:
        """Whether there is a line at this place: none begins behind the last line's end, and none within a char.

        RE2 looks for `\\B` between bytes.
        """
        data = self._stretch.data
        if at < len(data):
            return not 0x80 <= data[at] < 0xC0
        return at > 0 and data[at - 1 : at] != b"\n"


def shown(stretch: Stretch, begin: int, end: int, context_chars: int) -> Found:
    """What lies from `begin` to `end`, with what is around it."""
    place = stretch.place(begin)
    length = stretch.chars(begin, end)
    before = stretch.before(begin, context_chars)
    after = stretch.after(end, context_chars) if length <= SHOWN_CHARS else ""
    return Found(
        offset=place.chars,
        line=place.newlines,
        byte_offset=place.bytes,
        length=length,
        snippet=before + stretch.after(begin, SHOWN_CHARS, until=end) + after,
        snippet_offset=place.chars - len(before),
    )
