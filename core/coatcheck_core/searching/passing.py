"""What all that is found in a text that passes is found with."""

from typing import TypedDict, Unpack

from coatcheck_core.encodings import UTF_8

from .matching import Matcher
from .seeking import NoWatch, Seeker, Watch
from .stretch import Stretch


class Options(TypedDict, total=False):
    """Of a search; `context_chars` is 0, `start` the text's beginning unless given.

    `once_a_line`: of the matches that begin in one line the first alone is wanted.
    """

    context_chars: int
    start: int
    encoding: str
    watch: Watch | None
    once_a_line: bool


class Passing:
    """A search of a text that passes, from the char `start` on, each find with `context_chars` on either side.

    What is fed begins at least `least_before` chars before `start`, or at the text's beginning; `encoding` is its.
    When the `watch` is over the search pauses, after one look at least: asked again, it goes on where it was.
    """

    def __init__(self, matcher: Matcher, **options: Unpack[Options]) -> None:
        self._start = options.get("start", 0)
        self._context = options.get("context_chars", 0)
        self._stretch = Stretch(options.get("encoding", UTF_8))
        self._watch = options.get("watch") or NoWatch()
        self._seeker = Seeker(matcher, self._stretch, start=self._start, watch=self._watch)

    @property
    def is_within_line(self) -> bool:
        """Whether it has looked at some of a line which can only be given once its end has come."""
        return False
