"""Find the lines that matter in a text of any size: block by block, counted exactly, only the first of them decoded."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from re import Pattern

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.bounds import fold
from coatcheck_core.synopsis.seen import Seen

LONGEST_LINE = 4000
"""Longer lines are cut before they are searched, so that no pattern has far to go back."""
_SHOWN_BYTES = 2000
_REST = rb"[^\n]*"


@cache
def _without_rest(pattern: Pattern[bytes]) -> Pattern[bytes]:
    """The same without what only shows the rest of the line: counting needs no copy of it."""
    whole = pattern.pattern
    return re.compile(whole.removesuffix(_REST + b")") + b")") if whole.endswith(_REST + b")") else pattern


class Hit(msgspec.Struct, frozen=True):
    """`line` is 0-based, `text` the found bytes."""

    line: int
    text: bytes


class Hits(msgspec.Struct):
    """The first `most` hits, and how many there are."""

    most: int
    shown: list[Hit] = []
    count: int = 0

    def add(self, block: bytes, line: int, pattern: Pattern[bytes]) -> None:
        """Those of a block that begins with a newline, whose next line has the number `line`."""
        found = len(_without_rest(pattern).findall(block))
        at = 0
        for match in islice(pattern.finditer(block), min(found, self.most - len(self.shown))):
            line += block.count(b"\n", at, match.start())
            at = match.start()
            self.shown.append(Hit(line, match[0][1:_SHOWN_BYTES]))
        self.count += found

    @property
    def has_room(self) -> bool:
        return len(self.shown) < self.most

    def show(self, line: int, texts: list[bytes]) -> None:
        """What was found on a line, as far as there is room; it counts elsewhere."""
        if self.has_room:
            self.shown += [Hit(line, text[:_SHOWN_BYTES]) for text in texts[: self.most - len(self.shown)]]

    def texts(self, limit: int) -> list[str]:
        """What they say, white space folded, at most `limit` chars each."""
        return [as_text(hit.text, limit) for hit in self.shown]

    def lines(self) -> list[int]:
        return [hit.line for hit in self.shown]


def as_text(found: bytes, limit: int) -> str:
    return fold(found.decode(errors="ignore"), limit)


def numbered_blocks(seen: Seen, size: int = BLOCK_BYTES) -> Iterator[tuple[int, bytes]]:
    """Each block's lines with the newline before them, and the first one's number; at last nothing, with their count.

    What goes on with a longer line begins at its first line's end, and is left out where it has none.
    """
    line, begins = 0, True
    for block in seen.blocks(size):
        if begins:
            yield line, b"\n" + _bounded_lines(block)
        elif (end := block.find(b"\n")) >= 0:
            yield line + 1, _bounded_lines(block[end:])
        begins = block.endswith(b"\n")
        line += block.count(b"\n")
    yield line, b""


def _bounded_lines(block: bytes) -> bytes:
    """The very block where no line is too long, which is nearly always: asked in strides of many lines."""
    at = 0
    while len(block) - at > LONGEST_LINE:
        end = block.rfind(b"\n", at, at + LONGEST_LINE + 1)
        if end < at:
            return b"\n".join(line[:LONGEST_LINE] for line in block.split(b"\n"))
        at = end + 1
    return block
