"""How a table ends: its last whole record, a record that was cut, and what a tool put below."""

import re

import msgspec

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.text.telling import tells, words_of

from .counting import Shape
from .quoting import QUOTE
from .source import Source

_MOST_ADDED = 4
_MANY_RECORDS = 20
_ADDED_CHARS = 200
_MOST_LINES_OPEN = 500
"""A quoted field that swallows more than these to the end of the text was no field."""
_ADDED = re.compile(
    r"[\[(<*.…-]|.{0,100}\b(?:exit|truncated|omitted|rows?|more|lines?|code)\b", re.IGNORECASE | re.DOTALL
)
"""A line that a tool puts below its output: `[exit code 1]`, `(3 rows)`, `... 20 more lines`."""

_TROUBLE = re.compile(
    r"(?:[\w./-]{1,40}: ){0,2}(?:error|fatal|warning|exception|panic|failed)\b[^,;|\t]{0,20}: ", re.IGNORECASE
)


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """`added` are the lines below the last record, `is_cut` says that this one has fewer fields than it should."""

    added: list[str]
    is_cut: bool


def read_ends(source: Source, found: Shape, *, starts_cut: bool) -> Ends | None:
    """None where records are uneven that neither begin nor end the text."""
    uneven = found.uneven[starts_cut:]
    first = found.records - len(uneven)
    if len(uneven) > _MOST_ADDED or [number for number, _ in uneven] != list(range(first, found.records)):
        return None
    if found.unclosed:
        is_cut = len(uneven) <= 1 and found.unclosed_lines <= _MOST_LINES_OPEN
        return Ends(added=[], is_cut=True) if is_cut else None
    if not uneven:
        return Ends(added=[], is_cut=False)
    tail = source.tail()
    lines = [line for line in tail.decode().split("\n") if line.strip()][-len(uneven) :]
    is_cut = not _is_added(lines[0], uneven[0][1], found) and uneven[0][1] <= found.columns
    if is_cut and len(lines) == 1 and tail.endswith(b"\n"):
        return None
    added = lines[is_cut:]
    if not all(_is_added(line, fields, found) for line, (_, fields) in zip(added, uneven[is_cut:], strict=True)):
        return None
    return Ends(added=[clip(line.strip(), _ADDED_CHARS) for line in added], is_cut=is_cut)


def _is_added(line: str, fields: int, found: Shape) -> bool:
    """A tool's words, or those of the program that stopped writing: `psql: error: server closed the connection`."""
    if _ADDED.match(line.lstrip()) or _TROUBLE.match(line):
        return True
    return fields == 1 and (tells(line, words_of(line)) or (found.records > _MANY_RECORDS and line.endswith(".")))


def last_record(source: Source, found: Shape, left_out: int) -> str | None:
    """The last record but the `left_out` below it, as it stands; None where it can't be told for its quotes."""
    if found.unclosed or not found.regular:
        return None
    tail = source.tail()
    # From the end, where no field is open, every other piece stands outside.
    pieces = tail.split(QUOTE) if found.quoted else [tail]
    end = len(tail)
    at = len(tail)
    for number, piece in enumerate(reversed(pieces)):
        start = at - len(piece)
        while number % 2 == 0 and (newline := tail.rfind(b"\n", start, at)) >= 0:
            record, end, at = tail[newline + 1 : end], newline, newline
            if record.strip():
                if not left_out:
                    return record.decode().strip("\r\n")
                left_out -= 1
        at = start - 1
    return None
