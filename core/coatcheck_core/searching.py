"""Literal search in a text: matches that do not overlap, from left to right, in linear time.

A text may come in pieces, of which then only a window is held: a match may lie across them.
"""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from coatcheck_core.lines import Place


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A match. `offset`, `length` and `snippet_offset` are chars; `line` counts from 0, `byte_offset` in the text's
    encoding.
    """

    offset: int
    line: int
    byte_offset: int
    length: int
    snippet: str
    snippet_offset: int


class Matcher(Protocol):
    """What is searched for. `longest` is how many chars a match has at most: so much must be seen to rule one out."""

    longest: int

    def next(self, text: str, start: int) -> tuple[int, int] | None:
        """Where the first match lies that begins at `start` or later; none is empty."""
        ...

    def count(self, text: str) -> tuple[int, int]:
        """How many matches there are, and where the last one ends, or 0."""
        ...


class Literal:
    """A query taken as it is. Raises ValueError for an empty one."""

    def __init__(self, query: str) -> None:
        if not query:
            raise ValueError("an empty query matches everywhere")
        self._query = query
        self.longest = len(query)
        self._may_overlap = any(query.startswith(query[at:]) for at in range(1, len(query)))

    def next(self, text: str, start: int) -> tuple[int, int] | None:
        at = text.find(self._query, start)
        return None if at < 0 else (at, at + self.longest)

    def count(self, text: str) -> tuple[int, int]:
        if not self._may_overlap:
            at = text.rfind(self._query)
            return text.count(self._query), at + self.longest if at >= 0 else 0
        found = end = 0
        while (at := text.find(self._query, end)) >= 0:
            found, end = found + 1, at + self.longest
        return found, end


class Finder:
    """The matches that begin at `start` or later, each with `context_chars` of the text on either side.

    The text comes in pieces from `place` on, which is far enough before `start` for the context. `encoding` is what its
    bytes are counted in.
    """

    def __init__(
        self,
        matcher: Matcher,
        *,
        context_chars: int,
        start: int = 0,
        place: Place | None = None,
        encoding: str = "utf-8",
    ) -> None:
        place = place or Place()
        self._matcher = matcher
        self._context = context_chars
        self._encoding = encoding
        self._text = ""
        self._before = place.chars
        self._at = max(0, start - place.chars)
        self._passed, self._line, self._byte_offset = 0, place.newlines, place.bytes

    @property
    def safe(self) -> int:
        """From where to search on if no more pieces come here: what lies before has been looked at."""
        return self._before + self._at

    def feed(self, text: str, *, is_last: bool) -> Iterator[Found]:
        """The matches that are whole now, their context too. To be drained before the next piece."""
        self._text += text
        while (match := self._matcher.next(self._text, self._at)) is not None:
            start, end = match
            if end + self._context > len(self._text) and not is_last:
                self._at = start
                break
            self._pass_to(start)
            self._at = end
            left = max(0, start - self._context)
            yield Found(
                offset=self._before + start,
                line=self._line,
                byte_offset=self._byte_offset,
                length=end - start,
                snippet=self._text[left : end + self._context],
                snippet_offset=self._before + left,
            )
        if not is_last:
            self._let_go(has_match=match is not None)

    def _let_go(self, *, has_match: bool) -> None:
        """Of all but what a match that is not yet seen whole could need."""
        if not has_match:
            self._at = max(self._at, len(self._text) - self._matcher.longest + 1)
        cut = min(max(0, self._at - self._context), len(self._text))
        if cut > self._passed:
            self._pass_to(cut)
        self._text = self._text[cut:]
        self._before += cut
        self._at -= cut
        self._passed -= cut

    def _pass_to(self, at: int) -> None:
        self._line += self._text.count("\n", self._passed, at)
        self._byte_offset += self._bytes(self._passed, at)
        self._passed = at

    def _bytes(self, start: int, end: int) -> int:
        if self._encoding == "utf-8" and self._text.isascii():
            return end - start
        return len(self._text[start:end].encode(self._encoding))


class Counter:
    """How many matches there are from the beginning of a text that comes in pieces."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._rest = ""
        self.total = 0

    def feed(self, text: str) -> None:
        text = self._rest + text if self._rest else text
        found, end = self._matcher.count(text)
        self.total += found
        self._rest = text[max(end, len(text) - self._matcher.longest + 1) :]


def find(text: str, query: str, *, context_chars: int, start: int = 0) -> Iterator[Found]:
    """The matches in a whole text that begin at `start` or later, each with `context_chars` on either side.

    `query` must not be empty. Going on at the end of a match finds the same ones as never having stopped.
    """
    return Finder(Literal(query), context_chars=context_chars, start=start).feed(text, is_last=True)


def count(text: str, query: str) -> int:
    """How many matches `find` gives from the beginning."""
    return Literal(query).count(text)[0]


def narrow(snippet: str, match_start: int, match_chars: int, context_chars: int) -> tuple[str, int]:
    """A snippet with less context: the match at `match_start` of it, and how many chars were taken off its front."""
    left = max(0, match_start - context_chars)
    return snippet[left : match_start + match_chars + context_chars], left
