"""How many start tags there are, in a text that a parser has accepted."""

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .finding import CLOSED_BY, Constructs
from .grammar import CONSTRUCTS

_GROWTH = 4


def count_starts(data: bytes, at: int, end: int, constructs: Constructs, step: Step) -> int:
    """Between two places that cut no tag. A `<` in a comment, CDATA section or instruction counts nothing."""
    count, size = 0, BLOCK_BYTES
    while at < end:
        step()
        limit = min(at + size, end)
        limit -= limit < end and limit - at > 1 and data[limit - 1] == 0x3C
        if constructs.after(at) < limit:
            quoted = CONSTRUCTS.findall(data, at, limit)
            if quoted and limit < end and not _is_whole(quoted[-1]):
                limit -= len(quoted.pop())
            if limit == at:
                size *= _GROWTH
                continue
            inside = b"".join(quoted)
            count -= inside.count(b"<") - inside.count(b"</")
        count += data.count(b"<", at, limit) - data.count(b"</", at, limit)
        at, size = limit, BLOCK_BYTES
    return count


def _is_whole(construct: bytes) -> bool:
    """Whether it is closed where it ends."""
    return any(
        construct.startswith(opening) and construct.endswith(closing) and len(construct) >= len(opening + closing)
        for opening, closing in CLOSED_BY
    )
