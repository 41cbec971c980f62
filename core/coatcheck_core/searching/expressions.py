"""Regular expressions in linear time, by RE2 (https://github.com/google/re2/wiki/Syntax), on bytes of UTF-8."""

import re
from collections.abc import Iterator
from typing import Any

import re2

from .matching import LONGEST_BYTES, MOST_STRIDE_BYTES, NO_MATCH, Hit
from .refusals import refusal

MAX_PROGRAM_BYTES = 4 * 1024 * 1024
"""What one expression may take in memory, the states of its automaton included."""
_MOST_STEPS = 32 * 1024 * 1024
_SHORTEST_BYTES = 1024
"""At its slowest RE2 takes a step for each instruction of its program at each byte, some ten nanoseconds; and it cannot
be interrupted. So far as one match may go it must have looked, and that is to take less than a second.
"""
_MOST_OPTIONAL = 4000
_RANGE = re.compile(r"\{([0-9]{1,9}),([0-9]{1,9})\}")
"""What such ranges leave open, in all: RE2 makes one of neighbours that are alike, each copy within the one before, and
takes seconds over some ten thousand of them, during which no other thread of the process runs.
"""
_ANY_BYTE = "\\C"


class Expression:
    """`^` and `$` are the ends of lines, which end at `\\n` alone; `\\A` and `\\z` are the text's.

    A match is what the expression prefers, as in Perl, at the first place where it matches at all, among those of at
    most `longest` bytes; where there is none of these, the end is `NO_MATCH`.
    """

    def __init__(
        self, pattern: str, *, ignore_case: bool = False, longest: int | None = None, within_lines: bool = False
    ) -> None:
        """`longest` is what the size of the program allows; `within_lines`: nothing in it matches a line's end.

        Raises ValueError, which says what RE2 does not support.
        """
        flags = "(?mi)" if ignore_case else "(?m)"
        self._compiled = compiled(closed(pattern), flags, capturing=False, within_lines=within_lines)
        self.longest = longest or longest_of(self._compiled)
        self.most_stride = most_stride_of(self._compiled)

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        match = self._compiled.search(data, start, stop)
        if match is None:
            return None
        begin, end = match.span()
        if end - begin > self.longest:
            match = self._compiled.match(data, begin, begin + self.longest)
            return begin, NO_MATCH if match is None else match.end()
        return begin, end


def longest_of(compiled_expression: Any) -> int:
    """How many bytes a match may have: `LONGEST_BYTES` up to 512 instructions, and less for more."""
    instructions: int = compiled_expression.programsize
    return max(_SHORTEST_BYTES, min(LONGEST_BYTES, _MOST_STEPS // instructions))


def most_stride_of(compiled_expression: Any) -> int:
    """How many bytes one look may be for besides a match: so that it takes about a second at the slowest."""
    instructions: int = compiled_expression.programsize
    return max(_SHORTEST_BYTES, min(MOST_STRIDE_BYTES, 2 * _MOST_STEPS // instructions))


def compiled(pattern: str, flags: str, *, capturing: bool, within_lines: bool = False) -> Any:
    """What RE2 makes of a pattern. Raises ValueError, which says what it does not support."""
    options = re2.Options()
    options.max_mem = MAX_PROGRAM_BYTES
    options.log_errors = False
    options.never_capture = not capturing
    options.never_nl = within_lines
    try:
        return re2.compile((flags + pattern).encode(), options)
    except UnicodeEncodeError:
        raise ValueError("the expression has half of a surrogate pair, which is no char: leave it out") from None
    except re2.error as error:
        raise ValueError(refusal(_reason(error), flags)) from None
    finally:
        # It keeps a hundred of them otherwise; how many are kept is decided where they are asked for.
        re2.purge()


def closed(pattern: str) -> str:
    """The pattern with a `\\Q` that is not ended ended, so that more can come after it.

    Raises ValueError for what RE2 would take but is not offered: `\\C`, by which a match could end within a char, and
    ranges of repetitions that take it too long.
    """
    optional = sum(max(0, int(most) - int(least)) for least, most in _RANGE.findall(pattern))
    if optional > _MOST_OPTIONAL:
        raise ValueError(
            f"the expression has ranges of repetitions such as {{0,1000}} that come to {optional} optional copies, and "
            f"{_MOST_OPTIONAL} is the most: use * or +, or smaller ranges"
        )
    is_quoted = False
    for escape in _escapes(pattern):
        if is_quoted:
            is_quoted = escape != "\\E"
        elif escape == "\\Q":
            is_quoted = True
        elif escape == _ANY_BYTE:
            raise ValueError(
                "the expression has \\C, which could match part of a char: use . or (?s:.) for a whole one"
            )
    return f"{pattern}\\E" if is_quoted else pattern


def _escapes(pattern: str) -> Iterator[str]:
    """Each backslash with the char that it escapes; within a quote every backslash stands for itself but in `\\E`."""
    at, is_quoted = 0, False
    while (at := pattern.find("\\E" if is_quoted else "\\", at)) >= 0:
        escape = pattern[at : at + 2]
        is_quoted = escape == "\\Q"
        yield escape
        at += 2


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else b""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
