"""The lines that a grep shows, out of matches with the text around them."""

from collections.abc import Iterator

import msgspec

from coatcheck_schemas.filesystem import GrepLine

LINE_CHARS = 500
"""Of a line on either side of a match, and of a line of context."""
MAX_LINES_AROUND = 50
MOST_AROUND_CHARS = 10_000


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A match: its line from 0, and a snippet in which it begins at `at`."""

    line: int
    snippet: str
    at: int


def around_chars(before: int, after: int) -> int:
    """How many chars are wanted on either side of a match for so many lines."""
    return min(MOST_AROUND_CHARS, LINE_CHARS * (1 + max(before, after)))


class Lines:
    """The lines of one file after another. A line is given once, whichever matches show it."""

    def __init__(self, before: int, after: int) -> None:
        self._before = before
        self._after = after
        self._path = ""
        self._last = -1
        self._matched = -1

    def is_new(self, path: str, line: int) -> bool:
        """Whether this match is the first of its line; the matches of a file come in order."""
        if path != self._path:
            self._path, self._last, self._matched = path, -1, -1
        is_new = line > self._matched
        self._matched = max(self._matched, line)
        return is_new

    def shown(self, path: str, hit: Hit) -> Iterator[GrepLine]:
        """The line of a match that is new, with those around it that have not been given."""
        begin = hit.snippet.rfind("\n", 0, hit.at) + 1
        end = hit.snippet.find("\n", hit.at)
        end = len(hit.snippet) if end < 0 else end
        before = hit.snippet[: max(0, begin - 1)].split("\n")[-self._before :] if self._before and begin else []
        for number, text in enumerate(before, hit.line - len(before)):
            yield from self._line(path, number, text, is_context=True)
        text = hit.snippet[max(begin, hit.at - LINE_CHARS) : min(end, hit.at + LINE_CHARS)]
        # What was shown as the context of an earlier match comes again as a match of its own.
        self._last = min(self._last, hit.line - 1)
        yield from self._line(path, hit.line, text, is_context=False)
        after = hit.snippet[end + 1 :].split("\n")[: self._after] if self._after and end < len(hit.snippet) else []
        if len(after) and after[-1] == "" and hit.snippet.endswith("\n"):
            after.pop()
        for number, text in enumerate(after, hit.line + 1):
            yield from self._line(path, number, text, is_context=True)

    def _line(self, path: str, number: int, text: str, *, is_context: bool) -> Iterator[GrepLine]:
        if number > self._last:
            self._last = number
            shown = text[:LINE_CHARS] if is_context else text
            yield GrepLine(path=path, line=number + 1, text=shown, is_context=is_context)
