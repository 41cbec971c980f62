"""The text as a person would see it: without byte order mark and terminal escape codes."""

import re

BOM = "\ufeff"

_ESCAPE_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor moves
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # window titles, links, device strings
    r"|\x1b[ -/]+[0-~]|\x1b[0-Z\\`-~]"  # character sets and the short ones
)
_OVERSTRIKE = re.compile(r"[^\n\x08]\x08")


def visible(text: str) -> str:
    """The text itself where there is nothing to look through."""
    text = text.removeprefix(BOM)
    if "\x1b" in text:
        text = _ESCAPE_CODES.sub("", text)
    if "\x08" in text:
        text = _OVERSTRIKE.sub("", text)
    return text.removeprefix(BOM)
