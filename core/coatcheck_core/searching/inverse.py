"""The lines of a text that passes in which no match begins."""

from collections.abc import Iterator
from typing import Unpack

import msgspec

from coatcheck_core.lines import Place

from .chars import MOST_CHAR_BYTES, char_start
from .finder import shown
from .found import SHOWN_CHARS, Found
from .matching import Matcher
from .passing import Options, Passing

_HEAD_BYTES = MOST_CHAR_BYTES * SHOWN_CHARS
"""So much of a line is kept until its end has come; of a longer one no more is shown."""


class InverseFinder(Passing):
    """The lines in which no match begins, empty ones counted too.

    Each line is given as a match from its start, without its end. In every line the search begins anew, and `start`
    must be the start of one: so what is given does not depend on it. The newline belongs to the line that it ends.
    """

    def __init__(self, matcher: Matcher, **options: Unpack[Options]) -> None:
        super().__init__(matcher, **options)
        self._line: int | None = None
        """Where the line begins that is given next if nothing matches in it; None before there is one."""
        self._head: Found | None = None
        """Its beginning, where that has been let go of."""
        self._is_matched = False
        """Whether it is known to have a match, so that only its end is wanted."""
        self._begins_at: int | None = None
        """At which char such a line begins, where that has been let go of."""
        self._match: int | None = None
        """Where the next match begins; else none does before the place that the seeker has come to."""
        self._end: int | None = None
        """Where the line ends that is to be given, once that is known."""

    @property
    def safe(self) -> int:
        """From which char to search on if no more is fed here: the start of the first line not given yet."""
        if self._line is None:
            return self._start
        if self._begins_at is not None:
            return self._begins_at
        return self._stretch.place(self._line).chars if self._head is None else self._head.offset

    @property
    def is_within_line(self) -> bool:
        return self._line is not None and self._end is None and self._seeker.at > self._line

    @property
    def is_done(self) -> bool:
        """Whether the text has been gone through to its end."""
        # All may be looked at while lines without a match are still to be given.
        return self._seeker.is_done and (self._line is None or self._line >= len(self._stretch.data))

    def feed(self, data: bytes | memoryview, place: Place | None = None, *, is_last: bool) -> None:
        """The next bytes, whole chars, which begin at `place`; where that is not known it is counted."""
        needed = min(at for at in (self._seeker.at - 1, self._match, self._end) if at is not None)
        if self._line is not None and self._head is None and not self._is_matched:
            if needed - self._line > _HEAD_BYTES:
                self._head = shown(self._stretch, self._line, char_start(self._stretch.data, needed), self._context)
            else:
                needed = self._line
        elif self._is_matched and self._begins_at is None and self._line is not None:
            self._begins_at = self._stretch.place(self._line).chars
        keep_from = needed - MOST_CHAR_BYTES * self._context
        gone = self._seeker.feed(data, place, is_last=is_last, keep_from=keep_from)
        if self._line is not None:
            self._line -= gone
        elif self._seeker.has_begun:
            self._line = self._seeker.at
        self._match = None if self._match is None else self._match - gone
        self._end = None if self._end is None else self._end - gone

    def found(self) -> Iterator[Found]:
        """The lines that are whole now, their context too."""
        while (line := self._next()) is not None:
            begin, end = line
            if not self._stretch.has_after(end, self._context):
                return
            if self._head is None:
                yield shown(self._stretch, begin, end, self._context)
            else:
                length = self._stretch.place(end).chars - self._head.offset
                yield msgspec.structs.replace(self._head, length=length)
            self._begin_line(end + 1)
            if self._watch.is_over():
                return

    def count(self) -> int:
        """How many more such lines there are so far; they are not given any more."""
        counted = 0
        while (line := self._next()) is not None:
            self._begin_line(line[1] + 1)
            counted += 1 + self._pass_clear()
            if self._watch.is_over():
                break
        return counted

    def _next(self) -> tuple[int, int] | None:
        """The next line without a match, which waits from now on to be given."""
        has_looked = False
        while self._line is not None and self._end is None:
            if self._is_matched:
                if not self._pass_matched():
                    break
                continue
            known = self._seeker.at if self._match is None else self._match
            end = self._stretch.data.find(b"\n", max(0, self._line), known)
            if end >= 0:
                self._end = end
            elif self._match is not None:
                self._is_matched = True
            elif known > len(self._stretch.data):
                self._end = len(self._stretch.data) if self._line < len(self._stretch.data) else None
                break
            elif (has_looked and self._watch.is_over()) or not self._look_on(known):
                break
            else:
                has_looked = True
        return None if self._line is None or self._end is None else (self._line, self._end)

    def _pass_clear(self) -> int:
        """Go on behind the lines that are known to have no match; how many these are."""
        known = self._seeker.at if self._match is None else self._match
        begin = self._line or 0
        lines = self._stretch.data.count(b"\n", begin, known)
        if lines:
            self._begin_line(self._stretch.data.rindex(b"\n", begin, known) + 1)
        return lines

    def _look_on(self, known: int) -> bool:
        """For the next match; whether that has come to anything."""
        hit = self._seeker.next()
        self._match = None if hit is None else hit[0]
        return hit is not None or self._seeker.at > known

    def _pass_matched(self) -> bool:
        """Go on to the line after the one with a match; whether its end is there."""
        size = len(self._stretch.data)
        end = self._stretch.data.find(b"\n", self._seeker.at if self._match is None else self._match)
        self._match = None
        if end >= 0:
            self._seeker.at = end + 1
            self._begin_line(end + 1)
        elif self._stretch.is_last:
            self._seeker.at = size + 1
            self._begin_line(size + 1)
        else:
            self._seeker.at = size
        return end >= 0

    def _begin_line(self, at: int) -> None:
        self._line, self._head, self._end, self._is_matched, self._begins_at = at, None, None, False, None
        self._seeker.at = max(self._seeker.at, at)
