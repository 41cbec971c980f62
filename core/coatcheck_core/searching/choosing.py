"""From a query and its options to what finds its matches."""

import re
from functools import lru_cache

import re2

from .expressions import MAX_PROGRAM_BYTES, Expression
from .folding import PATTERN_CHARS, Folded, folded_pattern
from .matching import Literal, Matcher
from .words import Bordered, Words

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$\n]")
_KEPT = 24 * 1024 * 1024 // (2 * MAX_PROGRAM_BYTES)
"""Matchers at hand, each of one or two programs: a query comes again for each page of its matches."""


def line_matcher(expression: str, *, ignore_case: bool = False) -> Matcher:
    """What finds a regular expression within lines, each looked at alone. Raises ValueError as `matcher_for` does."""
    if not ignore_case and is_plain(expression):
        return matcher_for(expression)  # it means its own text, which is found much more quickly
    if "\n" in expression and is_plain(expression.replace("\n", "")):
        raise ValueError(
            "pattern has a line end, and lines are looked at one by one: give what is in one of them; a text over"
            " several is found by a search"
        )
    return _line_expression(expression, ignore_case)


def is_plain(expression: str) -> bool:
    """Whether it has nothing that means anything but itself, nor a line's end."""
    return _SPECIAL.search(expression) is None


@lru_cache(maxsize=_KEPT)
def _line_expression(expression: str, ignore_case: bool) -> Matcher:
    return Expression(expression, ignore_case=ignore_case, within_lines=True)


@lru_cache(maxsize=_KEPT)
def matcher_for(query: str, *, regex: bool = False, ignore_case: bool = False, whole_word: bool = False) -> Matcher:
    """What finds a literal text or a regular expression. It keeps nothing of what it has found, and may be shared.

    `ignore_case` compares full case foldings of a literal text; in an expression it is RE2's `(?i)`, simple folding.
    Raises ValueError, which says what is wrong with the query and what to do.
    """
    if not query:
        raise ValueError("query is empty: give what to search for")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise ValueError("query has half of a surrogate pair, which is no char: leave it out") from None
    if regex:
        return Words(query, ignore_case=ignore_case) if whole_word else Expression(query, ignore_case=ignore_case)
    if not ignore_case:
        return Words(re2.escape(query), longest=len(query.encode())) if whole_word else Literal(query)
    folded = Folded(query)
    if not whole_word:
        return folded
    if len(query.casefold()) > PATTERN_CHARS:
        return Bordered(folded)
    return Words(folded_pattern(query.casefold()), longest=folded.longest)
