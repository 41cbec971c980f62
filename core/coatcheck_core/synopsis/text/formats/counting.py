"""Counts that several formats share: of lines, and of what is met most often."""

from collections import Counter
from collections.abc import Iterable

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

MOST_KINDS = 10_000
VALUE_CHARS = 120

_BLANKS = b" \t\r\x0b\x0c"
_MARKED = bytes(0x0A if byte == 0x0A else 0x78 for byte in range(256))
"""A newline as it is, all else that is not left out as an `x`: a line that is not blank begins at each `\\nx`."""


class Tally:
    """How often each value was met; where there are more than 10,000 of them, those met first."""

    def __init__(self) -> None:
        self.counts: Counter[bytes] = Counter()
        self.is_cut = False

    def add(self, values: Iterable[bytes]) -> None:
        self.counts.update(values)
        if len(self.counts) > MOST_KINDS:
            self.is_cut = True
            self.counts = Counter(dict(self.counts.most_common(MOST_KINDS // 2)))

    def detail(self, name: str, shown: int, *, counted: bool = True) -> list[Detail]:
        """The most frequent, as `value 12`; none where there is none. No count where values were dropped."""
        if not self.counts:
            return []
        values = [
            f"{text(value)} {count}" if counted else text(value) for value, count in self.counts.most_common(shown)
        ]
        return [Detail(name=name, count=None if self.is_cut else len(self.counts), values=values)]


def text(value: bytes, limit: int = VALUE_CHARS) -> str:
    """Decoded on one line, clipped."""
    return clip(" ".join(value[: 4 * limit].decode(errors="ignore").split()), limit)


def filled_lines(seen: Seen) -> int:
    """The lines that are not blank."""
    count = 0
    before = b"\n"
    for block in seen.blocks():
        marked = before + block.translate(_MARKED, _BLANKS)
        count += marked.count(b"\nx")
        before = marked[-1:]
    return count
