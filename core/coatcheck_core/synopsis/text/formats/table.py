"""Tables for people: columns kept apart by blanks, or by lines drawn around them."""

import re
from itertools import pairwise

import msgspec

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import filled_lines
from .listings import is_long_listing
from .probe import Format, Probe
from .repeated import repeated_values

_PROBED_ROWS = 40
_LEAST_ROWS = 3
_MOST_ABOVE = 8
_MAX_NAMES = 30
_WIDE_GAP = 3
_MOSTLY = 3
_LEAST_BARRED = 5
_CROSSED = 0.2
_BOX = "│┃|║├┼┤┌┬┐└┴┘╭╮╰╯╞╪╡═─━┏┳┓┡╇┩"
_TOTAL = re.compile(r"\s*total:?\s+[\d.]+[KMGT]?\s*$", re.IGNORECASE)
_FOOTER = re.compile(r"\(\d+ rows?\)|\d+ rows? in set|\(\d+ rows? affected\)")
_SUMMED = re.compile(r"(?:TOTAL|Total|total)\b")
_WIDE = re.compile(r" {2,}|\t+")
_PAIR = re.compile(r"\s*[^\s:][^:]{0,60}:(?:\s|$)")
_INSTALLED = re.compile(r"\+{2,3}-=+(?:-=+)+\s*$")
_RUNS = re.compile(r"[^\s-]+")
_BOXES = re.compile(r"\S+")
_ODD = re.compile(
    r".*(?:[{;,]|\*/)\s*$|\s*[\w.]+\s?\(.*\)\s*$|\s*#\s?(?:define|include|if|endif|undef)\b"
    r"|\s*[{}]|\s*</|\s*//|\s*\w+ ?= ?\S"
)
_RULE = re.compile(
    rb"\n[ \t]*[-+=|:\xe2\x94\x80-\xbf ]*(?:---|===|\xe2\x94\x80|\xe2\x95\x90"
    rb"|\xe2\x94\x81)[-+=|:\xe2\x94\x80-\xbf \t\r]*(?=\n|\Z)"
)


class Columns(msgspec.Struct, frozen=True):
    """Where each column begins and ends, in chars, or what `edge` is between them; `filled` is a share of the cells."""

    spans: list[tuple[int, int]]
    filled: float
    header: list[str] | None
    edge: str | None = None
    above: int = 0
    """Lines that are not blank before the first of the table."""


def matches(probe: Probe) -> bool:
    return not is_long_listing(probe.bare) and read_columns(probe.bare) is not None


def read_columns(lines: list[str]) -> Columns | None:
    """The columns of a text's first lines that are not blank, where it is a table and little else."""
    drawn = _drawn(lines) or _barred(lines)
    if drawn is not None:
        return drawn
    if sum("  " in line or "\t" in line for line in map(str.strip, lines[:_PROBED_ROWS])) < 0.3 * len(
        lines[:_PROBED_ROWS]
    ):
        return None
    placed = [
        (at, line.expandtabs()) for at, line in enumerate(lines[: _PROBED_ROWS + _MOST_ABOVE]) if not _TOTAL.match(line)
    ]
    every = [line for _, line in placed]
    if sum(line.startswith("\t") for line in lines[:_PROBED_ROWS]) > 0.3 * len(lines[:_PROBED_ROWS]):
        return None  # a recipe's lines, or what is nested in others
    if sum("  " in line.strip() for line in every) < 0.4 * len(every):
        return None
    for above in range(min(_MOST_ABOVE, max(len(every) - _LEAST_ROWS, 0)) + 1):
        rows = every[above : above + _PROBED_ROWS]
        if above > 1 and not _is_header(rows[0]):
            continue
        if (columns := _aligned(rows)) is not None:
            return msgspec.structs.replace(columns, above=placed[above][0])
    return None


def _drawn(lines: list[str]) -> Columns | None:
    """With a rule between its header and its rows, or a box around it."""
    for at, line in enumerate(lines[:6]):
        if not _is_rule(line):
            continue
        header_at = at + 1 if at == 0 or not _cells(lines[at - 1], line) else at - 1
        if header_at >= len(lines):
            return None
        header = _cells(lines[header_at], line)
        rows = [later for later in lines[max(at, header_at) + 1 :] if not _is_rule(later) and not _FOOTER.match(later)]
        like = sum(_is_row(row, header, line) for row in rows)
        if len(header) >= 2 and like >= 0.7 * len(rows) and header_at + len(rows) + 4 >= 0.6 * len(lines):
            edge = None if _INSTALLED.match(line) else _edge(lines[header_at])
            spans = [] if edge else _rule_spans(line)
            return Columns(spans=spans, filled=1.0, header=header, edge=edge, above=min(at, header_at))
    return None


def _barred(lines: list[str]) -> Columns | None:
    """Names between bars, and as many bars in the lines below them."""
    bars = lines[0].count(" | ") if lines else 0
    below = lines[1 : _PROBED_ROWS + 1]
    if bars < 2 or len(below) < _LEAST_BARRED or sum(line.count(" | ") == bars for line in below) < 0.9 * len(below):
        return None
    header = [cell.strip() for cell in lines[0].split("|")]
    is_named = all(name and not name[0].isdigit() for name in header) and len(set(below)) > 0.3 * len(below)
    return Columns(spans=[], filled=1.0, header=header, edge="|") if is_named else None


def _is_rule(line: str) -> bool:
    """`---+---`, `|---|---|`, `=== ===`, `┌──┬──┐`."""
    bare = line.strip()
    if not bare or bare.strip("|+-=: " + _BOX):
        return False
    drawn = any(run in bare for run in ("---", "===", "───", "═══", "━━━", "|--", "|:-", "-|-"))
    return drawn and any(between in bare for between in "|+ " + _BOX.replace("─", "").replace("═", "").replace("━", ""))


def _cells(line: str, rule: str) -> list[str]:
    if _INSTALLED.match(rule):
        return [line[start:end].strip() for start, end in _rule_spans(rule)]
    bare = line.strip()
    edge = _edge(bare)
    if edge is not None:
        return [cell.strip() for cell in bare.strip(edge).split(edge)]
    if "+" in rule or "|" in rule:
        return []
    return [line[start:end].strip() for start, end in _rule_spans(rule)]


def _edge(line: str) -> str | None:
    return next((edge for edge in "│┃║|" if edge in line), None)


def _rule_spans(rule: str) -> list[tuple[int, int]]:
    """Between its runs, which `dpkg -l` parts by a `-`, and others by blanks."""
    runs = _RUNS if _INSTALLED.match(rule) else _BOXES
    starts = [match.start() for match in runs.finditer(rule)]
    return list(zip(starts, [*starts[1:], 10_000], strict=True))


def _is_row(row: str, header: list[str], rule: str) -> bool:
    edge = None if _INSTALLED.match(rule) else next((edge for edge in "│┃║|" if edge in rule or edge in row), None)
    if edge is not None:
        return abs(row.strip().strip(edge).count(edge) + 1 - len(header)) <= 1
    return all(start == 0 or row[start - 1 : start] in ("", " ") for start, _ in _rule_spans(rule))


def _aligned(rows: list[str]) -> Columns | None:
    """Columns that blanks keep apart in nearly every line, of cells and not of sentences."""
    if len(rows) < _LEAST_ROWS:
        return None
    spans = _spans(rows)
    if len(spans) < 2:
        return None
    cells = [[row[start:end].strip() for start, end in spans] for row in rows]
    every = [cell for row in cells for cell in row[:-1]]
    filled = sum(map(bool, every)) / len(every)
    wordy = sum(len(cell.split()) > 4 for cell in every) / len(every)
    header = cells[0] if _is_header(rows[0]) else None
    if filled < 0.6 or _are_odd(rows) or _has_signs(cells) or _are_pairs(rows):
        return None
    if wordy > 0.1 and (header is None or len(_WIDE.split(rows[0].strip())) != len(spans)):
        return None
    if not (len(spans) >= 4 or header is not None or (len(spans) == 3 and filled > 0.95)):
        return None
    if header is None and not _is_data(cells):
        return None
    if header is None:
        return Columns(spans=spans, filled=filled, header=None)
    names = _names(rows)
    exact = [rows[0][start:end].strip() for start, end in spans] == names
    return Columns(spans=spans if exact else [], filled=filled, header=names)


def _spans(rows: list[str]) -> list[tuple[int, int]]:
    """Between the places where nine lines of ten have a blank, or have ended."""
    width = min(max(map(len, rows)), 400)
    least = 0.94 * len(rows)
    columns = zip(*(row[:width].ljust(width) for row in rows), strict=True)
    blank = [column.count(" ") >= least for column in columns]
    spans: list[tuple[int, int]] = []
    start = None
    for at, is_blank in enumerate([*blank, True]):
        if not is_blank and start is None:
            start = at
        elif is_blank and start is not None:
            spans.append((start, at))
            start = None
    return [(start, spans[at + 1][0] if at + 1 < len(spans) else 10_000) for at, (start, _) in enumerate(spans)]


def _is_header(row: str) -> bool:
    """Names of columns, which have no figures, and are capitals or begin with one."""
    names = row.split()
    if len(names) < 2 or any(char.isdigit() for name in names[:3] for char in name[:1]):
        return False
    bare = [name.strip("%()[]#:,./*") for name in names]
    if any(name.endswith((",", ";", ".", "{", "(")) for name in names):
        return False
    named = [name for name in bare if name[:1].isalpha()]
    return len(named) >= 0.7 * len(names) and (
        sum(name.isupper() for name in named) >= 0.6 * len(named)
        or (len(_WIDE.split(row.strip())) >= 2 and sum(name[:1].isupper() for name in named) >= 0.5 * len(named))
        or (len(_WIDE.split(row.strip())) >= 3 and len(named) <= 14)
    )


def _is_data(cells: list[list[str]]) -> bool:
    """Rows without names above them: a column of figures, of one word each, or of the same few."""
    columns = list(zip(*cells, strict=True))[:-1]
    figures = sum(all(cell[:1].isdigit() or not cell for cell in column) for column in columns)
    single = sum(all(len(cell.split()) <= 1 for cell in column) for column in columns)
    return single >= 0.75 * len(columns) and (figures >= 1 or len(columns) >= 4)


def _are_odd(rows: list[str]) -> bool:
    """Lines as code and prose have them, or the same again and again."""
    odd = sum(_ODD.match(row) is not None for row in rows)
    sentences = sum(row.rstrip().endswith((".", "!", "?", ":")) and len(row.split()) > 6 for row in rows)
    if any("/*" in row or "*/" in row for row in rows):
        return True
    return odd > 0.1 * len(rows) or sentences > 0.4 * len(rows) or len(set(rows)) <= 0.3 * len(rows)


def _has_signs(cells: list[list[str]]) -> bool:
    """A column of `=` or `:` parts names from their values: those are settings."""
    return any(
        sum(cell in ("=", ":", ":=", "+=", "=>", "->") for cell in column) > 0.6 * len(cells)
        for column in zip(*cells, strict=True)
    )


def _are_pairs(rows: list[str]) -> bool:
    """`State:  Waiting`, indented by what it belongs to: a description, whose values only happen to be aligned."""
    pairs = sum(_PAIR.match(row) is not None and len(_WIDE.split(row.strip())) <= 2 for row in rows)
    return pairs > 0.4 * len(rows)


def _names(rows: list[str]) -> list[str]:
    """A single blank is within a name where all names are three apart, or where values stand across it."""
    row = rows[0].rstrip()
    words = list(_BOXES.finditer(row))
    gaps = [after.start() - before.end() for before, after in pairwise(words)]
    parted = [gap for gap in gaps if gap > 1]
    is_wide = len(parted) >= _MOSTLY * (len(gaps) - len(parted)) and min(parted, default=0) >= _WIDE_GAP
    names = [words[0][0]]
    for before, after in pairwise(words):
        gap = after.start() - before.end()
        if gap == 1 and (is_wide or after[0].islower() or _is_crossed(rows[1:], before.end())):
            names[-1] += " " + after[0]
        else:
            names.append(after[0])
    return names if len(names) > 1 else row.split()


def _is_crossed(rows: list[str], at: int) -> bool:
    """Whether many lines have no blank there."""
    return sum(row[at : at + 1] not in ("", " ") for row in rows) > _CROSSED * len(rows)


def details(seen: Seen) -> list[Detail]:
    """The columns' names, and how many lines come after them that are neither blank nor drawn."""
    probe = Probe(seen)
    columns = read_columns(probe.bare)
    if columns is None:
        return []
    above = sum(not _is_rule(line) for line in probe.bare[: columns.above])
    rows = filled_lines(seen) - _rules(seen) - above
    if columns.header is None:
        return [Detail(name="rows without a header", count=rows)]
    if columns.edge is not None:
        return _told(columns, seen, _edged_rows(seen, columns.edge))
    return _told(columns, seen, rows - 1 - _below(probe.tail))


def _below(tail: list[str]) -> int:
    """Lines under a table that are none of its rows: how many there are, or their sum under a rule."""
    footers = sum(_FOOTER.match(line) is not None for line in tail[-2:])
    is_summed = len(tail) > 1 and _SUMMED.match(tail[-1]) is not None and not tail[-2].strip().strip("-=─━ ")
    return footers + is_summed


def _told(columns: Columns, seen: Seen, rows: int) -> list[Detail]:
    header = columns.header or []
    return [
        Detail(name="columns", count=len(header), values=[clip(name, 60) for name in header[:_MAX_NAMES]]),
        Detail(name="rows", count=max(rows, 0)),
        *(repeated_values(seen, header, columns.spans) if columns.spans or columns.edge else []),
    ]


def _edged_rows(seen: Seen, edge: str) -> int:
    """Lines with an edge in them that are no rule, without the header."""
    pattern = re.compile(rb"\n(?![-+=|: \t]*+(?:[\r\n]|\Z))[^\n]*?" + re.escape(edge.encode()))
    return sum(len(found_in(window, pattern)) for window in seen.windows()) - 1


def _rules(seen: Seen) -> int:
    count = 0
    for window in seen.windows():
        found = (match.start() + 1 for match in _RULE.finditer(window.text, window.start - 1))
        count += sum(window.start <= at < window.end for at in found)
    return count


TABLE = Format("table", matches, details)
