"""Texts that their first lines name: HTTP, mail, keys and certificates, manual pages, dumps, sessions at a prompt."""

import re
from itertools import pairwise

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import Tally, filled_lines, text
from .probe import Format, Probe

_HTTP = re.compile(r"[<>*]?\s?(?:HTTP/\d(?:\.\d)? \d{3}\b|(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS) \S+ HTTP/\d)")
_HTTP_STATUS = re.compile(rb"(?:^|\n)[<>*]?[ ]?(HTTP/\d(?:\.\d)? \d{3}[^\r\n]{0,60})")
_HTTP_TYPE = re.compile(rb"\n[<>*]?[ ]?content-type:[ ]?([^\r\n]{1,100})", re.IGNORECASE)
_MAIL = re.compile(
    r"(?:From|To|Subject|Date|Message-I[dD]|Received|Return-Path|MIME-Version|Delivered-To|Reply-To|Cc): \S"
)
_MAIL_FIELD = re.compile(rb"(?:^|\n)((?:From|To|Subject|Date): [^\r\n]{1,150})")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{2,60}-----$")
_PEM_FOUND = re.compile(rb"-----BEGIN ([A-Z0-9 ]{2,60})-----")
_HEX = re.compile(
    r"[0-9a-f]{6,16}:?\s+(?:[0-9a-f]{2,8}\s+){4,}|[0-9a-f]{7,8}\*?$|\*$|[0-9a-f]{7,8}(?: [0-7]{6}"
    r"| [0-9a-f]{4}){2,8}$|0x[0-9a-f]{4}:\s",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s{0,6}(\d{1,7})\t")
_PINNED = re.compile(r"[A-Za-z0-9][\w.-]{0,100}(?:\[[\w,-]+\])?==[\w.+!-]+(?: *;.*)?$|-e \S|[\w.-]{1,100} @ \S|#|-- ?")
_FOUND_PINNED = re.compile(rb"\n([A-Za-z0-9][\w.-]{0,100}(?:\[[\w,-]+\])?==[\w.+!-]{1,40})")
_SHOWN_PACKAGES = 12
_PROMPT = re.compile(
    r"(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^$#\n]{0,100})?[$#%] \S|>>> |In \[\d+\]: "
    r"|PS [A-Z]:\\[^>]{0,200}> "
)
_PROMPT_FOUND = re.compile(
    rb"\n((?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^$#\n]{0,100})?[$%#] [^\n]{1,200}|>>> [^\n]{1,200})"
)
_CALL = re.compile(
    r"(?:\[pid +\d+\] |\d+ +)?(?:[\d:.]+ )?(?:[a-z_]\w*\(.*|<\.\.\. \w+ resumed>.*|(?:\+\+\+"
    r"|---) .*(?:\+\+\+|---)|strace: .*)$"
)
_RETURNED = re.compile(r".*\) += (?:-?\d|0x|\?)")
_CALL_FOUND = re.compile(rb"\n(?:\[pid +\d+\] |\d+ +)?(?:[\d:.]+ )?([a-z_]\w*+)\(")
_CALL_FAILED = re.compile(rb"= -1 (E[A-Z]{2,15}+)")
_SHOWN = 6
_MOST_SKIPPED = 3
"""Lines that are blank have a number, too, but are left out of the judged ones."""


def is_http(probe: Probe) -> bool:
    """A status or request line among curl's own, then fields."""
    if "HTTP/" not in probe.head:
        return False
    first = next((at for at, line in enumerate(probe.bare[:60]) if _HTTP.match(line)), None)
    if first is None:
        return False
    return first == 0 or probe.bare[0].startswith(("*", ">", "<", "  % Total", "--"))


def http_details(seen: Seen) -> list[Detail]:
    head = seen.data[:64_000]
    return [
        Detail(name="status", values=[text(found) for found in _HTTP_STATUS.findall(head)[-_SHOWN:]]),
        *([Detail(name="content-type", values=[text(kind[1])])] if (kind := _HTTP_TYPE.search(head)) else []),
    ]


def is_mail(probe: Probe) -> bool:
    """Three of a mail's own fields before its first blank line."""
    until = next((at for at, line in enumerate(probe.lines) if not line.strip()), len(probe.lines))
    return sum(_MAIL.match(line) is not None for line in probe.lines[:until]) >= 3


def mail_details(seen: Seen) -> list[Detail]:
    found = _MAIL_FIELD.findall(seen.data[:16_000].partition(b"\n\n")[0])
    return [Detail(name="fields", values=[text(field) for field in found[:4]])]


def is_pem(probe: Probe) -> bool:
    return any(_PEM.match(line.strip()) for line in probe.bare[:3])


def pem_details(seen: Seen) -> list[Detail]:
    blocks = Tally()
    for window in seen.windows():
        blocks.add(found_in(window, _PEM_FOUND))
    return [Detail(name="blocks", count=blocks.counts.total()), *blocks.detail("of", _SHOWN)]


def is_hexdump(probe: Probe) -> bool:
    """`xxd`, `hexdump -C`, `od`."""
    return len(probe.bare) >= 2 and probe.mostly(_HEX, 0.9)


def is_numbered(probe: Probe) -> bool:
    """`cat -n`: a number, a tab, the line; each number is one more than that above it, which no size is."""
    if len(probe.bare) < 2 or not probe.mostly(_NUMBERED, 0.95):
        return False
    numbers = [int(match[1]) for line in probe.bare if (match := _NUMBERED.match(line))]
    counted = sum(0 < after - before <= _MOST_SKIPPED for before, after in pairwise(numbers))
    return counted >= 0.9 * (len(numbers) - 1)


def is_requirements(probe: Probe) -> bool:
    """`pip freeze`: a package and its version in each line."""
    return len(probe.bare) >= 2 and "==" in probe.head and probe.mostly(_PINNED, 0.95)


def requirement_details(seen: Seen) -> list[Detail]:
    """The packages that have a version, the first of them by name."""
    count = 0
    first: list[bytes] = []
    for window in seen.windows():
        found = found_in(window, _FOUND_PINNED)
        count += len(found)
        first += found[: _SHOWN_PACKAGES - len(first)]
    return [Detail(name="packages", count=count, values=[text(package, 60) for package in first])]


def line_details(seen: Seen) -> list[Detail]:
    return [Detail(name="lines", count=filled_lines(seen))]


def is_session(probe: Probe) -> bool:
    """Commands at a prompt, and what they printed."""
    if not probe.bare or not _PROMPT.match(probe.bare[0]) or probe.bare[0].startswith("# "):
        return False
    prompts = sum(_PROMPT.match(line) is not None and not line.startswith("# ") for line in probe.bare)
    return prompts >= 2 or len(probe.bare) <= 3


def session_details(seen: Seen) -> list[Detail]:
    commands = Tally()
    for window in seen.windows():
        commands.add(found_in(window, _PROMPT_FOUND))
    return commands.detail("commands", _SHOWN, counted=False)


def is_strace(probe: Probe) -> bool:
    """System calls with what they returned."""
    return len(probe.bare) >= 3 and probe.mostly(_CALL, 0.8) and probe.mostly(_RETURNED, 0.5)


def call_details(seen: Seen) -> list[Detail]:
    calls, failed = Tally(), Tally()
    for window in seen.windows():
        calls.add(found_in(window, _CALL_FOUND))
        failed.add(found_in(window, _CALL_FAILED))
    return [*calls.detail("calls", _SHOWN), *failed.detail("errors", _SHOWN)]


HTTP = Format("http", is_http, http_details)
MAIL = Format("mail", is_mail, mail_details)
PEM = Format("pem", is_pem, pem_details)
HEXDUMP = Format("hexdump", is_hexdump, line_details)
NUMBERED = Format("numbered-lines", is_numbered, line_details, decides=False)
STRACE = Format("strace", is_strace, call_details)
SESSION = Format("shell-session", is_session, session_details, decides=False)
REQUIREMENTS = Format("requirements", is_requirements, requirement_details)
