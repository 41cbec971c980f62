"""Where the newest entries of large sessions lay when they were last listed: a hint that saves the looking."""

from collections import OrderedDict

import msgspec

MOST_SESSIONS = 4096


class Tail(msgspec.Struct, frozen=True):
    """Some hundred entries lay from `begin` to `newest`, in milliseconds since 1970."""

    begin: int
    newest: int

    @property
    def width(self) -> int:
        return max(1, self.newest + 1 - self.begin)


class Tails:
    """One worker's, by the session's segment. A wrong one costs requests, and changes no answer."""

    def __init__(self, most_sessions: int = MOST_SESSIONS) -> None:
        self._most_sessions = most_sessions
        self._kept: OrderedDict[str, Tail] = OrderedDict()

    def get(self, session: str) -> Tail | None:
        tail = self._kept.get(session)
        if tail is not None:
            self._kept.move_to_end(session)
        return tail

    def put(self, session: str, tail: Tail) -> None:
        self._kept[session] = tail
        self._kept.move_to_end(session)
        while len(self._kept) > self._most_sessions:
            self._kept.popitem(last=False)

    def drop(self, session: str) -> None:
        self._kept.pop(session, None)
