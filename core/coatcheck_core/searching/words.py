"""Whole words in any script: RE2's own `\\b` knows ASCII alone."""

from unicodedata import category

from .chars import MOST_CHAR_BYTES, char_start
from .expressions import closed, compiled, longest_of, most_stride_of
from .matching import NO_MATCH, Hit, Matcher

_NO_WORD = "[^\\pL\\pN\\pM_]"


class Words:
    """An expression whose matches have no letter, digit, mark or `_` right before and after them.

    Where what it prefers has one, what else it matches at the place is tried, as with `foo|foobar` in `foobar`.
    """

    def __init__(self, pattern: str, *, ignore_case: bool = False, longest: int | None = None) -> None:
        """`longest` is what the size of the program allows. Raises ValueError, which says what RE2 does not support."""
        pattern, flags = closed(pattern), "(?mi)" if ignore_case else "(?m)"
        # Alone at first, so that no ) of it ends our group, and what is said of it is said in its own terms.
        alone = compiled(pattern, flags, capturing=False)
        within = f"({pattern})(?:\\z|{_NO_WORD})"
        self._at_text_start = compiled(f"(?:\\A|{_NO_WORD}){within}", flags, capturing=True)
        self._later = compiled(f"{_NO_WORD}{within}", flags, capturing=True)
        self._most = longest or longest_of(alone)
        self.longest = self._most + 2 * MOST_CHAR_BYTES
        self.most_stride = most_stride_of(alone)

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        expression, begin = (self._later, char_start(data, start - 1)) if start else (self._at_text_start, 0)
        match = expression.search(data, begin, stop)
        if match is None:
            return None
        begin, end = match.span(1)
        if end - begin > self._most:
            match = expression.match(data, match.start(), begin + self._most + MOST_CHAR_BYTES)
            return begin, NO_MATCH if match is None or match.end(1) > begin + self._most else match.end(1)
        return begin, end


class Bordered:
    """Whole words among the matches of what has at most one match at a place."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self.longest = matcher.longest + MOST_CHAR_BYTES
        self.most_stride = matcher.most_stride

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        hit = self._matcher.next(data, start, stop)
        if hit is None or hit[1] == NO_MATCH:
            return hit
        begin, end = hit
        before = data[char_start(data, begin - 1) : begin] if begin else b""
        after = data[end : end + MOST_CHAR_BYTES].decode(errors="ignore")[:1]
        return begin, NO_MATCH if _is_word(before.decode()) or _is_word(after) else end


def _is_word(char: str) -> bool:
    return char != "" and (char == "_" or category(char)[0] in "LNM")
