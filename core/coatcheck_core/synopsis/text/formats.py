"""Finer formats of a text. They never change its kind."""

import re

from coatcheck_core.synopsis.seen import Seen

_PROBED_LINES = 60
_PROBED_CHARS = 12_000
_LOG = re.compile(
    r"[\[(]?(?:\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}|\d{2}:\d{2}:\d{2}\b|[A-Z][a-z]{2}\s+\d{1,2}\s\d{2}:\d{2}:\d{2}"
    r"|\d{2}/[A-Z][a-z]{2}/\d{4}|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
    r"|\S{1,60}\s\S{1,20}\s\S{1,40}\s\[\d{2}/[A-Z][a-z]{2}/\d{4}"
)
_HEADING = re.compile(r"#{1,6}\s+\S")
_MARKDOWN = re.compile(r"```|~~~|[-*]\s+(?:\[[ xX]\]|\*\*\w)|.{0,300}?\w?\[[^\]\n]{1,200}\]\([^)\n]{1,300}\)")
_TRACEBACKS = ("Traceback (most recent call last):", "Exception in thread ", "panic: ", "goroutine ")


def text_format(seen: Seen) -> str | None:
    """What its first lines (and, of a traceback, its last) look like."""
    head = seen.head(4 * _PROBED_CHARS)[:_PROBED_CHARS]
    every = [line[:400] for line in head.split("\n", _PROBED_LINES)[:_PROBED_LINES]]
    lines = [line for line in every if line.strip()]
    if _is_html(head):
        return "html"
    if _is_diff(lines):
        return "diff"
    if is_log(lines):
        return "log"
    if any(line.startswith(_TRACEBACKS) for line in (*lines[:3], *seen.tail(6000).split("\n"))):
        return "traceback"
    if is_markdown(every):
        return "markdown"
    if any(_is_rule(line) for line in lines[1:4]):
        return "table"
    return None


def is_log(lines: list[str]) -> bool:
    """Most lines begin with a time or a level."""
    return len(lines) >= 3 and sum(1 for line in lines if _LOG.match(line)) >= 0.6 * len(lines)


def is_markdown(lines: list[str]) -> bool:
    """Two marks that only Markdown has; a `#` without blank lines around it begins a comment elsewhere."""
    around = ["", *lines, ""]
    headings = sum(
        1
        for at, line in enumerate(lines)
        if line.startswith("#") and _HEADING.match(line) and not around[at].strip() and not around[at + 2].strip()
    )
    return headings + sum(1 for line in lines if _MARKDOWN.match(line)) >= 2


def _is_html(head: str) -> bool:
    start = head.lstrip()[:1000].lower()
    return start.startswith(("<!doctype html", "<html")) or ("<html" in start and start.startswith("<"))


def _is_rule(line: str) -> bool:
    """The line between a table's header and its rows: `---+---`, `|---|---|` or `=== ===`."""
    bare = line.strip()
    drawn = ("---" in bare or "===" in bare) and not bare.strip("|+-=: ")
    return drawn and any(between in bare for between in "|+ ")


def _is_diff(lines: list[str]) -> bool:
    if lines and lines[0].startswith(("diff --git ", "Index: ")):
        return True
    heads = [line[:4] for line in lines[:12]]
    return "--- " in heads and "+++ " in heads and "@@ -" in heads
