"""Logs: lines that begin with a time or a level, and what continues them."""

import re
from collections import Counter

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import Tally, text
from .probe import Format, Probe

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_STAMP = (
    r"\d{4}[-/.]\d{2}[-/.]\d{2}(?:[T ]|\s-\s)\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|\s?[+-]\d{2}:?\d{2})?"
    rf"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat"
    rf"|Sun)\s)?{_MONTH}\s+\d{{1,2}},?\s(?:\d{{4}},?\s)?\d{{1,2}}:\d{{2}}:\d{{2}}(?:\.\d+)?"
    rf"|\d{{1,2}}[/-]{_MONTH}[/-]\d{{4}}[: ]\d{{2}}:\d{{2}}:\d{{2}}"
    rf"|\d{{2}}[-/]\d{{2}}(?:[-/]\d{{2,4}})?\s\d{{2}}:\d{{2}}:\d{{2}}(?:[.,]\d+)?"
    r"|\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,6})?\b"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE|ALERT|EMERG|PANIC|FINE|CONFIG)"
_LINE = re.compile(
    rf"[\[(<]?(?:{_STAMP})"
    rf"|[\[(<]?{_LEVEL}\b(?![=\w]|\s*=)[\]):| ]?|[\[(<](?:trace|debug|info|notice|warn|warning|error|fatal"
    rf"|critical)[\])>]"
    r"|(?:debug|info|warning|warn|error|notice|critical):\s"
    r"|[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+|\[\s*\d{1,7}\.\d{3,6}\]\s"  # klog; the kernel's ring
    rf"|(?:time|ts|timestamp|date|level|lvl|at)=\S|\d{{10}}(?:\.\d+)?\s"  # logfmt; seconds since 1970
    rf"|\S{{1,60}} \S{{1,40}} \S{{1,60}} \[\d{{2}}/{_MONTH}/\d{{4}}"  # a web server's access log
    rf"|[\w./-]{{1,60}}\s*\| (?:[\[(]?(?:{_STAMP})|{_LEVEL}\b)"  # of several containers
    rf"|\S{{1,40}} (?:[\[(]?(?:{_STAMP}))|npm (?:ERR!|WARN|info|http|verb|sill|error|warn|notice)\b"
)
_CONTINUED = re.compile(
    r"\s|Traceback \(most|Caused by:|\.\.\. \d+ more|[\w.]+(?:Error|Exception)\b|at |\}|\]|goroutine "
    r"|[-=*#]{3,}|During handling|The above exc"
)
_LEAST_LINES = 3
_TIME_IN_LINE = re.compile(_STAMP)
_LEVELED = re.compile(
    rb"\n[^\n]{0,120}?(?:"
    rb"(?<![A-Za-z0-9_.])(TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR!?|FATAL|CRITICAL|SEVERE|ALERT|EMERG"
    rb"|PANIC)(?![A-Za-z0-9_])"
    rb"|[\[<(](trace|debug|info|notice|warn|warning|error|crit|alert|emerg|fatal|critical)[\])>]"
    rb'|\b(?:level|lvl|severity)"?[=:]\s?"?(trace|debug|info|notice|warn|warning|error|fatal|critical|panic)\b'
    rb"|(?<=\n)([IWEF])(?=\d{4} \d\d:\d\d:\d\d))([^\n]{0,200}+)"
)
_KLOG = {b"I": b"INFO", b"W": b"WARNING", b"E": b"ERROR", b"F": b"FATAL"}
_BAD = frozenset({b"ERROR", b"ERR", b"ERR!", b"FATAL", b"CRITICAL", b"CRIT", b"SEVERE", b"ALERT", b"EMERG", b"PANIC"})
_FIGURES = re.compile(rb"0x[0-9a-fA-F]+|\d+")
_STATUS = re.compile(rb'\n[^\n"]{5,200}+"[A-Z]{3,10} [^\n"]{1,2000}+" (\d{3}) ')
_SHOWN_ERRORS = 3


def matches(probe: Probe) -> bool:
    """Most lines begin with a time or a level; or some do, and the others continue them."""
    return is_log(probe.bare)


def is_log(lines: list[str]) -> bool:
    """Of lines that are not blank, three at least."""
    if len(lines) < _LEAST_LINES:
        return False
    stamped = [_LINE.match(line) is not None for line in lines]
    count = sum(stamped)
    if count >= 0.6 * len(lines):
        return True
    continued = sum(not own and _CONTINUED.match(line) is not None for own, line in zip(stamped, lines, strict=True))
    return count >= _LEAST_LINES and count >= 0.1 * len(lines) and count + continued >= 0.9 * len(lines)


def details(seen: Seen) -> list[Detail]:
    """The lines of each level, the first and the last time, and what was most often logged as an error.

    A line's level is the first that stands in it as one; figures in messages count as equal.
    """
    levels: Counter[bytes] = Counter()
    errors = Tally()
    for window in seen.windows():
        found = _LEVELED.findall(window.text, window.start - 1, window.end)
        named = [(upper or lower or field or _KLOG[letter]).upper() for upper, lower, field, letter, _ in found]
        levels.update(named)
        bad = [match[4] for name, match in zip(named, found, strict=True) if name in _BAD]
        errors.add(_FIGURES.sub(b"#", message.lstrip(b"]>): \t|!-")) for message in bad)
    told = [Detail(name="lines by level", values=[f"{text(name)} {count}" for name, count in levels.most_common(8)])]
    times = _times(seen)
    return [
        *(told if levels else _statuses(seen)),
        *([Detail(name="from, to", values=times)] if times else []),
        *errors.detail("different errors, figures as #", _SHOWN_ERRORS),
    ]


def _statuses(seen: Seen) -> list[Detail]:
    """What a web server answered, by status."""
    tally = Tally()
    for window in seen.windows():
        tally.add(_STATUS.findall(window.text, window.start - 1, window.end))
    return tally.detail("statuses", 8)


def _times(seen: Seen) -> list[str]:
    """The first and the last in the text; empty where neither end has one."""
    first = next(
        (match[0] for line in seen.head(8000).split("\n") if (match := _TIME_IN_LINE.search(line[:200]))), None
    )
    tail = reversed(seen.between(seen.end - 16_000, seen.end).split("\n"))
    last = next((match[0] for line in tail if (match := _TIME_IN_LINE.search(line[:200]))), None)
    return [time for time in (first, last) if time is not None] if first and last else []


LOG = Format("log", matches, details)
