"""Matches as people read them: those whose context overlaps as one passage, each line with its number."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from coatcheck_core.stub.escaping import escape

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from coatcheck_schemas.requests import Match

FOUND = "bold red"
BESIDE = "dim"
NUMBER_WIDTH = 6
MOST_CHARS = 1 << 18
"""Matches that stand close all through an original are shown in passages of about this."""


class Passage:
    """A stretch of an original with the matches in it; `text` begins at `offset` and in the line `line`, from 0."""

    def __init__(self, match: "Match") -> None:
        before = match.snippet[: max(match.offset - match.snippet_offset, 0)]
        self.ref = match.ref
        self.offset = match.snippet_offset
        self.line = match.line - before.count("\n")
        self.matches = [match]
        self._texts = [match.snippet]
        self._end = match.snippet_offset + len(match.snippet)

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def takes(self, match: "Match") -> bool:
        """Add a later match if its context begins in what is here, or right after it."""
        if match.ref != self.ref or self._end - self.offset > MOST_CHARS:
            return False
        if not self.offset <= match.snippet_offset <= self._end:
            return False
        self.matches.append(match)
        self._texts.append(match.snippet[self._end - match.snippet_offset :])
        self._end = max(self._end, match.snippet_offset + len(match.snippet))
        return True


def passages(matches: "Iterable[Match]") -> "Iterator[Passage]":
    """Matches in the order in which they were found, those together whose contexts overlap."""
    passage: Passage | None = None
    for match in matches:
        if passage is not None and passage.takes(match):
            continue
        if passage is not None:
            yield passage
        passage = Passage(match)
    if passage is not None:
        yield passage


def search_console() -> "Console":
    """Lines are left to the terminal to fold."""
    from .terminal import console

    return console(soft_wrap=True)


def shown(passage: Passage, *, marks: bool) -> "Text":
    """The passage under where it is: `N:` before a line in which a match begins, `N-` before any other."""
    from rich.text import Text

    text = Text()
    first = passage.matches[0]
    text.append(f"{escape(first.ref)} line {first.line + 1} offset {first.offset}", BESIDE)
    if len(passage.matches) > 1:
        text.append(f" and {len(passage.matches) - 1} more, to line {passage.matches[-1].line + 1}", BESIDE)
    text.append("\n")
    begun = {match.line for match in passage.matches}
    spans = deque(_spans(passage) if marks else ())
    start = 0
    for number, line in enumerate(passage.text.removesuffix("\n").split("\n"), passage.line):
        text.append(f"{number + 1:{NUMBER_WIDTH}}{':' if number in begun else '-'}", BESIDE)
        _append_line(text, line, start, spans)
        text.append("\n")
        start += len(line) + 1
    return text


def _spans(passage: Passage) -> Iterator[tuple[int, int]]:
    for match in passage.matches:
        start = match.offset - passage.offset
        yield start, start + match.length


def _append_line(text: "Text", line: str, start: int, spans: deque[tuple[int, int]]) -> None:
    """A line that begins at `start` of its passage, safe for a terminal, and its share of the matches marked.

    Those that end in it are taken off.
    """
    at = 0
    while spans and spans[0][0] < start + len(line):
        begin, end = max(spans[0][0] - start, at), min(spans[0][1] - start, len(line))
        if begin < end:
            text.append(_safe(line[at:begin]))
            text.append(_safe(line[begin:end]), FOUND)
            at = end
        if spans[0][1] > start + len(line):
            break
        spans.popleft()
    text.append(_safe(line[at:].removesuffix("\r")))


def _safe(text: str) -> str:
    return "\t".join(escape(cell) for cell in text.split("\t"))
