"""NDJSON: one object or array a line, by blocks of lines."""

from collections.abc import Iterator

from coatcheck_core.synopsis.effort import Step

from .merging import Merged, value_of
from .parsing import Stopped

BLOCK_BYTES = 128 * 1024
_FIRST_BLOCK_BYTES = 8 * 1024
MOST_SHOWN = 5
_OPENING = (b"{", b"[")
_MOST_BAD = 0.05
_FIRST_BAD = 3
"""So many bad ones are borne before there are enough good ones to compare with."""
_MOST_TRAILING_LINES = 8
_NEAR = 256


class Records:
    """The records of a text and its bad lines; `tail_*` are of what stands behind the last record.

    Lines count from 0. `bad_lines` are the first of `bad`, those behind the last record left out.
    """

    def __init__(self) -> None:
        self.merged = Merged()
        self.bad = 0
        self.bad_lines: list[int] = []
        self.tail_start: int | None = None
        self.tail_lines: list[int] = []
        self._line = 0
        self._at = 0

    def add_lines(self, text: bytes) -> None:
        """Whole lines, as they come one after another."""
        lines = text.count(b"\n") + (not text.endswith(b"\n"))
        try:
            is_plain = self._add_plain(text, lines)
        except Stopped:
            is_plain = False
        if not is_plain:
            for number, line in enumerate(text.split(b"\n")):
                self._add_line(line, self._line + number)
                self._at += len(line) + 1
            self._at -= 1
        else:
            self._at += len(text)
        self._line += lines

    @property
    def are_bad(self) -> bool:
        """Whether too many lines are no records for this to be NDJSON."""
        bad = self.bad + len(self.tail_lines)
        return bad > _FIRST_BAD and bad > _MOST_BAD * (self.merged.count + bad) + _MOST_TRAILING_LINES

    @property
    def are_records(self) -> bool:
        is_short_tail = len(self.tail_lines) <= min(_MOST_TRAILING_LINES, 1 + self.merged.count)
        return self.merged.count >= 2 and is_short_tail and self.bad <= _MOST_BAD * (self.merged.count + self.bad)

    def _add_plain(self, text: bytes, lines: int) -> bool:
        """All at once where there are as many records as lines; the parser takes two on one line, or one on two."""
        if self.tail_lines:
            return False
        before = self.merged.count
        if self.merged.add_all(text) == lines:
            return True
        self.merged.count = before
        return False

    def _add_line(self, line: bytes, number: int) -> None:
        bare = line.strip(b" \t\r")
        if not bare:
            return
        try:
            if not bare.startswith(_OPENING):
                raise Stopped("wrong")
            value = value_of(bare)
        except Stopped:
            if self.tail_start is None:
                self.tail_start = self._at
            self.tail_lines.append(number)
            return
        self.bad += len(self.tail_lines)
        self.bad_lines = (self.bad_lines + self.tail_lines)[:MOST_SHOWN]
        self.tail_start, self.tail_lines = None, []
        self.merged.add(value)


def read_records(data: bytes, start: int, step: Step) -> Records | None:
    """NDJSON of two records or more, a few lines among many of which may be none; None of anything else.

    `start` is where the first character that is no white space stands.
    """
    if not _begins_with_records(data, start):
        return None
    records = Records()
    for text in _whole_lines(data, step):
        records.add_lines(text)
        if records.are_bad:
            return None
    return records if records.are_records else None


def _begins_with_records(data: bytes, start: int) -> bool:
    """Whether the first line ends like a record and the next begins like one; cheap."""
    newline = data.find(b"\n", start)
    if newline < 0 or not data[max(newline - _NEAR, start) : newline].rstrip().endswith((b"}", b"]")):
        return False
    return data[newline : newline + _NEAR].lstrip().startswith(_OPENING)


def _whole_lines(data: bytes, step: Step) -> Iterator[bytes]:
    """Blocks of whole lines; a line longer than a block is one of its own.

    The first is little, for it is read to learn what fields there are.
    """
    at, size = 0, _FIRST_BLOCK_BYTES
    while at < len(data):
        step()
        end = data.rfind(b"\n", at, at + size) + 1
        if end == 0:
            end = data.find(b"\n", at + size) + 1 or len(data)
        yield data[at:end]
        at, size = end, BLOCK_BYTES
