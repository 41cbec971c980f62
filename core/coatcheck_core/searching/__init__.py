"""Search in a text, literal or by a regular expression: matches that do not overlap, from left to right.

A text may come in pieces, of which then only a window is held: a match may lie across them.
"""

from .choosing import is_plain, line_matcher, matcher_for
from .finder import Finder
from .found import SHOWN_CHARS, Found, narrow
from .inverse import InverseFinder
from .matching import LONGEST_BYTES, Literal, Matcher
from .seeking import Watch
from .whole_text import count, find

__all__ = [
    "LONGEST_BYTES",
    "SHOWN_CHARS",
    "Finder",
    "Found",
    "InverseFinder",
    "Literal",
    "Matcher",
    "Watch",
    "count",
    "find",
    "is_plain",
    "line_matcher",
    "matcher_for",
    "narrow",
]
