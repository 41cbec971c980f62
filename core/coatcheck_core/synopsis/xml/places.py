"""Where in the original a byte of what is seen of it stands."""

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step
from coatcheck_core.synopsis.measures import measure
from coatcheck_core.synopsis.seen import Seen

from .finding import OPEN, find


def place(seen: Seen, at: int) -> tuple[int, int]:
    """Chars and 0-based line; of what stands behind an escape code in its line, the chars are too few by that code."""
    before = len(seen.original) - len(seen.data)
    if seen.original.endswith(seen.data[:BLOCK_BYTES], 0, before + BLOCK_BYTES) and seen.original.endswith(seen.data):
        exact = before + at
        return measure(seen.original[:exact], seen.step).chars, seen.original.count(b"\n", 0, exact)
    line = seen.data.count(b"\n", 0, at)
    in_line = measure(seen.data[seen.data.rfind(b"\n", 0, at) + 1 : at], seen.step).chars
    return measure(seen.original[: _line_start(seen.original, line, seen.step)], seen.step).chars + in_line, line


def _line_start(data: bytes, line: int, step: Step) -> int:
    at = 0
    while line > 0:
        step()
        block = data.count(b"\n", at, at + BLOCK_BYTES)
        if block >= line:
            break
        line -= block
        at += BLOCK_BYTES
    for _ in range(line):
        found = find(data, b"\n", at, len(data), step)
        if found == OPEN:
            return len(data)
        at = found + 1
    return at
