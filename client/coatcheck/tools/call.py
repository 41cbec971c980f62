"""One call of a tool: whom it asks, and in which words and how many chars it is answered."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from .words import Phrases

if TYPE_CHECKING:
    from coatcheck.client.requesting import Requests

_FRAME_CHARS = 300
"""What a head has of its own words and numbers, at most."""
_TRIES = 3


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """`names` are those of all tools, by key; `room` is how long the answer may be."""

    client: "Requests"
    session: str
    names: Mapping[str, str]
    words: Phrases
    room: int

    def room_beside(self, *shown: str) -> int:
        """The chars that are left for content beside a head that has these."""
        return self.room - _FRAME_CHARS - sum(map(len, shown))


def with_head(facts: Iterable[str], content: str = "") -> str:
    """What there is to know first, on a line of its own, so that no content can forge it."""
    head = f"[{'; '.join(fact for fact in facts if fact)}]"
    return f"{head}\n{content}" if content else head


class Paged(Protocol):
    """A reply that a cursor goes on from."""

    @property
    def has_more(self) -> bool: ...
    @property
    def cursor(self) -> str | None: ...


_Reply = TypeVar("_Reply", bound=Paged)


async def until_some(
    ask: Callable[[str | None], Awaitable[_Reply]],
    has_some: Callable[[_Reply], bool],
    cursor: str | None,
    *,
    after: Callable[[_Reply, _Reply], _Reply] = lambda _, reply: reply,
) -> _Reply:
    """The reply from a cursor on; where a worker's time passed before it found any, some replies later.

    `after` gives the later of two with what is to be kept of the one before it.
    """
    reply = await ask(cursor)
    for _ in range(_TRIES - 1):
        if has_some(reply) or not reply.has_more or reply.cursor is None:
            break
        reply = after(reply, await ask(reply.cursor))
    return reply
