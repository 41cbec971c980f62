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
    """The lines of one file after another, each given once, whichever matches show it; all matches come in order."""

    def __init__(self, before: int, after: int) -> None:
        self._before = before
        self._after = after
        self._path = ""
        self._shown = -1
        self._matched = -1

    def note(self, path: str, line: int, shown: int = -1) -> None:
        """The matches of this file up to this line have been given, by an earlier reply maybe, with lines as far as
        `shown`.
        """
        self._path, self._shown, self._matched = path, max(line, shown), line

    def last_shown(self, path: str) -> int:
        """The last line of a file that was given in any way; -1 where it is not the file that is at hand."""
        return self._shown if path == self._path else -1

    def has(self, path: str, line: int) -> bool:
        """Whether a match of this line has been given."""
        return path == self._path and line <= self._matched

    def shown(self, path: str, hit: Hit) -> Iterator[GrepLine]:
        """The line of a match, which has not been given, with those around it that have not either.

        A line that was shown as what comes after another match comes again, as a match.
        """
        if path != self._path:
            self.note(path, -1)
        begin = hit.snippet.rfind("\n", 0, hit.at) + 1
        end = hit.snippet.find("\n", hit.at)
        end = len(hit.snippet) if end < 0 else end
        yield from self._context(hit.line - hit.snippet.count("\n", 0, begin), hit.snippet[:begin], hit.line)
        text = hit.snippet[max(begin, hit.at - LINE_CHARS) : min(end, hit.at + LINE_CHARS)]
        yield GrepLine(path=path, line=hit.line + 1, text=text)
        self._matched = hit.line
        self._shown = max(self._shown, hit.line)
        yield from self._context(hit.line + 1, hit.snippet[end + 1 :], hit.line)

    def _context(self, first: int, text: str, matched: int) -> Iterator[GrepLine]:
        """Of the lines of a text, which begin with the number `first`, those near the match."""
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        for number, line in enumerate(lines, first):
            is_near = matched - self._before <= number <= matched + self._after
            if is_near and number > self._shown:
                self._shown = number
                yield GrepLine(path=self._path, line=number + 1, text=line[:LINE_CHARS], is_context=True)
