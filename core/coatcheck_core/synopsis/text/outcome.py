"""The lines at the end of an output that say how it went."""

import re
from collections.abc import Callable

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen

from .formats.listings import is_found
from .formats.log import is_harmless
from .telling import is_bare_total, tells

MAX_LINES = 6
LINE_CHARS = 200

_TAIL_CHARS = 8000
_TAIL_BYTES = 32_000
_TAIL_LINES = 25
_LONGEST_LINE = 300
"""A longer line is prose or data that happens to hold a telling word, but for the very last."""

_TIME = re.compile(r"\d:\d\d\b")
_FIGURES = re.compile(r"[\d:.,-]+")
_DATA, _DOCUMENT = 2, 1
_LINES_BY_FORMAT = {
    **dict.fromkeys(("table", "paths", "tree", "diff", "git-log", "git-oneline", "env", "hexdump"), _DATA),
    **dict.fromkeys(
        ("grep", "markdown", "rst", "html", "man", "roff", "ini", "toml", "properties", "mail", "pem"), _DOCUMENT
    ),
}
"""Of how many lines at the end: data and documents hold telling words of their own, but a shell adds its code."""
_OWN_LINES: dict[str, Callable[[str], bool]] = {"log": is_harmless, "grep": is_found}


def _is_strange(_line: str) -> bool:
    return False


def read_outcome(seen: Seen, finer: str | None = None) -> list[str]:
    """Of the last lines those that tell, in their order; of a document only the very last may."""
    last = _LINES_BY_FORMAT.get(finer or "", _TAIL_LINES)
    is_own = _OWN_LINES.get(finer or "", _is_strange)
    return outcome_of(seen.between(seen.end - _TAIL_BYTES, seen.end), last, is_own)


def outcome_of(text: str, last: int = _TAIL_LINES, is_own: Callable[[str], bool] = _is_strange) -> list[str]:
    """The same, of what follows something else. Lines that `is_own` says are of a log tell among the last two alone."""
    lines = text.rstrip()[-_TAIL_CHARS:].split("\n")[-last:]
    telling: list[str] = []
    for left, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True):
        if len(line) > _LONGEST_LINE and not (left == 0 and line.lstrip()[:1].isupper()):
            continue
        line = line[:_LONGEST_LINE].strip()
        is_content = (left > 1 or last == _DOCUMENT) and is_own(line)
        if tells(line) and not is_content and not (left and is_bare_total(line)):
            if telling and _is_like(telling[-1], line):
                telling.pop()
            telling.append(line)
    return [clip(line, LINE_CHARS) for line in _worth(telling)]


def _is_like(line: str, next_line: str) -> bool:
    """The same, or of two lines with a time the same words with other figures: the later one tells as much."""
    if line == next_line:
        return True
    return _TIME.search(line) is not None and _FIGURES.sub("", line) == _FIGURES.sub("", next_line)


def _worth(telling: list[str]) -> list[str]:
    """The last ones; of more than fit also the first, where trouble began."""
    return telling if len(telling) <= MAX_LINES else [telling[0], *telling[-(MAX_LINES - 1) :]]
