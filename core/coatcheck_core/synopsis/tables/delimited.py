"""CSV and TSV, only where the rows agree on the number of columns."""

import csv
import re

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.mime import Declared
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Kind, Synopsis, TableFacts

MAX_NAMES = 40
FIRST_ROW_CHARS = 180

_PROBED_LINES = 20
_PROBED_CHARS = 20_000
_MAX_HEADER_CHARS = 500_000
_MAX_HEADER_LINES = 200
_QUOTED = re.compile(r'(?<![^,;\t\r\n])"(?:[^"]++|"")*+"')
"""A quoted field, from its start; possessive, so that an unclosed quote costs one pass."""
_OPENING_QUOTE = re.compile(r'(?<![^,;\t\r\n])"')
_STAMP = re.compile(r"\d{1,2}:\d{2}(:\d{2})?$|\d{4}-\d{2}-\d{2}[T ]\d")


def read_delimited(seen: Seen, hint: Declared | None) -> Synopsis | None:
    """TSV, or CSV with commas or semicolons, where the rows agree on the number of columns."""
    kinds: tuple[tuple[Kind, str], ...] = (("tsv", "\t"), ("csv", ","), ("csv", ";"))
    for kind, delimiter in kinds:
        if (facts := _read(seen.text, delimiter, declared=hint == kind)) is not None:
            return Synopsis(kind=kind, facts=facts)
    return None


def _read(text: str, delimiter: str, *, declared: bool = False) -> TableFacts | None:
    """Facts where each line that is not blank has as many columns as the first, two or more.

    Without a declared type the first line must also look like a header, for prose has commas too.
    """
    first_end = text.find("\n")
    if delimiter not in text[: first_end if first_end >= 0 else len(text)] and '"' not in text[:1]:
        return None
    if not _starts_even(text, delimiter):
        return None
    columns, rows = _measure(_without_quoted(text), delimiter)
    if columns < 2 or rows < (0 if declared else 1):
        return None
    records = _records(text, delimiter)
    if not records or len(records[0][0]) != columns:
        return None
    names = records[0][0]
    if not declared and not (_is_header(names) and (delimiter == "\t" or _is_terse(names, rows))):
        return None
    return TableFacts(
        rows=rows,
        columns=columns,
        names=[clip(name.strip()) for name in names[:MAX_NAMES]],
        delimiter=delimiter,
        first_row=clip(records[1][1], FIRST_ROW_CHARS) if len(records) > 1 else None,
    )


def _starts_even(text: str, delimiter: str) -> bool:
    """Whether the first lines agree, as far as they can be seen: they tell nearly every text that is no table."""
    head = _without_quoted(text[:_PROBED_CHARS])
    if (unclosed := _OPENING_QUOTE.search(head)) is not None:
        head = head[: unclosed.start()]
    probe = head.split("\n")
    probe = probe[:_PROBED_LINES] if len(probe) > _PROBED_LINES or len(text) <= _PROBED_CHARS else probe[:-1]
    counts = {line.count(delimiter) for line in probe if line.strip()}
    return unclosed is not None or not counts or (len(counts) == 1 and counts != {0})


def _without_quoted(text: str) -> str:
    return _QUOTED.sub("q", text) if '"' in text else text


def _measure(bare: str, delimiter: str) -> tuple[int, int]:
    """Columns and data rows of a text without quoted fields; no columns where its lines disagree."""
    lines = [line for line in bare.split("\n") if line and not line.isspace()]
    counts = {line.count(delimiter) for line in lines}
    return (counts.pop() + 1, len(lines) - 1) if len(counts) == 1 else (0, 0)


def _records(text: str, delimiter: str) -> list[tuple[list[str], str]]:
    """The header and the first data record: their fields, and their own text."""
    head = text.lstrip("\r\n")[:_MAX_HEADER_CHARS]
    lines = [f"{line}\n" for line in head.split("\n", _MAX_HEADER_LINES)]
    consumed = 0
    records: list[tuple[list[str], str]] = []
    reader = csv.reader(lines, delimiter=delimiter)
    while len(records) < 2:
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error:  # a field over the module's limit, which is the process's to set
            fields = lines[consumed].split(delimiter) if consumed < len(lines) else []
            records.append((fields, lines[consumed].strip() if consumed < len(lines) else ""))
            break
        own = "".join(lines[consumed : reader.line_num]).strip("\r\n")
        consumed = reader.line_num
        if own.strip():
            records.append((fields, own))
    return records


def _is_header(names: list[str]) -> bool:
    """Whether the first line may name columns, rather than being a log line or a statement."""
    first = names[0]
    if first.startswith(("{", "[", "<", " ", "#!", "//", "/*")) or _STAMP.search(first.strip()):
        return False
    empty = [name for name in names if not name.strip()]
    return not empty or (len(empty) == 1 and len(names) > 2 and not (names[0].strip() and names[-1].strip()))


def _is_terse(names: list[str], rows: int) -> bool:
    """Whether the first line is no sentence: those have commas and semicolons, but no tabs."""
    if any(len(name) > 100 or len(name.split()) > 5 or name.rstrip().endswith((".", "!", "?")) for name in names):
        return False
    spaced = sum(name.startswith(" ") for name in names[1:])
    return not spaced or len(names) > 3 or (rows > 1 and all(len(name.split()) < 3 for name in names))
