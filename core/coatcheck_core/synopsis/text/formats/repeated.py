"""What the columns of a table repeat: `STATUS: Running 53, CrashLoopBackOff 7`."""

from collections import Counter

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

MAX_BYTES = 1_000_000
"""Of a larger table nothing of this is said: its cells are looked at one by one."""

_MOST_VALUES = 8
_MOST_COLUMNS = 3
_LEAST_ROWS = 4
_BLANKS = ("", "-", "<none>")
_BOXES = "│┃║|"
_DRAWN = "-+=|: " + _BOXES + "├┼┤┌┬┐└┴┘╭╮╰╯╞╪╡═─━┏┳┓┡╇┩"


def repeated_values(seen: Seen, header: list[str], spans: list[tuple[int, int]]) -> list[Detail]:
    """Of the columns behind the first that have two to eight values, how often each is there, exactly."""
    if len(seen.data) > MAX_BYTES:
        return []
    rows = _rows(seen, header, spans)
    if len(rows) < _LEAST_ROWS:
        return []
    details = []
    for at, name in enumerate(header[1:], 1):
        values = Counter(row[at] for row in rows)
        told = [value for value in values if value not in _BLANKS]
        if 2 <= len(told) <= _MOST_VALUES and len(values) <= len(rows) / 2 and not all(map(_is_figure, told)):
            shown = [f"{clip(value, 40)} {values[value]}" for value, _ in values.most_common() if value in told]
            details.append(Detail(name=clip(name, 60), values=shown))
    return details[:_MOST_COLUMNS]


def _rows(seen: Seen, header: list[str], spans: list[tuple[int, int]]) -> list[list[str]]:
    """The cells of the lines below the header that have all of them."""
    rows: list[list[str]] = []
    below = False
    for block in seen.blocks():
        for line in block.decode(errors="ignore").split("\n"):
            if not below:
                below = all(name in line for name in header)
            elif line.strip() and line.strip(_DRAWN + "\r"):
                cells = _cells(line.rstrip("\r"), spans)
                if len(cells) == len(header):
                    rows.append(cells)
    return rows


def _cells(line: str, spans: list[tuple[int, int]]) -> list[str]:
    if spans:
        line = line.expandtabs()
        return [line[start:end].strip() for start, end in spans]
    edge = next((edge for edge in _BOXES if edge in line), None)
    return [cell.strip() for cell in line.strip().strip(edge).split(edge)] if edge is not None else []


def _is_figure(value: str) -> bool:
    return value[:1].isdigit()
