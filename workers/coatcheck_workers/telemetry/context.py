"""Which result or request the code at hand is about: what lines of the log and spans say of it.

It is set where a message is taken in hand, as it came; what it says is read only where something is written.
"""

from contextvars import ContextVar

from coatcheck_core.decision import Case
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.segments import decode_segment

About = str | Case
"""A subject of ours, or a result that is known."""
ABOUT: ContextVar[About | None] = ContextVar("about", default=None)

_NAMES = ("session", "turn", "call")
_NAMED_BY = {"results": 3, "turns": 2, "due": 2, "held": 2}


def ids_of(about: About | None) -> dict[str, str]:
    """`session`, `turn`, `call` and `result_id`, as far as they are known; none is empty.

    They are whoever's made them, of any chars: what is written of them is to be escaped.
    """
    if about is None:
        return {}
    if isinstance(about, str):
        return _named(about)
    result = about.result
    known = {"session": result.session_id, "turn": result.turn_id, "call": result.call_id}
    return {name: value for name, value in known.items() if value} | {"result_id": result.result_id}


def _named(subject: str) -> dict[str, str]:
    """By the place in the subject, as `PREFIX.results.SESSION.TURN.CALL`; a request's has its session alone."""
    what, *segments = subject.split(".")[1:] or [""]
    known = zip(_NAMES[: _NAMED_BY.get(what, 1)], segments, strict=False)
    return {name: identifier for name, segment in known if (identifier := _identifier(segment))}


def _identifier(segment: str) -> str:
    """As the segment says it; one that is not canonical stands for itself."""
    try:
        return decode_segment(segment)
    except (InvalidInput, ValueError):
        return segment
