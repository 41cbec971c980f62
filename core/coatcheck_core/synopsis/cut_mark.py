"""The words that tools put where they cut a text, such as `... [truncated]` or `[120 more lines]`."""

import re

from .seen import Seen

_TAIL_BYTES = 200
_MARK = re.compile(
    r"""
    \s*+(?:
        (?:\.{3,}+|…)?\s*+
        [\[(<{*]++\s*+(?:\.{3}|…|-++)?\s*+[^\[\](){}<>"\n]{0,60}?
        \b(?:truncated|omitted|clipped|elided|cut\ off
          | (?:more|remaining)\s(?:lines|chars|characters|bytes|tokens|rows|items))\b
        [^\[\](){}<>"\n]{0,60}[\])>}*]+
      | (?:\.{3,}+|…)\s*+
        (?:\(?\+?\d[\d,]*\s(?:more|further|remaining)\b[^\n]{0,40}
          | (?:output|content|result|text|response)?\s?(?:truncated|omitted)\b[^\n]{0,60})?
      | (?:output|content|result|text|response)\s(?:was\s)?(?:truncated|cut\ off)\b[^\n]{0,60}
    )\s*\Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Beside or below the text. Before it nothing is looked at, so that the place is the earliest from which it matches."""


def cut_mark(seen: Seen) -> int | None:
    """Where in `seen.data` a mark at its end begins, with the white space before it; None where there is none."""
    tail = seen.between(seen.end - _TAIL_BYTES, seen.end)
    match = _MARK.search(tail)
    return None if match is None else seen.end - len(tail[match.start() :].encode())
