"""What a format is judged by: the first lines of a text and the last, bounded whatever its length."""

import re
from collections.abc import Callable

import msgspec

from coatcheck_core.once import once
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

LINES = 100
LINE_CHARS = 400

_HEAD_BYTES = 12_000
_TAIL_BYTES = 8_000


class Probe:
    """`lines` are those of the head with the blank ones, each cut to 400 chars; `bare` those that are not blank."""

    def __init__(self, seen: Seen) -> None:
        self.head = seen.head(_HEAD_BYTES)
        is_cut = len(seen.data) > _HEAD_BYTES
        lines = self.head.split("\n", LINES)[:LINES]
        if is_cut and len(lines) > 1 and len(lines) < LINES:
            lines.pop()
        self.lines = [line[:LINE_CHARS].rstrip("\r") for line in lines]
        self.bare = [line for line in self.lines if line.strip()]
        self._seen = seen

    @once
    def tail(self) -> list[str]:
        """The last lines that are not blank, of 8,000 bytes."""
        lines = self._seen.between(self._seen.end - _TAIL_BYTES, self._seen.end).split("\n")
        return [line[:LINE_CHARS].rstrip("\r") for line in lines if line.strip()]

    def share(self, pattern: re.Pattern[str]) -> float:
        """How many of the head's lines that are not blank begin so, of 1."""
        return sum(1 for line in self.bare if pattern.match(line)) / len(self.bare) if self.bare else 0.0


class Format(msgspec.Struct, frozen=True):
    """`details` reads the whole text. `has_headers` where section headers tell more of it than of data.

    `decides` where what is judged so is neither YAML nor code, whatever else it looks like.
    """

    name: str
    matches: Callable[[Probe], bool]
    details: Callable[[Seen], list[Detail]] | None = None
    has_headers: bool = False
    decides: bool = True
