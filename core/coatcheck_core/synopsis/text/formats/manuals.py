"""Manuals: pages as `man` shows them, their sources, Perl's POD, and what `--help` prints."""

import re

from .probe import Format, Probe

_MAN = re.compile(r"\s*([A-Za-z0-9_.:+@-]{1,60}\s?\(\d\w{0,6}\))\s{2,}\S.*\s{2,}\1\s*$")
_MAN_SECTION = re.compile(r"(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|SEE ALSO|AUTHORS?|EXIT STATUS|COPYRIGHT|EXAMPLES?)$")
_MAN_BODY = re.compile(
    r" {7,8}[^\W\d_][\w'’,.-]*[ ]+[^\s=;{}]+[ ]+[^\s=;{}]+|[A-Z][A-Z ,-]{3,60}$"
    r"| {14,}[^\W\d_]\w*[ ]+\w+[ ]+\w+"
)
"""A paragraph of a page, indented as `man` does, or a section's name; the middle of a page has no more."""
_ROFF = re.compile(r"[.'](?:[A-Za-z]{1,3}\b|\\\")")
_ROFF_START = re.compile(r"\.(?:TH|SH|SS|PP|TP|B|BR|IP|Dd|Dt|Sh|Pp|It|Nm|RS|de)\b")
_POD = re.compile(r"=(?:head[1-4]|over|item|back|cut|pod|encoding|begin|end|for)\b")
_USAGE = re.compile(r"\s*(?:[\w.-]+: )?usage:\s", re.IGNORECASE)
_OPTION = re.compile(r"\s{1,8}(?:-\w\b|--[a-z]|[a-z][\w:|*-]{0,30}\*?\s{2,}[A-Z(])")
_TITLE = re.compile(r"[A-Z][\w ()/-]{2,40}:$")
_CODE = re.compile(r".*[;{}]\s*$|\s*(?:def|class|func|return)\b")
_LEAST_LINES, _MOST = 12, 0.75
_LEAST_OPTIONS = 4
_LEAST_SECTIONS = 2


def is_man(probe: Probe) -> bool:
    """The page's name at both ends of its first line, or its usual sections."""
    if any(_MAN.match(line) for line in probe.bare[:2]):
        return True
    if probe.flat.count("\n   ") < 0.5 * len(probe.bare):
        return False
    sections = probe.may_have(_MAN_SECTION) and sum(map(_is_section, probe.bare)) >= _LEAST_SECTIONS
    indented = sum(line.startswith("   ") for line in probe.bare)
    if sections and indented >= 0.6 * len(probe.bare):
        return True
    is_indented = len(probe.bare) >= _LEAST_LINES and indented >= 0.5 * len(probe.bare)
    return is_indented and probe.mostly(_MAN_BODY, _MOST)


def _is_section(line: str) -> bool:
    return _MAN_SECTION.match(line) is not None


def is_roff(probe: Probe) -> bool:
    """A manual page's source: requests begin with a full stop."""
    return probe.begins(".") and probe.share(_ROFF) >= 0.3 and probe.share(_ROFF_START) > 0


def is_pod(probe: Probe) -> bool:
    """Commands of POD at the start of lines, and no code around them: that is a module with its manual."""
    if not probe.begins("="):
        return False
    commands = sum(_POD.match(line) is not None for line in probe.bare)
    return commands >= 2 and sum(_CODE.match(line) is not None for line in probe.bare if line[:1] not in " \t") <= 1


def is_help(probe: Probe) -> bool:
    """A usage line and options, or a list of options or commands under titles, no code."""
    if not probe.may_have(_OPTION):
        return False
    lines = probe.bare
    options = sum(_OPTION.match(line) is not None for line in lines)
    if options < _LEAST_OPTIONS or sum(_CODE.match(line) is not None for line in lines) > 0.05 * len(lines):
        return False
    if any(_USAGE.match(line) for line in lines[:12]):
        return options >= 0.15 * len(lines)
    return options >= 0.4 * len(lines) and any(_TITLE.match(line) for line in lines)


MAN = Format("man", is_man, has_headers=True)
ROFF = Format("roff", is_roff)
POD = Format("pod", is_pod, has_headers=True)
HELP = Format("help", is_help)
