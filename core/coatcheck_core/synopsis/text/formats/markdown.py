"""Markdown and reStructuredText."""

import re
from itertools import pairwise

import msgspec

from .probe import Format, Probe

_HEADING = re.compile(r"#{1,6}\s+\S")
_SURE_START = re.compile(
    r"\s{0,8}[-*+]\s+(?:\[[ xX]\]\s|\*\*\w|`[^`\n]+`|\[[^\]\n]{1,200}\]\()|>\s\S|\|?[ :]?-{3,}[ :]?\|[-| :]+$"
    r"|\[[^\]\n]{1,100}\]:\s+(?:https?://|<|/|\.)\S*|<(?:p|div|h1|details|img|a) [^>]*>"
)
_LINK = re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{0,300}?[./#:][^)\s]{0,300}(?:\s\"[^\"\n]*\")?\)")
_BOLD = re.compile(r"(?<![\w*])\*\*[^\s*][^*\n]{0,100}\*\*(?![\w*])")
_QUOTED = re.compile(r"(?<!`)`[^`\n]{1,80}`(?!`)")
_BULLET = re.compile(r"\s{0,8}[-*+]\s+\S")
_LIKELY_START = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}\.)\s+\S|[=-]{3,}$")
_MARKS = ("\n#", "](", "**", "```", "~~~", "`", "\n> ", "|-", "|:-", "]: ", "<p ", "<div ", "<h1 ", "<img ", "<a ")
_OTHER_STARTS = ("#!", "/*", "//", "<?", "{", '"""', "%YAML")
_COMMENTS = ("#", "/*", "//", "<?", "%", ";", "--", '"', "'", 'r"', "r'", 'u"', 'b"')
_CODE_LINE = re.compile(
    r"\d{0,5}(?:import|from|def|class|function|const|let|var|return|if|for|while|package|use|pub|fn|#include"
    r"|#define|export"
    r"|public|private|static|end|fi|done|esac)\b(?! [a-z]+ [a-z]+ [a-z]+)"
    r"|\s*[\w.]+\(.*\);?$|\s*[})\]];?$|.*[;{(\[]$|#!|[\w.-]+\s?[:?+]?=[\s$\"'/]"
    r"|[\w./$()%-]+:(?:\s[\w./$()%-]+)*$|\t[\w@$-]|\$"
)
_COMMENT_END = re.compile(r"\s*(?:/\*|\*/|//[/!]?(?:\s|$)|#!?\[)|.*\*/$")
_PROSE = re.compile(r"\s{0,3}[^\W\d_][\w'’,-]*(?: [^\s=;{}]+){3,}")
_CLOSING_TAG = re.compile(r"</(?:p|td|tr|div|li|ul|dd|dl|dt|table|span|h\d|pre|body)>")
_RST = re.compile(r":[a-z:+-]{2,20}:`[^`\n]+`|``[^`\n]+``|`[^`\n]+`__?\b")
_RST_ROLE = re.compile(r":[a-z:+-]{2,20}:`[^`\n]+`|`[^`\n<]+<[^>\n]+>`_")
_RST_START = re.compile(r"\.\. [\w-]+::|\.\. _[^:\n]+:")
_RST_FIELD = re.compile(r":[A-Za-z -]{2,30}:\s")
_RST_RULE = re.compile(r"([=\-~^\"*+#])\1{3,}$")


def matches(probe: Probe) -> bool:
    """Marks that only Markdown has; a `#` without blank lines around it begins a comment elsewhere."""
    if "\n===" in probe.head and _is_underlined(probe):
        return not is_rst(probe)
    if not (probe.head.startswith("#") or any(mark in probe.head for mark in _MARKS)):
        return False
    headings = _headings(probe.lines) if probe.begins("#") else 0
    if not headings and not probe.holds("](", "**", "```", "~~~") and not probe.may_have(_SURE_START):
        return False
    if is_rst(probe) or probe.head.lstrip().startswith(_OTHER_STARTS):
        return False
    if _comments(probe.lines) > 0.2 * len(probe.bare):
        return False
    fences, outside = _outside_of_fences(probe.bare)
    sure = sum(map(_is_sure, outside))
    marks = sure + fences
    if headings + marks < 2 and headings != 1:
        return False
    found = _count(outside)
    if found.code > 0.3 * found.lines and not (headings >= 2 and fences):
        return False
    if found.tags > 0.25 * found.lines or (found.comments >= 2 and found.code > 0.1 * found.lines):
        return False
    if not marks and found.prose + found.likely < max(0.35 * (found.lines - headings), 1):
        return False  # a `#` begins a comment elsewhere
    return headings + marks >= 2 or (headings == 1 and (found.likely >= 2 or _starts_with_heading(probe)))


def _comments(lines: list[str]) -> int:
    """Lines with a `#` that stand together: a comment has more than one, a title one alone."""
    marked = [line.startswith(("# ", "#\t")) or line == "#" for line in lines]
    return sum(mine and above for mine, above in zip(marked[1:], marked, strict=False))


class _Found(msgspec.Struct):
    """How many lines outside of fences have each kind of mark."""

    lines: int = 0
    likely: int = 0
    prose: int = 0
    code: int = 0
    comments: int = 0
    tags: int = 0


def _outside_of_fences(lines: list[str]) -> tuple[int, list[str]]:
    """How many fences there are, and the lines that they do not enclose."""
    fences, outside = 0, []
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            fences += 1
        elif fences % 2 == 0:
            outside.append(line)
    return fences, outside


def _count(lines: list[str]) -> _Found:
    found = _Found(lines=len(lines))
    for line in lines:
        found.likely += _LIKELY_START.match(line) is not None or ("`" in line and _QUOTED.search(line) is not None)
        found.prose += _PROSE.match(line) is not None
        found.code += _CODE_LINE.match(line) is not None
        found.comments += _COMMENT_END.match(line) is not None
        found.tags += "</" in line and _CLOSING_TAG.search(line) is not None
    return found


def _starts_with_heading(probe: Probe) -> bool:
    """A title, then a paragraph: no comment above a statement."""
    lines = probe.lines
    if not lines or not re.match(r"# \S", lines[0]) or len(lines) < 3 or lines[1].strip():
        return False
    paragraph = next((line for line in lines[1:] if line.strip()), "")
    return not paragraph.startswith("#") and len(paragraph.split()) >= 4 and not _CODE_LINE.match(paragraph)


def _headings(lines: list[str]) -> int:
    around = ["", *lines, ""]
    found = 0
    for at, line in enumerate(lines):
        if not line.startswith("#") or not _HEADING.match(line):
            continue
        above, below = around[at].strip(), around[at + 2].strip()
        marked = line.startswith("##") and not line.rstrip().endswith("#") and not below.startswith("#")
        found += (not above and not below) or (marked and not above and not above.startswith("#"))
    return found


def _is_underlined(probe: Probe) -> bool:
    """Titles with a rule of `=` below each, as of a history of changes, and lists under them."""
    lines = probe.lines
    titles = sum(
        rule.startswith("===") and not rule.strip("= ") and title[:1].isalnum() and len(title) <= len(rule) + 3
        for title, rule in pairwise(lines)
    )
    items = sum(_BULLET.match(line) is not None for line in lines)
    return titles >= 2 and items >= titles and items >= 0.4 * (len(probe.bare) - 2 * titles)


def _is_sure(line: str) -> bool:
    if _SURE_START.match(line):
        return True
    return ("](" in line and _LINK.search(line) is not None) or ("**" in line and _BOLD.search(line) is not None)


def is_rst(probe: Probe) -> bool:
    """Directives, roles and titles with rules below them."""
    if ".. " not in probe.head and "`" not in probe.head:
        return False
    sure = marks = rules = hashes = fences = 0
    for line in probe.bare:
        starts = line.startswith(".. ") and _RST_START.match(line) is not None
        quotes = "`" in line
        sure += starts or (quotes and _RST_ROLE.search(line) is not None)
        marks += starts or (quotes and _RST.search(line) is not None) or _RST_FIELD.match(line) is not None
        rules += _RST_RULE.match(line) is not None
        hashes += _HEADING.match(line) is not None
        fences += line.startswith("```")
    if hashes + fences > sure:
        return False
    return (sure >= 2 and marks >= 0.02 * len(probe.bare)) or (sure >= 1 and rules >= 1) or (rules >= 1 and marks >= 3)


def is_rst_document(probe: Probe) -> bool:
    """Not a module that is documented so: that begins with a comment, a docstring or a statement."""
    first = probe.bare[0]
    if probe.head.lstrip().startswith(_COMMENTS) or _CODE_LINE.match(first):
        return False
    return is_rst(probe)


MARKDOWN = Format("markdown", matches, has_headers=True)
RST = Format("rst", is_rst_document, has_headers=True)
