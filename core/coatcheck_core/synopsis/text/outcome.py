"""The lines at the end of an output that say how it went."""

import re
from collections.abc import Callable

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen

from .formats.listings import is_found
from .formats.log import is_harmless
from .telling import is_bare_total, tells, tells_surely, words_of

MAX_LINES = 6
LINE_CHARS = 200

_TAIL_CHARS = 8000
_TAIL_BYTES = 32_000
_TAIL_LINES = 25
_LONGEST_LINE = 300
"""A longer line is prose or data that happens to hold a telling word, but for the very last."""

_TIME = re.compile(r"\d:\d\d\b")
_PASSED = re.compile(r"--- PASS: |PASS\s+\S|test \S+ \.\.\. ok$|[✓✔] ")
_FIGURES = re.compile(r"[\d:.,-]+")
_DATA_LINES, _DOCUMENT_LINES, _LOG_LINES = 2, 8, 2
_DATA = frozenset({"table", "paths", "tree", "diff", "git-log", "git-oneline", "env", "hexdump"})
_DOCUMENTS = frozenset(
    {
        "code",
        "grep",
        "markdown",
        "rst",
        "html",
        "man",
        "roff",
        "pod",
        "help",
        "ini",
        "toml",
        "properties",
        "mail",
        "pem",
    }
)
"""Data and documents hold telling words of their own, but a shell adds its code."""
_OWN_LINES: dict[str, Callable[[str], bool]] = {"log": is_harmless, "grep": is_found}


def _is_strange(_line: str) -> bool:
    return False


def read_outcome(seen: Seen, finer: str | None = None) -> list[str]:
    """Of the last lines those that tell, in their order; of a document only what a shell adds to it."""
    tail = seen.between(seen.end - _TAIL_BYTES, seen.end)
    is_own = _OWN_LINES.get(finer or "", _is_strange)
    if finer in _DOCUMENTS:
        return outcome_of(tail, _DOCUMENT_LINES, lambda line: is_own(line) or not tells_surely(line))
    return outcome_of(tail, _DATA_LINES if finer in _DATA else _TAIL_LINES, is_own, spared=_LOG_LINES)


def outcome_of(
    text: str, last: int = _TAIL_LINES, is_own: Callable[[str], bool] = _is_strange, *, spared: int = 0
) -> list[str]:
    """The same, of what follows something else. What `is_own` calls the text's own tells in the `spared` last lines."""
    lines = text.rstrip()[-_TAIL_CHARS:].split("\n")[-last:]
    words = words_of("\n".join(lines))
    telling: list[str] = []
    for left, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True):
        if len(line) > _LONGEST_LINE and not (left == 0 and line.lstrip()[:1].isupper()):
            continue
        line = line[:_LONGEST_LINE].strip()
        if left >= spared and is_own(line):
            continue
        if tells(line, words) and not (left and is_bare_total(line)):
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
    """The last ones; of more than fit also the first, where trouble began.

    A test that passed is no news beside other lines, nor is what is said again.
    """
    telling = [line for line in telling if not _PASSED.match(line)] or telling
    telling = list(dict.fromkeys(reversed(telling)))[::-1]
    return telling if len(telling) <= MAX_LINES else [telling[0], *telling[-(MAX_LINES - 1) :]]
