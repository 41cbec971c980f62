"""Which blocks of an original are needed for what is asked, and where they lie in storage."""

from bisect import bisect_left, bisect_right

import msgspec

from .index import Index, Sums


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbouring blocks, `first` to `last` (exclusive): their raw bytes `start` to `stop`, `stored_start` to
    `stored_stop` of the object, and how many chars and newlines come before and up to their end.
    """

    first: int
    last: int
    start: int
    stop: int
    stored_start: int
    stored_stop: int
    chars_start: int
    chars_stop: int
    newlines_start: int
    newlines_stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start


def span_of(index: Index, first: int, last: int) -> Span:
    """Of the blocks `first` to `last` (exclusive), which must be there."""
    return Span(
        first=first,
        last=last,
        start=_before(index.ends, first),
        stop=_before(index.ends, last),
        stored_start=_before(index.stored, first),
        stored_stop=_before(index.stored, last),
        chars_start=_before(index.chars, first),
        chars_stop=_before(index.chars, last),
        newlines_start=_before(index.newlines, first),
        newlines_stop=_before(index.newlines, last),
    )


def span_of_bytes(index: Index, start: int, stop: int) -> Span:
    """The blocks that hold the bytes `start` to `stop`; none where there are none."""
    return _between(index, index.ends, start, stop)


def span_of_chars(index: Index, start: int, stop: int) -> Span:
    """The blocks that hold the chars `start` to `stop`; none where there are none."""
    return _between(index, index.chars, start, stop)


def block_of_char(index: Index, char: int) -> int:
    """The block that holds a char; the last one for what comes after."""
    return min(bisect_right(index.chars, char), max(0, len(index.chars) - 1))


def block_of_line(index: Index, line: int) -> int:
    """The block with the newline before a line, from 0; the first for line 0, and the last for what comes after."""
    return min(bisect_left(index.newlines, line), max(0, len(index.newlines) - 1)) if line > 0 else 0


def grouped(index: Index, sums: Sums, first: int, last: int, most: int) -> list[Span]:
    """The blocks `first` to `last` (exclusive) as neighbours that have at most `most` by these sums, or single ones."""
    groups = []
    while first < last:
        groups.append(span_from(index, sums, first, last, most))
        first = groups[-1].last
    return groups


def span_from(index: Index, sums: Sums, first: int, last: int, most: int) -> Span:
    """The first of these groups; there must be one."""
    end = bisect_right(sums, _before(sums, first) + most, lo=first, hi=last)
    return span_of(index, first, max(end, first + 1))


def _between(index: Index, sums: Sums, start: int, stop: int) -> Span:
    first = bisect_right(sums, start)
    if start >= stop or first == len(sums):
        return span_of(index, min(first, len(sums)), min(first, len(sums)))
    return span_of(index, first, min(bisect_left(sums, stop) + 1, len(sums)))


def _before(sums: Sums, block: int) -> int:
    return sums[block - 1] if block else 0
