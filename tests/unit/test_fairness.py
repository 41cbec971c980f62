"""Sessions go in turn, each within its bounds, and none takes the room of those that come later."""

from coatcheck_core.fairness import Bounds, Line


def line(*, at_work: int = 2, session_at_work: int = 2, waiting: int = 1000, waiting_bytes: int = 10_000) -> Line[str]:
    return Line(Bounds(at_work=at_work, session_at_work=session_at_work, waiting=waiting, waiting_bytes=waiting_bytes))


def let_in(one: Line[str], session: str, *items: str, size: int = 1, now: float = 0.0) -> list[str | None]:
    return [one.join(item, session, size, now) for item in items]


def called(one: Line[str]) -> list[str]:
    """All that go now."""
    found = []
    while (waiting := one.call()) is not None:
        found.append(waiting.item)
    return found


def one_by_one(one: Line[str]) -> list[str]:
    """All that wait, in the order in which they go where each ends before the next is called."""
    found = []
    while (waiting := one.call()) is not None:
        found.append(waiting.item)
        one.left(waiting.session)
    return found


def test_requests_of_one_session_go_in_the_order_of_their_arrival() -> None:
    it = line(at_work=1)
    let_in(it, "a", "1", "2", "3")
    assert one_by_one(it) == ["1", "2", "3"]


def test_one_request_goes_before_the_second_of_a_session_that_has_five_hundred_waiting() -> None:
    it = line(at_work=1)
    let_in(it, "a", *(f"a{i}" for i in range(500)))
    assert called(it) == ["a0"]
    let_in(it, "b", "b0")
    it.left("a")
    assert one_by_one(it)[:3] == ["a1", "b0", "a2"]


def test_no_more_are_at_work_than_may_be() -> None:
    it = line(at_work=2)
    for session in "abc":
        let_in(it, session, session)
    assert called(it) == ["a", "b"]
    assert (it.at_work, it.waiting) == (2, 1)


def test_a_session_at_its_bound_leaves_the_other_places_to_others() -> None:
    it = line(at_work=4, session_at_work=2)
    let_in(it, "a", "a0", "a1", "a2")
    let_in(it, "b", "b0")
    assert called(it) == ["a0", "b0", "a1"]


def test_a_session_at_its_bound_goes_on_once_one_of_its_own_has_ended() -> None:
    it = line(at_work=3, session_at_work=1)
    let_in(it, "a", "a0", "a1")
    let_in(it, "b", "b0")
    assert called(it) == ["a0", "b0"]
    it.left("b")
    assert called(it) == []
    it.left("a")
    assert called(it) == ["a1"]


def test_a_session_gets_no_more_of_the_room_than_it_leaves_free() -> None:
    it = line(at_work=1, waiting=8)
    let_in(it, "a", "at work")
    called(it)
    assert let_in(it, "a", *"12345") == [None] * 4 + ["waiting"]
    assert let_in(it, "b", *"123") == [None] * 2 + ["waiting"]
    assert let_in(it, "c", *"12") == [None, "waiting"]
    assert let_in(it, "d", "1") == [None]
    assert let_in(it, "e", "1") == ["waiting"]


def test_room_is_counted_in_bytes_too() -> None:
    it = line(at_work=1, waiting_bytes=100)
    let_in(it, "a", "at work")
    called(it)
    assert let_in(it, "a", "1", "2", size=50) == [None, "waiting_bytes"]
    assert let_in(it, "b", "1", "2", size=30) == [None, "waiting_bytes"]


def test_one_that_goes_at_once_needs_no_room() -> None:
    it = line(at_work=1, waiting=1, waiting_bytes=1)
    assert let_in(it, "a", "large", size=1000) == [None]
    assert called(it) == ["large"]


def test_one_of_a_session_that_is_at_work_and_goes_at_once_needs_no_room_either() -> None:
    it = line(at_work=3, session_at_work=2, waiting=1, waiting_bytes=1)
    let_in(it, "a", "first")
    called(it)
    assert let_in(it, "a", "large", size=1000) == [None]
    assert called(it) == ["large"]
    assert let_in(it, "a", "one too many", size=1000) == ["waiting_bytes"]


def test_one_that_has_waited_too_long_leaves_the_line_and_frees_its_room() -> None:
    it = line(at_work=1, session_at_work=1, waiting=4)
    let_in(it, "a", "at work")
    called(it)
    let_in(it, "a", "a1", now=1.0)
    let_in(it, "b", "b1", now=2.0)
    let_in(it, "a", "a2", now=3.0)
    assert [waiting.item for waiting in it.overdue(2.0)] == ["a1", "b1"]
    assert (it.waiting, it.waiting_bytes, it.oldest_since) == (1, 1, 3.0)
    it.left("a")
    assert one_by_one(it) == ["a2"]


def test_nothing_is_remembered_of_sessions_that_are_through() -> None:
    it = line(at_work=1)
    for number in range(100):
        let_in(it, f"s{number}", "x", now=float(number))
    assert len(it.overdue(49.0)) == 50
    assert len(one_by_one(it)) == 50
    assert (it.sessions, it.waiting, it.waiting_bytes, it.at_work, it.oldest_since) == (0, 0, 0, 0, None)
