"""The lines at the end of an output that say how it went."""

import re

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen

MAX_LINES = 6
LINE_CHARS = 200

_TAIL_CHARS = 8000
_TAIL_BYTES = 32_000
_TAIL_LINES = 25
_LONGEST_LINE = 300
"""A longer line is prose or data that happens to hold a telling word."""
_TELLING = re.compile(
    r"""
      \bexit(?:ed|\s?code|\s?status)?\b[^\n]{0,30}\d
    | \breturn(?:ed)?\s(?:code|status)\b
    | ^\s*(?:totals?|sum|summary|results?)\b[^\n]{0,40}\d
    | ^\s*(?:result|status)\s?[:=]
    | \b\d+[ ](?:passed|failed|errors?|warnings?|failures?|skipped|tests?|succeeded|rows?|files?\s+changed|problems?)\b
    | \b(?:build|tests?|compilation|deploy(?:ment)?|command|job|task|pipeline)\b[^\n]{0,30}
      \b(?:succeeded|successful|success|failed|failure|passed|completed?|aborted|cancelled)\b
    | \b(?:finished|completed|done|took|elapsed)\b[^\n]{0,20}\b(?:in|after|:)\s*\d
    | ^\s*(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit)\b(?::|\s*$)
    | (?<!["'\w])(?:fatal|panic|error|failed|failure|killed|aborted|segmentation\sfault|denied|timed\sout)(?!["'\w])
    | ^\s*make(?:\[\d+\])?:\s\*\*\*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BARE_TOTAL = re.compile(r"\s*totals?\W*\d+\s*", re.IGNORECASE)
"""`total 40` says how it went only at the very end: `ls -lR` has one for each folder."""


def read_outcome(seen: Seen) -> list[str]:
    """Of the last lines those that tell, in their order; empty where none does."""
    return outcome_of(seen.tail(_TAIL_BYTES))


def outcome_of(text: str) -> list[str]:
    """The same, of what follows something else."""
    lines = text.rstrip()[-_TAIL_CHARS:].split("\n")[-_TAIL_LINES:]
    telling = [
        line.strip()
        for line in lines
        if len(line) <= _LONGEST_LINE
        and _TELLING.search(line)
        and (line is lines[-1] or not _BARE_TOTAL.fullmatch(line))
    ]
    return [clip(line, LINE_CHARS) for line in telling[-MAX_LINES:]]
