"""The lines that a grep shows, out of matches with the text around them."""

import msgspec

from coatcheck_schemas.filesystem import GrepLine

LINE_CHARS = 500
"""Of a line on either side of a match, and of a line of context."""
MAX_LINES_AROUND = 50
REACH_CHARS = 2000
"""So many are looked at on either side of a match for its own line, and for each line of context."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A match: its line from 0, and a snippet in which it begins at `at`; which may begin with the text."""

    line: int
    snippet: str
    at: int
    is_from_begin: bool


def around_chars(before: int, after: int) -> int:
    """How many chars are wanted on either side of a match for so many lines, where these are not very long."""
    return REACH_CHARS * (1 + max(before, after))


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """What a match adds: `due` are lines after the match before, `lines` its own and what is before, `after` what
    follows, which is due once the next match is known.
    """

    path: str
    line: int
    due: list[GrepLine]
    lines: list[GrepLine]
    after: list[GrepLine]


class Lines:
    """The lines of one file after another, in order and each given once, whichever matches show it.

    All matches come in order. What follows one waits: a line of it that has a match itself is given as that.
    """

    def __init__(self, before: int, after: int) -> None:
        self._before = before
        self._after = after
        self._path = ""
        self._shown = -1
        self._matched = -1
        self._waiting: list[GrepLine] = []

    def note(self, path: str, line: int, shown: int = -1) -> None:
        """The matches of this file up to this line have been given, by an earlier reply maybe, with lines as far as
        `shown`.
        """
        self._path, self._shown, self._matched = path, max(line, shown), line
        self._waiting = []

    def last_shown(self, path: str) -> int:
        """The last line of a file that was given in any way, or waits; -1 where it is not the file that is at hand."""
        if path != self._path:
            return -1
        return self._waiting[-1].line - 1 if self._waiting else self._shown

    def has(self, path: str, line: int) -> bool:
        """Whether a match of this line has been given."""
        return path == self._path and line <= self._matched

    def piece(self, path: str, hit: Hit) -> Piece:
        """Of a match whose line has not been given; it changes nothing until it is `give`n."""
        due = self._due(path, hit.line)
        shown = -1 if path != self._path else due[-1].line - 1 if due else self._shown
        begin = hit.snippet.rfind("\n", 0, hit.at) + 1
        end = hit.snippet.find("\n", hit.at)
        end = len(hit.snippet) if end < 0 else end
        above = _lines_above(hit, begin, self._before)
        below = _lines_below(hit, end, self._after)
        text = hit.snippet[max(begin, hit.at - LINE_CHARS) : min(end, hit.at + LINE_CHARS)]
        match = GrepLine(path=path, line=hit.line + 1, text=text)
        return Piece(
            path=path,
            line=hit.line,
            due=due,
            lines=[*_numbered(path, hit.line - len(above) + 1, above, from_line=shown + 2), match],
            after=_numbered(path, hit.line + 2, below, from_line=shown + 2),
        )

    def give(self, piece: Piece) -> list[GrepLine]:
        """The lines that can be given by now."""
        shown = self._shown if piece.path == self._path else -1
        self._path, self._shown, self._matched = piece.path, max(shown, piece.line), piece.line
        self._waiting = piece.after
        return [*piece.due, *piece.lines]

    def rest(self, path: str | None = None, line: int = 0) -> list[GrepLine]:
        """What waits, up to where the next match is, if that is known; no more waits then."""
        due = self._waiting if path is None else self._due(path, line)
        self._shown = due[-1].line - 1 if due else self._shown
        self._waiting = []
        return due

    def forget(self, path: str) -> None:
        """Give nothing more of a file."""
        if path == self._path:
            self._waiting = []

    def _due(self, path: str, line: int) -> list[GrepLine]:
        return [one for one in self._waiting if path != self._path or one.line <= line]


def _lines_above(hit: Hit, begin: int, most: int) -> list[str]:
    """The last lines before the one that begins at `begin`, as far as they are in the snippet from where they begin."""
    if not begin or not most:
        return []
    lines = hit.snippet[: begin - 1].rsplit("\n", most)
    is_whole = len(lines) <= most and hit.is_from_begin
    return lines if is_whole else lines[1:]


def _lines_below(hit: Hit, end: int, most: int) -> list[str]:
    """The first lines after the one that ends at `end`; the last may be cut where the snippet is."""
    rest = hit.snippet[end + 1 :]
    return rest.split("\n", most)[: min(most, rest.count("\n") + (not rest.endswith("\n")))] if rest else []


def _numbered(path: str, first: int, lines: list[str], *, from_line: int) -> list[GrepLine]:
    """These lines as context, the first of that number, but for those before `from_line`."""
    return [
        GrepLine(path=path, line=number, text=line[:LINE_CHARS], is_context=True)
        for number, line in enumerate(lines, first)
        if number >= from_line
    ]
