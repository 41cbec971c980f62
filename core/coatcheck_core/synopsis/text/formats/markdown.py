"""Markdown and reStructuredText."""

import re

from .probe import Format, Probe

_HEADING = re.compile(r"#{1,6}\s+\S")
_SURE = re.compile(
    r"\s{0,3}(?:```|~~~)|\s{0,8}[-*+]\s+(?:\[[ xX]\]\s|\*\*\w|`[^`\n]+`|\[[^\]\n]{1,200}\]\()|>\s\S"
    r"|\|?[ :]?-{3,}[ :]?\|[-| :]+$"
    r"|.{0,300}?!?\[[^\]\n]{1,200}\]\([^)\s]{1,300}(?:\s\"[^\"\n]*\")?\)|\[[^\]\n]{1,100}\]:\s+(?:https?://|<|/|\.)\S*"
    r"|.{0,300}?(?<![\w*])\*\*[^\s*][^*\n]{0,100}\*\*(?![\w*])|<(?:p|div|h1|details|img|a) [^>]*>"
)
_LIKELY = re.compile(r"\s{0,8}[-*+]\s+\S|\s{0,8}\d{1,3}\.\s+\S|.{0,300}?(?<!`)`[^`\n]{1,80}`(?!`)|[=-]{3,}$")
_CODE_LINE = re.compile(
    r"(?:import|from|def|class|function|const|let|var|return|if|for|while|package|use|pub|fn|#include|#define"
    r"|export|public|private)\b.*[;{:(]?$"
    r"|\s*[\w.]+\(.*\);?$|\s*[})\]];?$|.*[;{]$|#!"
)
_RST = re.compile(
    r"\.\. [\w-]+::|\.\. _[^:\n]+:|.{0,200}?:[a-z:+-]{2,20}:`[^`\n]+`|.{0,200}?``[^`\n]+``"
    r"|.{0,200}?`[^`\n]+`__?\b|:[A-Za-z -]{2,30}:\s"
)
_RST_SURE = re.compile(r"\.\. [\w-]+::|\.\. _[^:\n]+:|.{0,200}?:[a-z:+-]{2,20}:`[^`\n]+`|.{0,200}?`[^`\n<]+<[^>\n]+>`_")
_RST_RULE = re.compile(r"([=\-~^\"*+#])\1{3,}$")


def matches(probe: Probe) -> bool:
    """Marks that only Markdown has; a `#` without blank lines around it begins a comment elsewhere."""
    if is_rst(probe):
        return False
    headings = _headings(probe.lines)
    sure = likely = fences = code = 0
    fenced = False
    for line in probe.bare:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            fences += 1
        elif not fenced:
            sure += _SURE.match(line) is not None
            likely += _LIKELY.match(line) is not None
            code += _CODE_LINE.match(line) is not None
    outside = max(len(probe.bare), 1)
    if code > 0.3 * outside and not (headings >= 2 and fences):
        return False
    if headings + sure + fences == 0:
        return False
    if probe.head.startswith("#!") or probe.head.lstrip().startswith(("/*", "//", "<?")):
        return False
    return headings + sure + fences >= 2 or (headings == 1 and (likely >= 2 or _starts_with_heading(probe)))


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


def is_rst(probe: Probe) -> bool:
    """Directives, roles and titles with rules below them."""
    sure = sum(_RST_SURE.match(line) is not None for line in probe.bare)
    marks = sum(_RST.match(line) is not None for line in probe.bare)
    rules = sum(_RST_RULE.match(line.rstrip()) is not None for line in probe.bare)
    hashes = sum(_HEADING.match(line) is not None for line in probe.bare)
    fences = sum(line.startswith("```") for line in probe.bare)
    if hashes + fences > sure:
        return False
    return (sure >= 2 and marks >= 0.02 * len(probe.bare)) or (sure >= 1 and rules >= 1) or (rules >= 1 and marks >= 3)


MARKDOWN = Format("markdown", matches, has_headers=True)
RST = Format("rst", is_rst, has_headers=True)
