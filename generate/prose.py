"""What the contract in prose says of each field: the tables of `schemas/README.md`."""

import re
from functools import cache

from .places import PROSE

SECTIONS = {
    "ToolResult": "### As JSON",
    "TurnEnd": "### The end of a turn",
    "TurnSettled": "### The manifest",
    "SettledResult": "Of each result:",
    "StubEvent": "## The stub event",
    "Metadata": "## Storage",
    "ReadRequest": "### read",
    "SearchRequest": "### search",
    "ListRequest": "### list",
    "ReplayRequest": "### replay",
    "UploadRequest": "### upload",
    "LinkRequest": "### link",
    "DeleteRequest": "### delete",
    "ClearRequest": "### clear",
}
"""Under which heading a struct's fields are told."""


@cache
def told(struct: str) -> dict[str, str]:
    """By field, what its row says of it; a row may tell of several fields, and some say nothing."""
    section = SECTIONS.get(struct)
    if section is None:
        return {}
    found: dict[str, str] = {}
    for first, *_, last in _rows(section):
        for name in re.findall(r"`(\w+)`", first):
            if last:
                found[name] = last
    return found


def _rows(heading: str) -> list[list[str]]:
    """Of the first table of fields after the heading."""
    section = PROSE.read_text().partition(f"\n{heading}\n")[2]
    table = re.search(r"^\| field \|.*\n\| ---.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    if table is None:
        raise LookupError(f"schemas/README.md has no table of fields under {heading!r}")
    # A row ends in `|`, and within one there is none: the prose of the contract spells none out.
    return [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in table[1].splitlines()]
