"""How elements stand in a text that a parser has accepted, up to a place at least: who is below whom, and how many."""

import re

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .counting import count_starts
from .finding import OPEN, Constructs, construct_end, find, matches
from .grammar import SIBLING, START_TAG, TAG, is_empty
from .runs import Runs

MAX_FIRSTS = (0, 8, 30)
"""Of how many tags of a level the first element is read, by how many more levels are to be."""
MAX_TAGS = 100_000
"""Distinct tags of one level that are told apart: a dictionary of more would outgrow the text."""


class Level(msgspec.Struct):
    """The elements right below one, by tag in order of appearance; `above` are the names down to that one.

    `at` is where its content begins, `content_end` and `end` are before and behind its end tag, `OPEN` without one;
    `open_at` is where an element in it begins that is not closed.
    """

    at: int
    above: tuple[bytes, ...] = ()
    levels: int = 0
    counts: dict[bytes, int] = {}
    firsts: dict[bytes, "First"] = {}
    content_end: int = OPEN
    end: int = OPEN
    open_at: int = OPEN


class First(msgspec.Struct, frozen=True):
    """The first element of a tag: where its start tag is, and what it has inside; None where that is nothing."""

    at: int
    level: Level | None = None


class Root(msgspec.Struct, frozen=True):
    """The root element, from `at` to `end`; `level` is None for an empty-element tag, `elements` counts itself, too."""

    tag: bytes
    at: int
    end: int
    level: Level | None
    elements: int


class Outline:
    """Of a text that a parser has accepted up to `end`; `at` is where its root element begins."""

    def __init__(self, data: bytes, at: int, end: int, step: Step) -> None:
        self._data = data
        self.at = at
        self._end = end
        self._step = step
        self._constructs = Constructs(data, end, step)
        self._constructs.after(at)

    def read_root(self) -> Root:
        """Of a document that is closed before the end."""
        start = START_TAG.match(self._data, self.at, self._end)
        if start is None:
            raise AssertionError("a parser has read a start tag there")
        level = None if is_empty(start) else self.read_level(start.end(), (start[1],), 2)
        end = start.end() if level is None else level.end
        return Root(start[1], self.at, end, level, self.count_elements(end))

    def read_level(self, at: int, above: tuple[bytes, ...] = (), levels: int = 0) -> Level:
        """The content from `at` on of the last element of `above`; for `levels`, of the first of each tag, too."""
        level, runs = Level(at, above, levels), Runs(self._data, self._constructs, self._step, above)
        while True:
            at = self._next_tag(self._read_siblings(level, runs, at))
            # No whole sibling is at hand: here is the end, or an element that is long, or nests itself deeply.
            start = None if at == OPEN else START_TAG.match(self._data, at, self._end)
            if start is None:
                if at != OPEN and (closing := self._find(b">", at)) != OPEN:
                    level.content_end, level.end = at, closing + 1
                return level
            behind = self._read_large(level, start)
            if behind == OPEN:
                level.open_at = at
                return level
            at = behind

    def _read_siblings(self, level: Level, runs: Runs, at: int) -> int:
        """Those that are whole within a block, as many as come one after the other; where the next begins."""
        counts = level.counts
        before = OPEN
        while at > before:
            self._step()
            before = at
            scanner = SIBLING.scanner(self._data, at, min(at + BLOCK_BYTES, self._end))  # type: ignore[attr-defined]
            for match in iter(scanner.match, None):
                tag, at = match[1], match.end()
                if tag in counts:
                    counts[tag] += 1
                    if runs.is_due(tag):
                        more, at = runs.skip(at, at - match.start())
                        counts[tag] += more
                        if more:
                            break
                elif len(counts) < MAX_TAGS:
                    counts[tag] = 1
                    if len(level.firsts) < MAX_FIRSTS[level.levels]:
                        level.firsts[tag] = self._first(match.start(1) - 1, level)
        return at

    def _first(self, at: int, level: Level) -> First:
        start = START_TAG.match(self._data, at, self._end)
        if start is None or is_empty(start):
            return First(at)
        return First(at, self.read_level(start.end(), (*level.above, start[1]), level.levels - 1))

    def _read_large(self, level: Level, start: re.Match[bytes]) -> int:
        """Behind the element that begins with that tag; `OPEN` where it is not closed."""
        tag, is_new = start[1], start[1] not in level.counts
        if not is_new or len(level.counts) < MAX_TAGS:
            level.counts[tag] = level.counts.get(tag, 0) + 1
        if is_new and len(level.firsts) < MAX_FIRSTS[level.levels]:
            first = level.firsts[tag] = self._first(start.start(), level)
            return start.end() if first.level is None else first.level.end
        return start.end() if is_empty(start) else self._skip(start.end())

    def _skip(self, at: int) -> int:
        """Behind the end tag of the element whose content begins at `at`; `OPEN` where there is none."""
        depth = 1
        for match in matches(TAG, self._data, at, self._end, self._step):
            if match[2]:
                depth -= 1
                if depth == 0:
                    return match.end()
            elif match[3]:
                depth += 1
        return OPEN

    def _next_tag(self, at: int) -> int:
        """Where the next start or end tag begins; `OPEN` where there is none any more."""
        while (at := self._find(b"<", at)) != OPEN and self._data.startswith((b"<!", b"<?"), at):
            if (at := construct_end(self._data, at, self._end, self._step)) == OPEN:
                break
        return at

    def _find(self, wanted: bytes, at: int) -> int:
        return find(self._data, wanted, at, self._end, self._step)

    def open_tags(self, at: int) -> list[bytes]:
        """The names of the elements that are open at the end, outermost first, from the one on that begins at `at`."""
        names: list[bytes] = []
        for match in matches(TAG, self._data, at, self._end, self._step):
            if match[3]:
                names.append(match[3])
            elif match[2] and names:
                names.pop()
        return names

    def count_elements(self, end: int) -> int:
        """Every element that begins before `end`, in whatever depth."""
        return count_starts(self._data, self.at, end, self._constructs, self._step)


def last_whole(data: bytes, at: int, end: int, step: Step) -> int:
    """Where the tag or construct begins that is not closed at `end`; `end` where there is none."""
    for start, behind in Constructs(data, end, step).between(at):
        if behind == OPEN:
            return start
        at = behind
    last = data.rfind(b"<", at, end)
    is_whole = last < 0 or START_TAG.match(data, last, end) or (data.startswith(b"</", last) and b">" in data[last:end])
    return end if is_whole else last
