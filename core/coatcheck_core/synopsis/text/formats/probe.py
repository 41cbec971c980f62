"""What a format is judged by: the first lines of a text and the last, bounded whatever its length."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

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
    def flat(self) -> str:
        """The head behind a newline, to find at once whether any line begins so; it may have more than `lines`."""
        return "\n" + self.head

    @once
    def joined(self) -> str:
        """`bare`, each line behind a newline."""
        return "\n" + "\n".join(self.bare)

    @once
    def settings(self) -> list[str]:
        """The lines of `bare` that are no comments of a file of settings."""
        return [line for line in self.bare if line.lstrip()[:1] not in ("#", ";", "!")]

    def begins(self, *starts: str) -> bool:
        """Whether any line of the head may begin with one of those."""
        return any("\n" + start in self.flat for start in starts)

    def holds(self, *words: str) -> bool:
        """Whether any of those is in the head."""
        return any(word in self.head for word in words)

    def may_have(self, pattern: re.Pattern[str]) -> bool:
        """False where no line that is not blank begins so, told by one search instead of a match for each line."""
        return _at_line_start(pattern).search(self.joined) is not None

    def mostly(self, pattern: re.Pattern[str], share: float) -> bool:
        """Whether `share` of the lines that are not blank begin so, of 1."""
        return bool(self.bare) and mostly(self.bare, pattern.match, share)

    @once
    def tail(self) -> list[str]:
        """The last lines that are not blank, of 8,000 bytes."""
        lines = self._seen.between(self._seen.end - _TAIL_BYTES, self._seen.end).split("\n")
        return [line[:LINE_CHARS].rstrip("\r") for line in lines if line.strip()]

    def share(self, pattern: re.Pattern[str]) -> float:
        """How many of the head's lines that are not blank begin so, of 1."""
        return sum(1 for line in self.bare if pattern.match(line)) / len(self.bare) if self.bare else 0.0


@cache
def _at_line_start(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """What finds each line that begins so; also lines that do so only together with the next."""
    return re.compile(f"\n(?:{pattern.pattern})", pattern.flags | re.MULTILINE)


def mostly(lines: Sequence[str], is_one: Callable[[str], Any], share: float) -> bool:
    """Whether `is_one` holds for `share` of the lines, of 1; looks no further than where too few are left."""
    count = left = len(lines)
    for line in lines:
        if not is_one(line):
            left -= 1
            if left / count < share:
                return False
    return True


class Format(msgspec.Struct, frozen=True):
    """`details` reads the whole text. `has_headers` where section headers tell more of it than of data.

    `decides` where what is judged so is neither YAML nor code, whatever else it looks like.
    """

    name: str
    matches: Callable[[Probe], bool]
    details: Callable[[Seen], list[Detail]] | None = None
    has_headers: bool = False
    decides: bool = True
