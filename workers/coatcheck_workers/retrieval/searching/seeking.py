"""What one request searches for, and how long."""

from coatcheck_core.searching import Finder, InverseFinder, Literal, Matcher, Watch, matcher_for
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_QUERY_CHARS, SearchRequest

from ..limits import check_limit
from ..pace import Clock, Pace

COUNT_SECONDS = 1.0
"""Once a reply is full, matches are counted for so long at most: a total is nice to know, but they are wanted now."""


class Seeking:
    """One request's search, to be used by one thread at a time; `once_a_line` is as a finder has it."""

    def __init__(
        self, request: SearchRequest, matcher: Matcher, *, deadline: float, clock: Clock, once_a_line: bool = False
    ) -> None:
        self.context_chars = request.context_chars
        self._once_a_line = once_a_line
        self._matcher = matcher
        self._kind = InverseFinder if request.invert else Finder
        self._is_counting = False
        is_quick = isinstance(matcher, Literal) and not request.invert
        self.pace = Pace(deadline=deadline, clock=clock, is_quick=is_quick)

    @property
    def least_before(self) -> int:
        """So many chars before the first one to search are needed: what holds at a match's start depends on one."""
        return max(1, self.context_chars)

    def count_on(self) -> None:
        """The reply is full: the time ends soon."""
        if not self._is_counting:
            self._is_counting = True
            self.pace.end_within(COUNT_SECONDS)

    def finder(self, start: int, encoding: str, watch: Watch) -> Finder | InverseFinder:
        """For a text from the char `start` on; what it is fed begins `least_before` chars before, or at the text's."""
        return self._kind(
            self._matcher,
            context_chars=self.context_chars,
            start=start,
            encoding=encoding,
            watch=watch,
            once_a_line=self._once_a_line,
        )


def seeking_for(request: SearchRequest, *, deadline: float, clock: Clock) -> Seeking:
    """Raises RequestError `invalid_argument`, which says what is wrong with the request."""
    if len(request.query) > MAX_QUERY_CHARS:
        raise _refused(f"query may have {MAX_QUERY_CHARS} chars, and this one has {len(request.query)}")
    if not 0 <= request.context_chars <= MAX_CONTEXT_CHARS:
        raise _refused(f"context_chars must lie between 0 and {MAX_CONTEXT_CHARS}")
    check_limit(request.limit)
    try:
        matcher = matcher_for(
            request.query, regex=request.regex, ignore_case=request.ignore_case, whole_word=request.whole_word
        )
    except ValueError as error:
        raise _refused(str(error)) from None
    return Seeking(request, matcher, deadline=deadline, clock=clock)


def _refused(message: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, message)
