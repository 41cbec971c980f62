"""How a text opens and closes: its first and last chars with white space folded."""

from coatcheck_core.synopsis.blocks import boundary
from coatcheck_core.synopsis.bounds import CUT_MARK, fold
from coatcheck_core.synopsis.seen import Seen

EXCERPT_CHARS = 500

_WINDOW_CHARS = 4000
_CHAR_BYTES = 4


def opening(seen: Seen, chars: int = EXCERPT_CHARS) -> str:
    """What 4,000 chars from the first that is no white space are folded to, cut to `chars` with a mark."""
    start = boundary(seen.data, seen.start)
    return fold(seen.between(start, start + _CHAR_BYTES * _WINDOW_CHARS)[:_WINDOW_CHARS], chars)


def closing(seen: Seen, chars: int = EXCERPT_CHARS) -> str:
    """The last of the text folded, of what comes after its first 500 chars; with a mark before it where it was cut."""
    opened = len(seen.head(_CHAR_BYTES * EXCERPT_CHARS)[:EXCERPT_CHARS].encode())
    last = seen.between(max(opened, seen.end - _CHAR_BYTES * _WINDOW_CHARS), seen.end)
    folded = " ".join(last[-_WINDOW_CHARS:].split())
    return folded if len(folded) <= chars else CUT_MARK + folded[-(chars - 1) :]
