"""What both ends of a large text say of a document that has a strict grammar."""

import msgspec

from coatcheck_schemas.synopsis import Broken, Synopsis

_NOT_CLOSED = "only its start was read, and the end does not close it"
_WHERE_IT_ENDS = frozenset({"then inside", "open"})


class Document(msgspec.Struct, frozen=True):
    """A document; or one that is cut off at its end (`cut`), or is one up to a place (`wrong`); or none of them.

    `broken_at_end` is of a document whose last record is cut, with its place in the end that is in hand.
    """

    synopsis: Synopsis | None = None
    cut: Broken | None = None
    wrong: Broken | None = None
    broken_at_end: Broken | None = None


def not_closed(broken: Broken) -> Broken:
    """Of a start that was cut where reading ended, and of which the end says that the tool cut it as well.

    What was open where reading ended is not what is open at the end.
    """
    read = [detail for detail in broken.read if detail.name not in _WHERE_IT_ENDS]
    return msgspec.structs.replace(broken, reason=_NOT_CLOSED, read=read)
