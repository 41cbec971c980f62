"""Siblings that are all alike, counted without a look at each."""

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .finding import Constructs

LEAST_ALIKE = 4
_BETWEEN_BYTES = 200
"""The longest white space between two siblings that is looked for again."""
FIRST_WINDOW_BYTES = 8 * 1024
_GROWTH = 4
"""As much is tried at once; then more each time."""
_RAREST = 64
"""Blocks before a try that fails often."""


class Run(msgspec.Struct, frozen=True):
    """How many siblings were skipped, how many elements these are with all that is in them, and where the last ends."""

    siblings: int
    elements: int
    end: int


class Runs:
    """Tries for runs where siblings are alike: in a window that grows with success, and more rarely without."""

    def __init__(self, data: bytes, end: int, step: Step) -> None:
        self._data = data
        self._constructs = Constructs(data, end, step)
        self._step = step
        self._waited = self._wanted = 1

    def is_due(self) -> bool:
        """To be asked at each block whose siblings are alike."""
        self._waited += 1
        return self._waited > self._wanted

    def skip(self, at: int, tag: bytes, *, is_above: bool) -> Run:
        """What follows the sibling of that tag that ends there; `is_above` says that an element above has its name."""
        start, siblings, count, elements, size = at, 0, 1, 0, FIRST_WINDOW_BYTES
        while count:
            self._step()
            before, free = at, min(at + size, self._constructs.after(at))
            count, at = skip_run(self._data, at, tag, free, is_above)
            siblings += count
            elements += self._data.count(b"<", before, at) - self._data.count(b"</", before, at)
            size = min(size * _GROWTH, BLOCK_BYTES)
        self._wanted = 1 if at - start > FIRST_WINDOW_BYTES else min(self._wanted * 2, _RAREST)
        self._waited = 0
        return Run(siblings, elements, at)


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
