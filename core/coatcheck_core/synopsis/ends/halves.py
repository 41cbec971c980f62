"""Both ends of a large text, as a person sees them, and side by side as if they were one text."""

from typing import NamedTuple

from coatcheck_core.encodings import as_utf8, last_chars
from coatcheck_core.once import once
from coatcheck_core.synopsis.effort import Step
from coatcheck_core.synopsis.seen import Seen

_QUOTE = b'"'
_MOST_LINES_OPEN = 500


class Rows(NamedTuple):
    """Lines of both ends; those of the end may be none."""

    text: Seen
    has_end: bool


class Halves:
    """`head` is the text's start up to where it was cut, in UTF-8, `tail` its end. Raises UnicodeDecodeError."""

    def __init__(self, head: bytes, tail: bytes, encoding: str, step: Step) -> None:
        self.step = step
        self.head = Seen(as_utf8(head, encoding, step, is_cut=True), step)
        self.tail = Seen(last_chars(tail, encoding).encode(), step)

    @once
    def head_lines(self) -> Seen:
        """The start without the line that is cut, unless that is most of it."""
        return self._part(self.head.data[: self._last_line])

    @once
    def tail_lines(self) -> Seen:
        """The end without the line that is cut, unless that is most of it."""
        return self._part(self.tail.data[self._first_line :])

    @once
    def joined(self) -> Seen:
        """The whole lines of both."""
        return self._part(self.head_lines.data + self.tail_lines.data)

    @once
    def rows(self) -> list["Rows"]:
        """Whole lines of both as records, cut at newlines that are in no quoted field, and then at any newline.

        A quoted field is one with an even number of quotes, and no text begins or ends inside one.
        """
        head, tail = self.head.data, self.tail.data
        head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :] if b"\n" in tail else b""
        cuts = dict.fromkeys([(_end_outside(head), _start_outside(tail)), (len(head), 0)])
        return [
            Rows(self._part(head[:end] + tail[start:]), has_end=bool(tail[start:].strip()))
            for end, start in cuts
            if end
        ]

    @property
    def _last_line(self) -> int:
        data = self.head.data
        newline = data.rfind(b"\n", len(data) // 2)
        return len(data) if newline < 0 else newline + 1

    @property
    def _first_line(self) -> int:
        data = self.tail.data
        return data.find(b"\n", 0, len(data) // 2 + 1) + 1

    def _part(self, data: bytes) -> Seen:
        return Seen(data, self.step, is_plain=True)


def _end_outside(data: bytes) -> int:
    end, quotes = len(data), data.count(_QUOTE)
    for _ in range(_MOST_LINES_OPEN):
        if quotes % 2 == 0:
            return end
        newline = data.rfind(b"\n", 0, max(end - 1, 0))
        quotes -= data.count(_QUOTE, newline + 1, end)
        end = newline + 1
    return len(data)


def _start_outside(data: bytes) -> int:
    start, quotes = 0, data.count(_QUOTE)
    for _ in range(_MOST_LINES_OPEN):
        if quotes % 2 == 0:
            return start
        newline = data.find(b"\n", start)
        if newline < 0:
            break
        quotes -= data.count(_QUOTE, start, newline)
        start = newline + 1
    return 0
