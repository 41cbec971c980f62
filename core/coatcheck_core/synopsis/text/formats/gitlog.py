"""`git log`: commits, who made them, and when."""

import re

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import Tally, text
from .probe import Format, Probe

_SHOWN_AUTHORS = 5
_COMMIT = re.compile(r"[*|/\\ ]*commit [0-9a-f]{7,64}\b")
_ONE_LINE = re.compile(r"[*|/\\ ]*[0-9a-f]{7,40} (?:\([^)\n]{1,200}\) )?\S")
_BLAME = re.compile(
    r"\^?[0-9a-f]{7,40} (?:[^\s(]{1,200} +)?\([^\n]{1,100}? \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4} +\d+\)"
)
_FOUND_BLAME = re.compile(
    rb"\n\^?[0-9a-f]{7,40} (?:[^\s(]{1,200} +)?\(([^\n]{1,100}?) +(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d [-+]\d{4} +\d+\)"
)
_FOUND = re.compile(
    rb"\n(?:[*|/\\ ]*(?P<commit>commit) [0-9a-f]{7,64}\b|[|/\\ ]*Author:\s+(?P<author>[^<\n]{1,150})"
    rb"|[|/\\ ]*(?:Author)?Date:\s+(?P<date>[^\n]{1,60}))"
)


def is_log(probe: Probe) -> bool:
    """A commit's head in the first lines, with its author or its tree."""
    if (
        not probe.bare
        or "commit " not in probe.head
        or not (_COMMIT.match(probe.bare[0]) or any(map(_COMMIT.match, probe.bare[:40])))
    ):
        return False
    named = any(re.match(r"[*|/\\ ]*(?:Author|tree|Date|AuthorDate|Merge)[: ]", line) for line in probe.bare[:60])
    return named and (
        _COMMIT.match(probe.bare[0]) is not None or probe.share(re.compile(r"    |commit |Author:|Date:")) > 0.9
    )


def is_one_line(probe: Probe) -> bool:
    """`git log --oneline`: abbreviated hashes of one length, then words."""
    if len(probe.bare) < 3 or not probe.mostly(_ONE_LINE, 0.95) or is_blame(probe):
        return False
    hashes = [line.lstrip("*|/\\ ").split(" ", 1)[0] for line in probe.bare]
    mixed = sum(any(char.isdigit() for char in found) and not found.isdigit() for found in hashes)
    return len(set(map(len, hashes))) <= 3 and mixed >= 0.7 * len(hashes)


def is_blame(probe: Probe) -> bool:
    """`git blame`: who wrote each line of a file, and when."""
    return len(probe.bare) > 1 and "(" in probe.bare[0] and probe.mostly(_BLAME, 0.9)


def blame_details(seen: Seen) -> list[Detail]:
    """Lines, whose they are, and the days of the oldest and the newest."""
    authors = Tally()
    days: set[bytes] = set()
    for window in seen.windows():
        found = found_in(window, _FOUND_BLAME)
        authors.add(author for author, _ in found)
        written = {day for _, day in found}
        days = {min(days | written), max(days | written)} if days | written else days
    return [
        Detail(name="lines", count=authors.counts.total()),
        *authors.detail("authors, by lines", _SHOWN_AUTHORS),
        *([Detail(name="written from, to", values=[text(min(days)), text(max(days))])] if days else []),
    ]


def details(seen: Seen) -> list[Detail]:
    """Commits, authors by commits, the newest and the oldest date as they stand."""
    commits = 0
    authors = Tally()
    first = last = b""
    for window in seen.windows():
        found = found_in(window, _FOUND)
        commits += sum(1 for commit, _, _ in found if commit)
        authors.add(author.strip() for _, author, _ in found if author)
        dates = [date for _, _, date in found if date]
        first, last = first or (dates[0] if dates else b""), dates[-1] if dates else last
    return [
        Detail(name="commits", count=commits),
        *authors.detail("authors, by commits", _SHOWN_AUTHORS),
        *([Detail(name="dates, first and last shown", values=[text(first), text(last)])] if first else []),
    ]


def one_line_details(seen: Seen) -> list[Detail]:
    found = re.compile(rb"\n[*|/\\ ]*[0-9a-f]{7,40} ")
    commits = sum(len(found_in(window, found)) for window in seen.windows())
    return [Detail(name="commits", count=commits)]


GIT_LOG = Format("git-log", is_log, details)
GIT_ONE_LINE = Format("git-oneline", is_one_line, one_line_details)
GIT_BLAME = Format("git-blame", is_blame, blame_details)
