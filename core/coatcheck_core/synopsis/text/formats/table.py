"""Tables for people: columns kept apart by blanks, or by lines drawn around them."""

import re

import msgspec

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import filled_lines
from .probe import Format, Probe
from .repeated import repeated_values

_PROBED_ROWS = 40
_LEAST_ROWS = 3
_MOST_ABOVE = 8
_MAX_NAMES = 30
_BOX = "│┃|║├┼┤┌┬┐└┴┘╭╮╰╯╞╪╡═─━┏┳┓┡╇┩"
_TOTAL = re.compile(r"\s*total:?\s+[\d.]+[KMGT]?\s*$", re.IGNORECASE)
_FOOTER = re.compile(r"\(\d+ rows?\)|\d+ rows? in set|\(\d+ rows? affected\)")
_WIDE = re.compile(r" {2,}|\t+")
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


def matches(probe: Probe) -> bool:
    return read_columns(probe.bare) is not None


def read_columns(lines: list[str]) -> Columns | None:
    """The columns of a text's first lines that are not blank, where it is a table and little else."""
    drawn = _drawn(lines)
    if drawn is not None:
        return drawn
    if sum("  " in line or "\t" in line for line in map(str.strip, lines[:_PROBED_ROWS])) < 0.3 * len(
        lines[:_PROBED_ROWS]
    ):
        return None
    every = [line.expandtabs() for line in lines[: _PROBED_ROWS + _MOST_ABOVE] if not _TOTAL.match(line)]
    if sum(line.startswith("\t") for line in lines[:_PROBED_ROWS]) > 0.3 * len(lines[:_PROBED_ROWS]):
        return None  # a recipe's lines, or what is nested in others
    if sum("  " in line.strip() for line in every) < 0.4 * len(every):
        return None
    for above in range(min(_MOST_ABOVE, max(len(every) - _LEAST_ROWS, 0)) + 1):
        rows = every[above : above + _PROBED_ROWS]
        if above > 1 and not _is_header(rows[0]):
            continue
        if (columns := _aligned(rows)) is not None:
            return columns
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
            edge = _edge(lines[header_at])
            return Columns(spans=[] if edge else _rule_spans(line), filled=1.0, header=header, edge=edge)
    return None


def _is_rule(line: str) -> bool:
    """`---+---`, `|---|---|`, `=== ===`, `┌──┬──┐`."""
    bare = line.strip()
    if not bare or bare.strip("|+-=: " + _BOX):
        return False
    drawn = any(run in bare for run in ("---", "===", "───", "═══", "━━━", "|--", "|:-", "-|-"))
    return drawn and any(between in bare for between in "|+ " + _BOX.replace("─", "").replace("═", "").replace("━", ""))


def _cells(line: str, rule: str) -> list[str]:
    bare = line.strip()
    edge = _edge(bare)
    if edge is not None:
        return [cell.strip() for cell in bare.strip(edge).split(edge)]
    if "+" in rule or "|" in rule:
        return []
    starts = [match.start() for match in re.finditer(r"\S+", rule)]
    ends = [*starts[1:], max(len(line), len(rule))]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _edge(line: str) -> str | None:
    return next((edge for edge in "│┃║|" if edge in line), None)


def _rule_spans(rule: str) -> list[tuple[int, int]]:
    starts = [match.start() for match in re.finditer(r"\S+", rule)]
    return list(zip(starts, [*starts[1:], 10_000], strict=True))


def _is_row(row: str, header: list[str], rule: str) -> bool:
    edge = next((edge for edge in "│┃║|" if edge in rule or edge in row), None)
    if edge is not None:
        return abs(row.strip().strip(edge).count(edge) + 1 - len(header)) <= 1
    starts = [match.start() for match in re.finditer(r"\S+", rule)]
    return all(start == 0 or row[start - 1 : start] in ("", " ") for start in starts)


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
    if filled < 0.6 or _are_odd(rows) or _has_signs(cells):
        return None
    if wordy > 0.1 and (header is None or len(_WIDE.split(rows[0].strip())) != len(spans)):
        return None
    if not (len(spans) >= 4 or header is not None or (len(spans) == 3 and filled > 0.95)):
        return None
    if header is None and not _is_data(cells):
        return None
    return Columns(spans=spans, filled=filled, header=_names(rows[0], len(spans)) if header is not None else None)


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


def _names(row: str, columns: int) -> list[str]:
    """Two blanks part names where there are any: a name may hold one."""
    wide = [name for name in _WIDE.split(row.strip()) if name]
    single = row.split()
    if len(single) == columns:
        return single
    return wide if len(wide) > len(single) / 2 and len(wide) > 1 else single


def details(seen: Seen) -> list[Detail]:
    """The columns' names, and how many lines come after them that are neither blank nor drawn."""
    probe = Probe(seen)
    columns = read_columns(probe.bare)
    if columns is None:
        return []
    rows = filled_lines(seen) - _rules(seen)
    if columns.header is None:
        return [Detail(name="rows without a header", count=rows)]
    if columns.edge is not None:
        return _told(columns, seen, _edged_rows(seen, columns.edge))
    header_at = next((at for at, line in enumerate(probe.bare) if all(name in line for name in columns.header)), 0)
    above = sum(not _is_rule(line) for line in probe.bare[: header_at + 1])
    footers = sum(_FOOTER.match(line) is not None for line in probe.tail[-2:])
    return _told(columns, seen, rows - above - footers)


def _told(columns: Columns, seen: Seen, rows: int) -> list[Detail]:
    header = columns.header or []
    return [
        Detail(name="columns", count=len(header), values=[clip(name, 60) for name in header[:_MAX_NAMES]]),
        Detail(name="rows", count=max(rows, 0)),
        *repeated_values(seen, header, columns.spans),
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
