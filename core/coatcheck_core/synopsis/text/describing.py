"""Plain text: its measure, its headings, how it opens and closes, how it went, and what its finer format tells."""

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Synopsis, TextFacts

from .excerpts import EXCERPT_CHARS, closing, opening
from .formats import details_of, has_headers
from .headers import Headers, read_headers
from .outcome import read_outcome

_SHORTER_CHARS = 240
"""Where a format's details tell more of a text than its ends do."""


def describe_text(seen: Seen, finer: str | None, broken: Broken | None = None) -> Synopsis:
    """The synopsis of a text of that format; never None, since everything that is no other kind is a text."""
    outcome = read_outcome(seen, finer)
    return Synopsis(kind="text", format=finer, facts=_facts(seen, finer), outcome=outcome, broken=broken)


def _facts(seen: Seen, finer: str | None) -> TextFacts:
    details = details_of(seen, finer)
    headers = read_headers(seen) if has_headers(finer) else Headers()
    chars = _SHORTER_CHARS if details else EXCERPT_CHARS
    return TextFacts(
        chars=seen.measures.chars,
        words=seen.measures.words,
        lines=seen.measures.lines,
        headers=headers.shown,
        header_count=headers.count,
        opening=opening(seen, chars),
        closing=closing(seen, chars),
        details=details,
    )
