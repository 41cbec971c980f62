"""The first records of a table: they tell nearly every text that is none."""

import csv
from collections import Counter

import msgspec

from .quoting import QUOTE, Outside
from .source import Source

PROBED_RECORDS = 51

_MOST_COLUMNS = 100_000
_MOST_COMMENTS = 200
_LEAST_TO_BE_CUT = 4
"""With fewer records nothing tells a cut first record, or a line put in at the end, from a text that is no table."""
_MOST_ADDED = 4
_FIRST_BYTES = (1500, 8000)
"""What is looked at first: nearly every text that is no table disagrees there already."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """`records` are the first, whole ones, `texts` as they stand; `start` is the offset of the first, in bytes.

    `starts_cut` says that the first has fewer fields than the others have, which all agree.
    """

    start: int
    columns: int
    records: list[list[str]]
    texts: list[str]
    starts_cut: bool


def read_head(source: Source, delimiter: str, *, quotes: bool = True) -> Head | None:
    """None where the first records do not agree on two columns or more."""
    head, mark = source.head, delimiter.encode()
    if mark not in head:
        return None
    is_whole = len(head) == source.size
    start = _start(head, mark)
    head = head[start:]
    if not any(mark in line or QUOTE in line for line in head.split(b"\n", 2)[:2]):
        return None
    if any(_disagree(head[:size], mark, quotes, is_whole) for size in _FIRST_BYTES if size < len(head)):
        return None
    counts = _counts(head, mark, quotes, is_whole)
    if counts is None:
        return None
    columns, starts_cut = counts
    records, texts = _records(head.decode(), delimiter, quotes, is_whole)
    if is_whole:
        while records and len(records[-1]) != columns:
            records.pop()  # cut, or no record at all
            texts.pop()
    if len(records) <= starts_cut:
        return None
    return Head(start=start, columns=columns, records=records, texts=texts, starts_cut=starts_cut)


def _start(head: bytes, delimiter: bytes) -> int:
    """Past the blank lines and the comments above the first record."""
    at = 0
    comments = []
    for line in head.split(b"\n", _MOST_COMMENTS)[:_MOST_COMMENTS]:
        if line.startswith(b"#"):
            comments.append((at, line))
        elif line.strip():
            break
        at += len(line) + 1
    else:
        return 0
    if comments and comments[-1][1].count(delimiter) == line.count(delimiter) > 0:
        return comments[-1][0]
    return at


def _disagree(first: bytes, delimiter: bytes, quotes: bool, is_whole: bool) -> bool:
    """Whether the first records are such that the whole head's cannot agree on a number of columns.

    Those alone tell that are whole, and that are not among the last ones of a text, which may be uneven.
    """
    first = first[: first.rfind(b"\n") + 1]
    lines = (b"".join(Outside([first], delimiter)) if quotes else first).split(b"\n")[:-1]
    counts = [line.count(delimiter) for line in lines if line and not line.isspace()][:PROBED_RECORDS]
    if is_whole:
        counts = counts[:-_MOST_ADDED]
    return len(counts) > 1 and (counts[1] == 0 or counts[0] > counts[1] or any(map(counts[1].__ne__, counts[2:])))


def _counts(head: bytes, delimiter: bytes, quotes: bool, is_whole: bool) -> tuple[int, bool] | None:
    """How many columns the records agree on, and whether all but the first do."""
    outside = b"".join(Outside([head], delimiter)) if quotes else head
    lines = outside.split(b"\n")
    if not is_whole and len(lines) > 1:
        lines.pop()
    counts = [line.count(delimiter) for line in lines if line and not line.isspace()]
    if not is_whole:
        counts = counts[:PROBED_RECORDS]
    if not counts:
        return None
    common, times = Counter(counts).most_common(1)[0] if len(counts) >= _LEAST_TO_BE_CUT else (counts[0], 1)
    if not 0 < common < _MOST_COLUMNS:
        return None
    starts_cut = counts[0] != common
    # At the end of the whole text a tool may have cut a record, or added lines of its own.
    ends_uneven = _MOST_ADDED if is_whole and len(counts) >= _LEAST_TO_BE_CUT else 0
    even = counts[starts_cut : len(counts) - ends_uneven]
    if any(count != common for count in even) or (starts_cut and (counts[0] > common or times < _LEAST_TO_BE_CUT)):
        return None
    return common + 1, starts_cut


def _records(text: str, delimiter: str, quotes: bool, is_whole: bool) -> tuple[list[list[str]], list[str]]:
    """Their fields, and their own text."""
    lines = [f"{line}\n" for line in text.replace("\r\n", "\n").replace("\r", " ").split("\n")]
    records: list[list[str]] = []
    texts: list[str] = []
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
    consumed = 0
    while len(records) <= PROBED_RECORDS:
        try:
            fields = next(reader)
        except (StopIteration, csv.Error):  # the latter for a field over the module's limit, which is the process's
            break
        own = "".join(lines[consumed : reader.line_num]).strip("\n")
        consumed = reader.line_num
        if own.strip():
            records.append(fields)
            texts.append(own)
    if consumed >= len(lines) and not is_whole and len(records) > 1:
        records.pop()  # where the head ends; its own text is kept, to be shown
    return records[:PROBED_RECORDS], texts[:PROBED_RECORDS]
