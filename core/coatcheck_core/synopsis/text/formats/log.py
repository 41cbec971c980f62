"""Logs: lines that begin with a time or a level, and what continues them."""

import re
from collections import Counter

from coatcheck_core.synopsis.blocks import Window, found_in
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
    rf"|\d{{1,2}} {_MONTH} \d{{4}} \d{{2}}:\d{{2}}:\d{{2}}(?:\.\d+)?|\d{{1,2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,6}})?\b"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE|ALERT|EMERG|PANIC|FINE|CONFIG)"
_LINE = re.compile(
    rf"[\[(<]?(?:{_STAMP})"
    rf"|[\[(<]?{_LEVEL}\b(?![=\w]|\s*=)[\]):| ]?|[\[(<](?:trace|debug|info|notice|warn|warning|error|fatal"
    rf"|critical)[\])>]"
    r"|(?:debug|info|warning|warn|error|notice|critical):\s"
    r"|[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+|\[\s*\d{1,7}\.\d{3,6}\]\s"  # klog; the kernel's ring
    rf"|(?:time|ts|timestamp|date|level|lvl|at)=\S|\d{{10}}(?:\.\d+)?\s"  # logfmt; seconds since 1970
    rf"|\d+:[A-Z] \d|\S{{1,60}}+ \S{{1,40}}+ \S{{1,60}}+ \[\d{{2}}/{_MONTH}/\d{{4}}"  # a web server's access log
    rf"|[\w./-]{{1,60}}+\s*+\| (?:[\[(]?(?:{_STAMP})|{_LEVEL}\b)"  # of several containers
    rf"|\S{{1,40}}+ (?:[\[(]?(?:{_STAMP}))|npm (?:ERR!|WARN|info|http|verb|sill|error|warn|notice)\b"
)
_CONTINUED = re.compile(
    r"\s|Traceback \(most|Caused by:|\.\.\. \d+ more|[\w.]+(?:Error|Exception)\b|at |\}|\]|goroutine "
    r"|[-=*#]{3,}|During handling|The above exc"
)
_BAD_LINE = re.compile(
    r"(?<![\w.])(?:ERROR|ERR!?|FATAL|CRITICAL|SEVERE|ALERT|EMERG|PANIC|FAILURE)(?!\w)|\[(?:error|crit|alert"
    r"|emerg|fatal)\]"
    r"|(?:level|lvl|severity)\"?[=:]\s?\"?(?:error|fatal|critical|panic)\b|^[EF]\d{4} |\bexit(?:ed)?\b.{0,20}\d"
    r"|^error: "
)
_LEAST_LINES = 3
_TIME_IN_LINE = re.compile(_STAMP)
_SKIPPED = rb"(?:[^\nA-Z]*+(?!%s)[A-Z]++){0,16}+[^\nA-Z]*+"
_UPPER_NAMES = (
    *(b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARNING", b"WARN", b"ERROR", b"ERR", b"FATAL", b"CRITICAL", b"SEVERE"),
    *(b"ALERT", b"EMERG", b"PANIC"),
)
_UPPER = rb"(?<![A-Za-z0-9_.])(?:" + b"|".join(_UPPER_NAMES) + rb")(?![A-Za-z0-9_])"
_LEVELS = (
    re.compile(rb"\n" + _SKIPPED % _UPPER + rb"(" + _UPPER + rb")"),
    re.compile(
        rb"\n[^\n\[<(]{0,120}+[\[<(](trace|debug|info|notice|warn|warning|error|crit|alert|emerg|fatal"
        rb"|critical)[\])>]"
    ),
    re.compile(rb"\n(?:\[[^\n\]]*+\] ?)*+\[(?:\w+:)?(trace|debug|info|notice|warn|warning|error|crit|alert|emerg)\]"),
    re.compile(rb'level"?[=:]\s?"?([A-Za-z]{3,8})\b'),
    re.compile(rb'lvl"?[=:]\s?"?([A-Za-z]{3,8})\b'),
    re.compile(rb'severity"?[=:]\s?"?([A-Za-z]{3,8})\b'),
    re.compile(rb"\n([IWEF])(?=\d{4} \d\d:\d\d:\d\d)"),
    re.compile(rb"\n(debug|info|warning|warn|error|notice|critical): "),
)
"""How a line may say its level; a log has one of these ways."""
_KLOG = {b"I": b"INFO", b"W": b"WARNING", b"E": b"ERROR", b"F": b"FATAL"}
_BAD = frozenset({b"ERROR", b"ERR", b"ERR!", b"FATAL", b"CRITICAL", b"CRIT", b"SEVERE", b"ALERT", b"EMERG", b"PANIC"})
_FIGURES = bytes.maketrans(b"0123456789", b"#" * 10)
_LAST_COLUMN = 80
_STATUS = re.compile(rb'\n[^\n"]{5,200}+"[A-Z]{3,10} [^\n"]{1,2000}+" (\d{3}) ')
_KLOG_ERROR = re.compile(rb"\n[EF]\d{4} \S+ +\d+ ([^\n]{1,160}+)")
_SHOWN_ERRORS = 3
_SHOWN_LEVELS = 8
_HEAD_BYTES = 12_000


def matches(probe: Probe) -> bool:
    """Most lines begin with a time or a level; or some do, and the others continue them."""
    return probe.may_have(_LINE) and is_log(probe.bare)


def is_log(lines: list[str]) -> bool:
    """Of lines that are not blank, three at least."""
    if len(lines) < _LEAST_LINES:
        return False
    stamped = continued = others = 0
    for line in lines:
        if _LINE.match(line):
            stamped += 1
        elif _CONTINUED.match(line):
            continued += 1
        else:
            others += 1
            if others > 0.4 * len(lines):
                return False
    if stamped >= 0.6 * len(lines):
        return True
    return stamped >= _LEAST_LINES and stamped >= 0.1 * len(lines) and stamped + continued >= 0.9 * len(lines)


def is_harmless(line: str) -> bool:
    """A log's line without a level of trouble; what continues one, or comes after the log, is none."""
    return _LINE.match(line) is not None and _BAD_LINE.search(line) is None


def details(seen: Seen) -> list[Detail]:
    """The lines of each level, the first and the last time, and what was most often logged as an error.

    A line's level is the first that it says in the way in which most of the first lines do.
    """
    head = b"\n" + seen.data[: seen.data.rfind(b"\n", 0, _HEAD_BYTES) + 1]
    way = max(_LEVELS, key=lambda way: len(way.findall(head)))
    column = _column(head) if way is _LEVELS[0] else None
    levels: Counter[bytes] = Counter()
    for window in seen.windows():
        found = found_in(window, column) if column is not None else []
        if column is None or len(found) < window.text.count(b"\n", window.start - 1, window.end - 1):
            found = found_in(window, way)
        levels.update(found)
    told = [f"{text(_KLOG.get(name, name.upper()))} {count}" for name, count in levels.most_common(_SHOWN_LEVELS)]
    times = _times(seen)
    return [
        *([Detail(name="lines by level", values=told)] if levels else _statuses(seen)),
        *([Detail(name="from, to", values=times)] if times else []),
        *_errors(seen, [name for name in levels if _KLOG.get(name, name.upper()) in _BAD]),
    ]


def _column(head: bytes) -> re.Pattern[bytes] | None:
    """The place of the level where each of the first lines has it in the same, which is searched twice as fast.

    Before it may stand the capitals that stand there in these lines, as of `T` and `Z` in a time, where they spell no
    level.
    """
    before = {head[match.start() + 1 : match.start(1)] for match in _LEVELS[0].finditer(head)}
    at = len(next(iter(before), b""))
    if not 0 < at <= _LAST_COLUMN or any(len(other) != at for other in before):
        return None
    capitals = {byte for byte in set(b"".join(before)) if chr(byte).isupper()}
    if any(capitals.issuperset(level) for level in _UPPER_NAMES):
        return None
    others = bytes(byte for byte in range(ord("A"), ord("Z") + 1) if byte not in capitals)
    return re.compile(rb"\n[^\n%b]{%d}(" % (others, at) + _UPPER + rb")")


def _errors(seen: Seen, names: list[bytes]) -> list[Detail]:
    """What stands behind the names of the worst levels; figures count as equal."""
    errors = Tally()
    for name in names:
        pattern = (
            _KLOG_ERROR
            if len(name) == 1
            else re.compile(re.escape(name) + rb"\b[\]>): \t|\"-]*+([^\n]{1,160}+)[^\n]*+")
        )
        for window in seen.windows():
            found = found_in(window, pattern) if pattern is _KLOG_ERROR else _once_a_line(window, pattern)
            if found:
                errors.add(_without_figures(b"\n".join(found)).split(b"\n"))
    kinds = errors.counts.most_common(_SHOWN_ERRORS)
    values = [f"{count}x {text(message)}" for message, count in kinds]
    count = None if errors.is_cut else len(errors.counts)
    return [Detail(name="kinds of errors, figures as #", count=count, values=values)] if kinds else []


def _once_a_line(window: Window, pattern: re.Pattern[bytes]) -> list[bytes]:
    """What a pattern that goes on to the end of a line finds in the lines that begin in the window's own block."""
    begin = window.text.find(b"\n", window.start - 1, window.end)
    if begin < 0:
        return []
    end = window.text.find(b"\n", window.end - 1)
    return pattern.findall(window.text, begin, end if end >= 0 else len(window.text))


def _without_figures(messages: bytes) -> bytes:
    marked = messages.translate(_FIGURES)
    while b"##" in marked:
        marked = marked.replace(b"##", b"#")
    return marked


def _statuses(seen: Seen) -> list[Detail]:
    """What a web server answered, by status."""
    tally = Tally()
    for window in seen.windows():
        tally.add(found_in(window, _STATUS))
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
