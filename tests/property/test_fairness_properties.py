"""Whatever comes, goes and is given up: bounds hold, nobody is lost, and no session is passed over."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.fairness import Bounds, Line, Waiting

SESSIONS = "abcd"
JOIN = st.tuples(st.just("join"), st.sampled_from(SESSIONS), st.integers(0, 20))
STEP = st.one_of(
    JOIN, JOIN, st.tuples(st.just("end"), st.integers(0, 10)), st.tuples(st.just("give up"), st.integers(0, 30))
)
BOUNDS = st.builds(
    Bounds,
    at_work=st.integers(1, 4),
    session_at_work=st.integers(1, 4),
    waiting=st.integers(1, 12),
    waiting_bytes=st.integers(1, 80),
)


class Walk:
    """A line and what should be in it, by lists."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.line: Line[int] = Line(bounds)
        self.now = 0.0
        self.waiting: list[Waiting[int]] = []
        self.working: list[Waiting[int]] = []
        self.passed_over: Counter[str] = Counter()

    def join(self, session: str, size: int) -> None:
        self.now += 1
        number = int(self.now)
        lacking = self.line.join(number, session, size, self.now)
        if lacking is None:
            one = Waiting(item=number, session=session, size=size, since=self.now, number=0)
            self.waiting.append(one)
            self.call()
        else:
            self.check_refused(lacking, session, size)

    def check_refused(self, lacking: str, session: str, size: int) -> None:
        mine = [one for one in self.waiting if one.session == session]
        if lacking == "waiting":
            assert len(mine) + 1 > self.bounds.waiting - len(self.waiting)
        else:
            assert sum(one.size for one in mine) + size > self.bounds.waiting_bytes - sum(
                one.size for one in self.waiting
            )

    def call(self) -> None:
        while (called := self.line.call()) is not None:
            (one,) = [waiting for waiting in self.waiting if waiting.item == called.item]
            assert one is next(waiting for waiting in self.waiting if waiting.session == one.session)
            self.waiting.remove(one)
            self.working.append(one)
            self.check_turn(one.session)

    def check_turn(self, session: str) -> None:
        """Between two of a session that may go all the time, each other session goes at most twice."""
        of_sessions = Counter(one.session for one in self.working)
        may_go = {one.session for one in self.waiting if of_sessions[one.session] < self.bounds.session_at_work}
        for other in set(self.passed_over) - may_go | {session}:
            del self.passed_over[other]
        self.passed_over.update(may_go - {session})
        assert max(self.passed_over.values(), default=0) < 2 * len(SESSIONS)

    def end(self, place: int) -> None:
        if self.working:
            self.line.left(self.working.pop(place % len(self.working)).session)
            self.call()

    def give_up(self, seconds: int) -> None:
        until = self.now - seconds
        gone = [one.item for one in self.line.overdue(until)]
        assert gone == [one.item for one in self.waiting if one.since <= until]
        self.waiting = [one for one in self.waiting if one.since > until]

    def check(self) -> None:
        of_sessions = Counter(one.session for one in self.working)
        assert len(self.working) == self.line.at_work <= self.bounds.at_work
        assert max(of_sessions.values(), default=0) <= self.bounds.session_at_work
        assert len(self.waiting) == self.line.waiting <= self.bounds.waiting
        assert sum(one.size for one in self.waiting) == self.line.waiting_bytes <= self.bounds.waiting_bytes
        assert self.line.sessions == len({one.session for one in self.waiting + self.working})
        if len(self.working) < self.bounds.at_work:
            may_go = [one for one in self.waiting if of_sessions[one.session] < self.bounds.session_at_work]
            assert may_go == [], "a place is free, and one waits that may have it"


@given(BOUNDS, st.lists(STEP, max_size=60))
def test_a_line_keeps_its_bounds_and_its_turns(bounds: Bounds, steps: list[tuple[str, ...]]) -> None:
    walk = Walk(bounds)
    for name, *arguments in steps:
        getattr(walk, name.replace(" ", "_"))(*arguments)
        walk.check()
    while walk.working:
        walk.end(0)
    assert (walk.line.waiting, walk.line.sessions, walk.line.oldest_since) == (0, 0, None)
