"""Siblings that are all alike, counted without a look at each."""

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .finding import Constructs

_BETWEEN_BYTES = 200
"""The longest white space between two siblings that is looked for again."""
LEAST_ALIKE = 4
_WORTHWHILE = 64
_RAREST = 4096
"""Siblings alike before a run is tried, skipped for it to be tried as soon again, and before a try that fails often."""
_FIRST_WINDOW = 16
"""As many siblings' length is tried at once; then more each time."""
LEAST_WINDOW_BYTES = 1024
_GROWTH = 4


class Runs:
    """Tries for runs where siblings are alike: in a window that grows with success, and more rarely without."""

    def __init__(self, data: bytes, constructs: Constructs, step: Step, above: tuple[bytes, ...]) -> None:
        self._data = data
        self._above = above
        self._constructs = constructs
        self._step = step
        self._tag = b""
        self._alike = 0
        self._wanted = LEAST_ALIKE

    def is_due(self, tag: bytes) -> bool:
        """To be asked at each sibling: whether the last ones were all alike, and enough of them."""
        self._alike = self._alike + 1 if tag == self._tag else 1
        self._tag = tag
        return self._alike >= self._wanted

    def skip(self, at: int, length: int) -> tuple[int, int]:
        """How many siblings follow that are like the one of that length that ends there; where the last ends."""
        total, count, size = 0, 1, max(_FIRST_WINDOW * length, LEAST_WINDOW_BYTES)
        while count:
            self._step()
            free = min(at + size, self._constructs.after(at))
            count, at = skip_run(self._data, at, self._tag, free, self._tag in self._above)
            total += count
            size = min(size * _GROWTH, BLOCK_BYTES)
        self._alike = 0
        self._wanted = LEAST_ALIKE if total >= _WORTHWHILE else min(self._wanted * 2, _RAREST)
        return total, at


def skip_run(data: bytes, at: int, tag: bytes, free: int, is_above: bool) -> tuple[int, int]:
    """How many siblings follow that are like the one of that tag that ends at `at`, and where the last of them ends.

    Up to `free` there are tags and text alone. A seam is an end tag, what stands behind the sibling at `at`, and how a
    start tag begins. As many start tags of the name as seams means that both take turns, since each end tag closes one
    of these: no sibling holds another of its name, and between two of them is no other. Not so where an element above
    has the name. Of empty-element tags all tags are counted, and each `>`, so that none is text.
    """
    following = data.find(b"<", at, min(at + _BETWEEN_BYTES, free))
    opening = b"<" + tag
    behind = following + len(opening)
    if following < 0 or behind >= free or not data.startswith(opening, following) or data[behind] not in b" \t\r\n/>":
        return 0, at
    is_empty = data.startswith(b"/>", at - 2)
    closing = b"</" + tag + b">"
    if is_empty:
        closing = b">" if data[behind] == 0x2F else b"/>"  # of `<a/>`, the slash is the start tag's
    elif is_above or not data.endswith(closing, 0, at):
        return 0, at
    seam = closing + data[at : behind + 1]
    last = data.rfind(seam, at, free)
    if last < 0:
        return 0, at
    end = last + len(closing)
    seams = data.count(seam, at, last + len(seam))
    starts = data.count(b"<" if is_empty else opening, at, end)
    ends = data.count(b">", at, end) if is_empty else seams
    return (seams, end) if seams == starts == ends else (0, at)
