"""Settings in lines: INI, TOML, properties, and the environment's `NAME=value`."""

import re

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import text
from .probe import Format, Probe, mostly

MAX_SECTIONS = 20
MAX_KEYS = 20

_SECTION = re.compile(r"\s*\[{1,2}[^\[\]=,\n]{1,200}\]{1,2}\s*(?:[#;].*)?$")
_QUOTED_SECTION = re.compile(r'\s*\[{1,2}[\w.$-]*\s*(?:"[^"]*"|\'[^\']*\')[^\n]{0,200}\]{1,2}\s*(?:[#;].*)?$')
_KEY = re.compile(r"""\s*[\w"'.$@/*<>?%\\+-][^=:\n#;{}()]{0,120}?\s*(?:=(?!=)|:(?=\s|$))""")
_BARE_KEY = re.compile(r"\s*[\w.-]{1,60}\s*$")
_TOML_LINE = re.compile(
    r"""\s*(?:[\w-]+|"[^"\n]{1,200}"|'[^'\n]{1,200}')(?:\s*\.\s*(?:[\w-]+|"[^"\n]{1,200}"|'[^'\n]{1,200}')){0,20}\s*=\s*
    (?:"|'|\[|\{|true\b|false\b|[+-]?(?:\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?|0[xob][\da-f_]+|inf|nan)\s*(?:\#|$)|\d{4}-\d{2}-\d{2}|\d{2}:\d{2})""",
    re.VERBOSE | re.IGNORECASE,
)
_TOML_MARKS = re.compile(r"""\[\[|.*=\s*(?:"|'|\[|\{|true\s*$|false\s*$)""")
_PROPERTY = re.compile(r"\s*(?:export\s+)?[A-Za-z_][\w.\-\[\]/$:]{0,150}\s?[=]")
_VARIABLE = re.compile(r"(?:export\s+)?[A-Za-z_]\w{0,150}=")
_PACKAGE_FIELD = re.compile(r"(?:Name|Description|URL|Version|Requires|Conflicts|Libs|Cflags)(?:\.private)?:(?:\s|$)")
_DOCSTRING = re.compile(r"\A(?:\s*#[^\n]*\n|\s*\n)*+\s*[rRuUbB]?(?:\"\"\"|\'\'\')")
_ITEM = re.compile(r"^- [\w-]+:(?:\s|$)", re.MULTILINE)
_QUOTED_VALUE = re.compile(r"""\[\[|.*=\s*["'\[{]""")
_STATEMENT = re.compile(r".*(?:[;{]\s*$|\)\s*\{|=>|\blet\b|\bvar\b|\bdef\b|\$\()")
_FOUND_SECTION = re.compile(rb"\n[ \t]*\[{1,2}([^\]\n]{1,200}+)\]{1,2}[ \t\r]*(?=\n|\Z|[#;])")
_FOUND_TOML_KEY = re.compile(rb"""\n[ \t]*([\w.-]{1,150}|"[^"\n]{1,150}")[ \t]*=""")
_FOUND_KEY = re.compile(rb"\n[ \t]*+([^\s=#;!\[:][^=\n:]{0,150}+)[=:]")


def is_ini(probe: Probe) -> bool:
    """Sections, and below them keys, or bare words, or what continues a value."""
    if "[" not in probe.head:
        return False
    lines = probe.settings
    sections = [
        at
        for at, line in enumerate(lines)
        if line.lstrip()[:1] == "[" and (_SECTION.match(line) or _QUOTED_SECTION.match(line))
    ]
    if sections and sections[-1] == len(lines) - 1 and len(lines) > len(sections):
        sections.pop()  # a bracket at the end, `[exit code: 1]`, heads nothing
    if not sections or _is_other(probe.head):
        return False
    others = len(lines) - len(sections)
    keys = sum(_KEY.match(line) is not None for line in lines)
    bare = sum(_BARE_KEY.match(line) is not None or line[:1].isspace() for line in lines) if keys else 0
    statements = sum(_STATEMENT.match(line) is not None for line in lines)
    if statements > 0.25 * len(lines):
        return False
    if others == 0:
        return len(sections) >= 2
    near = sections[0] <= 12 or len(sections) >= 3
    continued = sum(line[:1].isspace() for line in lines) if sections[0] == 0 and keys else 0
    return near and keys >= 0.4 * (others - continued) and keys + bare >= 0.85 * others


def is_toml(probe: Probe) -> bool:
    """Every value is one of TOML's types, tables or quoted strings among them."""
    if "[" not in probe.head or "=" not in probe.head:
        return False
    lines = [line for line in probe.bare if not line.lstrip().startswith("#")]
    if not lines or _is_other(probe.head) or any(line.lstrip()[:1] == ";" for line in lines):
        return False
    headed = [line for line in lines if line.lstrip()[:1] == "["]
    tables = sum(_SECTION.match(line) is not None or _QUOTED_SECTION.match(line) is not None for line in headed)
    if not tables or not any(map(_QUOTED_VALUE.match, lines)):
        return False  # of bare words and figures alone INI is made
    keys = [line for line in lines if _TOML_LINE.match(line)]
    wrong = sum(
        1
        for line in lines
        if _KEY.match(line)
        and "=" in line
        and not _TOML_LINE.match(line)
        and not _SECTION.match(line)
        and line[:1] not in " \t}]"
    )
    marked = sum(_TOML_MARKS.match(line) is not None for line in lines)
    statements = sum(line.rstrip().endswith((";", "{", ")")) for line in lines)
    return bool(keys) and wrong <= 0.05 * len(keys) and marked >= 0.3 * len(keys) and statements <= 0.1 * len(lines)


def is_environment(probe: Probe) -> bool:
    """`NAME=value` in each line, without blanks around the sign; a script says in its first line that it is one."""
    return not probe.head.startswith("#!") and _are_pairs(probe, _VARIABLE)


def is_properties(probe: Probe) -> bool:
    """`name = value` in each line, with comments of `#` or `!` between them."""
    return _are_pairs(probe, _PROPERTY)


def is_package(probe: Probe) -> bool:
    """What pkg-config reads: variables as a shell's, and fields of a few names."""
    lines = probe.settings
    if not mostly(lines, lambda line: _PACKAGE_FIELD.match(line) or _VARIABLE.match(line), 0.9):
        return False
    fields = sum(_PACKAGE_FIELD.match(line) is not None for line in lines)
    variables = sum(_VARIABLE.match(line) is not None for line in lines)
    return fields >= 3 and fields + variables >= 0.9 * len(lines)


def _are_pairs(probe: Probe, pattern: re.Pattern[str]) -> bool:
    lines = probe.settings
    if len(lines) < 2 or not mostly(lines, pattern.match, 0.9):
        return False
    return sum(_STATEMENT.match(line) is not None for line in lines) <= 0.1 * len(lines)


def _is_other(head: str) -> bool:
    bare = head.lstrip()
    if _DOCSTRING.search(head) or _ITEM.search(head):
        return True
    return bare.startswith(("{", "[{", '["', "[[[", "[\n", "[ {"))


def details(seen: Seen) -> list[Detail]:
    """Sections by name, and how many lines set a key."""
    sections, named = _found(seen, _FOUND_SECTION, MAX_SECTIONS)
    keys, _ = _found(seen, _FOUND_KEY, 0)
    return _told(sections, named, keys)


def toml_details(seen: Seen) -> list[Detail]:
    """Tables by name, and how many lines set a key."""
    tables, named = _found(seen, _FOUND_SECTION, MAX_SECTIONS)
    keys, _ = _found(seen, _FOUND_TOML_KEY, 0)
    return _told(tables, named, keys)


def _told(sections: int, named: list[str], keys: int) -> list[Detail]:
    told = [Detail(name="sections", count=sections, values=named)] if sections else []
    return [*told, Detail(name="keys", count=keys)]


def pair_details(seen: Seen) -> list[Detail]:
    """The names, in their order."""
    count, named = _found(seen, _FOUND_KEY, MAX_KEYS)
    return [Detail(name="keys", count=count, values=named)]


def _found(seen: Seen, pattern: re.Pattern[bytes], shown: int) -> tuple[int, list[str]]:
    """How many lines begin so, and the names in the first of them."""
    count = 0
    first: list[bytes] = []
    for window in seen.windows():
        found = found_in(window, pattern)
        count += len(found)
        first += found[: shown - len(first)]
    return count, [text(name, 60) for name in first]


INI = Format("ini", is_ini, details)
TOML = Format("toml", is_toml, toml_details)
ENVIRONMENT = Format("env", is_environment, pair_details)
PKG_CONFIG = Format("pkg-config", is_package, pair_details)
PROPERTIES = Format("properties", is_properties, pair_details, decides=False)
