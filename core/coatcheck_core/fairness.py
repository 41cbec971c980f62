"""Who is next of those that wait: sessions in turn, each at most so often at a time, and how many may wait."""

from collections import OrderedDict, deque
from typing import Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

Measure = Literal["waiting", "waiting_bytes"]


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How many are at work at a time, how many of these of one session, and how many wait, in number and in bytes."""

    at_work: int
    session_at_work: int
    waiting: int
    waiting_bytes: int


class Waiting(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One in the line; `since` is when it came, `number` which it was."""

    item: T
    session: str
    size: int
    since: float
    number: int


class _Session(Generic[T]):
    def __init__(self) -> None:
        self.waiting: deque[Waiting[T]] = deque()
        self.waiting_bytes = 0
        self.at_work = 0


class Line(Generic[T]):
    """Those that wait, and how many are at work. Every step takes the same time however many wait.

    A session whose turn it is sends one, and comes to the end of the sessions. So one with a thousand waiting costs
    another's single request no more than one place.

    No session takes more of the room to wait in than it leaves free: the first gets half of it, and one that comes
    later finds room however many each of the others would have.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._sessions: dict[str, _Session[T]] = {}
        self._turns: OrderedDict[str, None] = OrderedDict()
        """The sessions of which one waits that may go; the first is next."""
        self._arrivals: OrderedDict[int, Waiting[T]] = OrderedDict()
        self._count = 0
        self._bytes = 0
        self._at_work = 0

    @property
    def waiting(self) -> int:
        return len(self._arrivals)

    @property
    def waiting_bytes(self) -> int:
        return self._bytes

    @property
    def at_work(self) -> int:
        return self._at_work

    @property
    def sessions(self) -> int:
        """How many are known: those of which one waits or is at work."""
        return len(self._sessions)

    @property
    def oldest_since(self) -> float | None:
        """When the one came that has waited longest."""
        return next(iter(self._arrivals.values())).since if self._arrivals else None

    def join(self, item: T, session: str, size: int, now: float) -> Measure | None:
        """Let one in; or what there is no room for. One that `call` gives out at once needs none."""
        known = self._sessions.get(session)
        if not self._goes_at_once(known) and (lacking := self._lacking(known, size)) is not None:
            return lacking
        known = self._sessions.setdefault(session, _Session())
        self._count += 1
        one = Waiting(item=item, session=session, size=size, since=now, number=self._count)
        self._arrivals[one.number] = one
        known.waiting.append(one)
        known.waiting_bytes += size
        self._bytes += size
        self._enter(session, known)
        return None

    def call(self) -> Waiting[T] | None:
        """The next, at work from now on; None where nobody waits who may go."""
        if self._at_work >= self._bounds.at_work or not self._turns:
            return None
        session, _ = self._turns.popitem(last=False)
        known = self._sessions[session]
        one = self._take_first(known)
        known.at_work += 1
        self._at_work += 1
        self._enter(session, known)
        return one

    def left(self, session: str) -> None:
        """One of the session that was called has ended."""
        known = self._sessions[session]
        known.at_work -= 1
        self._at_work -= 1
        self._enter(session, known)
        self._forget_idle(session, known)

    def overdue(self, until: float) -> list[Waiting[T]]:
        """Those that have waited since `until` or longer: they leave the line, oldest first."""
        overdue: list[Waiting[T]] = []
        while (since := self.oldest_since) is not None and since <= until:
            session = next(iter(self._arrivals.values())).session
            known = self._sessions[session]
            # Who has waited longest of all has waited longest of its session.
            overdue.append(self._take_first(known))
            if not known.waiting:
                self._turns.pop(session, None)
            self._forget_idle(session, known)
        return overdue

    def _goes_at_once(self, known: _Session[T] | None) -> bool:
        if self._turns or self._at_work >= self._bounds.at_work:
            return False
        # None of the session waits: if it may go, it would be its turn.
        return known is None or known.at_work < self._bounds.session_at_work

    def _lacking(self, known: _Session[T] | None, size: int) -> Measure | None:
        count, count_bytes = (len(known.waiting), known.waiting_bytes) if known is not None else (0, 0)
        if count + 1 > self._bounds.waiting - self.waiting:
            return "waiting"
        if count_bytes + size > self._bounds.waiting_bytes - self._bytes:
            return "waiting_bytes"
        return None

    def _take_first(self, known: _Session[T]) -> Waiting[T]:
        one = known.waiting.popleft()
        del self._arrivals[one.number]
        known.waiting_bytes -= one.size
        self._bytes -= one.size
        return one

    def _enter(self, session: str, known: _Session[T]) -> None:
        """Give the session its turn where one of it waits that may go; one that has its turn keeps its place."""
        if known.waiting and known.at_work < self._bounds.session_at_work:
            self._turns.setdefault(session, None)

    def _forget_idle(self, session: str, known: _Session[T]) -> None:
        if not known.waiting and not known.at_work:
            del self._sessions[session]
