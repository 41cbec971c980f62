"""Where the entries of a block mapping or sequence begin, told by their lines alone.

What lines tell is a guess until the parser has said that a line put in at each border adds an entry (`checking.py`).
"""

import re

import msgspec

LONG = 1024
"""Bytes of an entry whose own entries are looked for: what is shorter is read by the parser's events."""

_BLANK = re.compile(rb"(?:[ \t\r]*+(?:#[^\n]*+)?(?:\n|\Z))*+")
_INDENT = re.compile(rb" *+")
_ITEM = rb"-(?=[ \t\r\n]|\Z)"
_TO_COLON = rb"[^\n:]*+(?::(?![ \t\r\n]|\Z)[^\n:]*+)*+"
_KEY = (
    rb"(?:\"[^\"\n]*+\"[ \t]*+|'[^'\n]*+'[ \t]*+|<<[ \t]*+|[^\s#\-\[\]{},&*!|>%@`?:\"'<]"
    + _TO_COLON
    + rb"|<(?!<)"
    + _TO_COLON
    + rb"|-[^\s\-]"
    + _TO_COLON
    + rb"):(?=[ \t\r\n]|\Z)"
)
_NAME = re.compile(_KEY)


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of one collection: the offsets at which they begin, in order, and `end` of the last."""

    is_mapping: bool
    indent: int
    starts: list[int]
    end: int
    is_complete: bool = True
    """Whether each line that is indented as little begins an entry: else some may have been missed."""

    def extent(self, at: int) -> tuple[int, int]:
        return self.starts[at], self.starts[at + 1] if at + 1 < len(self.starts) else self.end

    @property
    def extra(self) -> bytes:
        """A line that is one more entry."""
        return b" " * self.indent + (b"~: ~\n" if self.is_mapping else b"- ~\n")

    @property
    def extra_events(self) -> int:
        return 2 if self.is_mapping else 1


def entries(text: bytes, start: int, end: int, *, least_indent: int = 0) -> Entries | None:
    """Of the block collection whose first line is the next; None where that is no block collection."""
    first = _BLANK.match(text, start, end)
    start = first.end() if first else start
    indent_match = _INDENT.match(text, start, end)
    indent = len(indent_match[0]) if indent_match else 0
    is_item = re.compile(_ITEM).match(text, start + indent, end) is not None
    if indent < least_indent or not (is_item or _NAME.match(text, start + indent, end)):
        return None
    line = re.compile(rb"^" + b" " * indent + (_ITEM if is_item else _KEY), re.MULTILINE)
    starts = [match.start() for match in line.finditer(text, start, end)]
    if not starts:
        return None
    other = rb"^ {0,%d}(?!#)(?!- |-$)[^\s]" if not is_item else rb"^ {0,%d}[^\s#]"
    beginning = sum(1 for _ in re.compile(other % indent, re.MULTILINE).finditer(text, starts[0], end))
    return Entries(is_mapping=not is_item, indent=indent, starts=starts, end=end, is_complete=beginning == len(starts))


def children(text: bytes, parent: Entries, at: int) -> Entries | None:
    """The entries of a mapping's value that is a block collection; None where it is anything else."""
    start, end = parent.extent(at)
    key = _NAME.match(text, start + parent.indent, end)
    if key is None or not parent.is_mapping:
        return None
    rest = _BLANK.match(text, key.end(), end)
    if rest is None or b"\n" not in text[key.end() : rest.end()]:
        return None
    found = entries(text, rest.end(), end, least_indent=parent.indent)
    return found if found is not None and (found.indent > parent.indent or not found.is_mapping) else None


def name_at(text: bytes, start: int, indent: int) -> str | None:
    """The key of the entry that begins there."""
    match = _NAME.match(text, start + indent)
    if match is None:
        return None
    name = match[0][:-1].rstrip()[:800].decode(errors="replace")
    return name[1:-1] if name[:1] in ("'", '"') and name[:1] == name[-1:] and len(name) > 1 else name
