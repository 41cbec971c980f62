"""Whether lines are written as code is, and not as prose or as some program's output that quotes code."""

import re

_PROSE = re.compile(
    rb"^[ \t]*(?:[*-][ \t]+)?[\"'(`]?[A-Za-z][\w'`\"-]*(?:,?[ \t][\w'`\"()/.-]+){5,}+[^\n;{}()=]*+$",
    re.MULTILINE,
)
"""Six words or more with nothing between them but blanks and commas."""
_QUOTED = re.compile(
    rb"^(?:[\w./<>+-]+:\d+[:\-]|[\w./-]+-\d+-|[ \t]*\d+[ \t]*[|:\t\xe2]|[ \t]*\|[ \t]|>>> |\.\.\. "
    rb"|[$%#>][ \t]+\w|\+\+\+ |--- |@@ |[+-](?![+-])"
    rb"|[ \t]*File \"[^\"\n]+\", line \d|[ \t]+at [\w$.<>/]+[ (]|Traceback |\[?\d{4}-\d\d-\d\d"
    rb"|\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE)\b"
    rb"|[ \t]*\^[~^]*[ \t]*\r?$|In \[\d|Out\[\d|\[[\w. -]+\]\r?$|[0-9a-f]{6,16}[ :]|\|)",
    re.MULTILINE,
)
"""How a line begins that a program put there: numbered, from a place, stamped, prompted, marked as changed."""
_FENCE = re.compile(rb"^(?:```|~~~)", re.MULTILINE)
_FILLED = re.compile(rb"^[^\n]*\S", re.MULTILINE)
_MOST_PROSE = 0.25
_MOST_QUOTED = 0.3


def is_written_as_code(rest: bytes, explained: int) -> bool:
    """Of a piece without comments: so many of its lines the language explains, the others are `rest`."""
    if _FENCE.search(rest) is not None:
        return False
    filled = explained + len(_FILLED.findall(rest))
    return len(_PROSE.findall(rest)) <= _MOST_PROSE * filled and len(_QUOTED.findall(rest)) <= _MOST_QUOTED * filled
