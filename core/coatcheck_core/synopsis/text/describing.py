"""Plain text: its measure, its headings, how it opens and closes, and what finer format it has."""

import re

from coatcheck_core.synopsis.bounds import clip, fold
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Synopsis, TextFacts

from .outcome import read_outcome

MAX_HEADERS = 18
EXCERPT_CHARS = 500

_WITHOUT_HEADERS = frozenset({"log", "diff", "json-truncated", "ndjson-truncated", "xml-truncated"})
_WINDOW_CHARS = 4000
_LONGEST_HEADER = 120
_MARKDOWN_HEADER = re.compile(r"#{1,6}\s+\S")
_NUMBERED_HEADER = re.compile(r"(?:\d{1,3}\.)+(?:\d{1,3})?\s+[A-Z]\S*(?:\s+\S+){0,9}$")
_NAMED_HEADER = re.compile(r"(?:chapter|section|part|appendix)\s+[\dIVXLCA-Z]{1,8}\b", re.IGNORECASE)
_FRAMED_HEADER = re.compile(r"(?:={2,}|-{2,}|\*{2,}|\[)\s*\w.*\w\s*(?:={2,}|-{2,}|\*{2,}|\])$")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|~{3,})\s*$")
_STAMPED = re.compile(r"\d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}")


def describe_text(seen: Seen, finer: str | None, broken: Broken | None = None) -> Synopsis:
    """The synopsis of a text of that format; never None, since everything that is no other kind is a text."""
    outcome = [] if finer in ("markdown", "html") else read_outcome(seen)
    return Synopsis(kind="text", format=finer, facts=_facts(seen, finer), outcome=outcome, broken=broken)


def _facts(seen: Seen, finer: str | None) -> TextFacts:
    text = seen.text
    headers = [] if finer in _WITHOUT_HEADERS else _headers(text)
    opening = fold(text.lstrip()[:_WINDOW_CHARS] if text[:1].isspace() else text[:_WINDOW_CHARS], EXCERPT_CHARS)
    return TextFacts(
        chars=seen.measures.chars,
        words=seen.measures.words,
        lines=seen.measures.lines,
        headers=[clip(header) for header in headers[:MAX_HEADERS]],
        header_count=len(headers),
        opening=opening,
        closing=_closing(text),
    )


def _closing(text: str) -> str:
    """The last 500 chars folded, of what comes after the first 500."""
    folded = " ".join(text[EXCERPT_CHARS:].rstrip()[-_WINDOW_CHARS:].split())
    return folded if len(folded) <= EXCERPT_CHARS else "…" + folded[-(EXCERPT_CHARS - 1) :]


def _headers(text: str) -> list[str]:
    headers: list[str] = []
    fenced = False
    lines = ["", "", *text.split("\n")]
    for at, line in enumerate(lines):
        if not line:
            continue
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced:
            continue
        elif line[0] in "=-~" and _UNDERLINE.match(line) and _is_title(lines[at - 1]) and not lines[at - 2].strip():
            headers.append(lines[at - 1].strip())
        elif len(line) <= _LONGEST_HEADER and _is_header(line, lines[at - 1]):
            headers.append(line.strip())
    return headers


def _is_header(line: str, previous: str) -> bool:
    first = line[0]
    if first == "#":
        return _MARKDOWN_HEADER.match(line) is not None
    if previous.strip():
        return False
    if first.isdigit():
        return _NUMBERED_HEADER.match(line) is not None and not _STAMPED.search(line)
    if first in "=-*[":
        return _FRAMED_HEADER.match(line.rstrip()) is not None and not _STAMPED.search(line)
    return first.isalpha() and (_is_capitals(line) or _NAMED_HEADER.match(line) is not None)


def _is_capitals(line: str) -> bool:
    bare = line.strip().rstrip(":")
    return bare.isupper() and len(bare) >= 4 and len(bare.split()) <= 10 and bare.replace(" ", "").isalpha()


def _is_title(line: str) -> bool:
    bare = line.strip()
    return 0 < len(bare) <= _LONGEST_HEADER and bare[0].isalnum() and "|" not in bare and "  " not in bare
