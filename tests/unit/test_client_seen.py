"""What the client remembers of the events it has yielded: enough to double none, and bounded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck.client.seen import KEPT, Seen

SIZE = 5


def test_a_subject_is_new_once() -> None:
    seen = Seen("0")
    assert [seen.add("a"), seen.add("b"), seen.add("a")] == [True, True, False]


def test_replay_begins_a_generation_back() -> None:
    seen = Seen("0", size=SIZE)
    cursors = [seen.cursor]
    for number in range(1, 5):
        seen.turn_over(str(number))
        cursors.append(seen.cursor)
    assert cursors == ["0", "0", "1", "2", "3"]


def test_the_beginning_is_a_cursor_too() -> None:
    assert Seen(None).cursor is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=120))
def test_nothing_is_lost_or_doubled_whatever_order_events_and_cursors_come_in(skews: list[tuple[int, int]]) -> None:
    """Each event reaches us live up to three places late, the stream up to three places late; then a replay."""
    seen = Seen("0", size=SIZE)
    live = sorted(range(len(skews)), key=lambda event: event + skews[event][0])
    stored = sorted(range(len(skews)), key=lambda event: event + skews[event][1])
    place = {event: index for index, event in enumerate(stored)}
    yielded: list[int] = []
    for step, event in enumerate(live):
        if seen.full:
            seen.turn_over(str(step))  # the stream has as many as have come, whichever they are
        if seen.add(f"e{event}"):
            yielded.append(event)
    assert len(seen) <= KEPT * SIZE
    missed = [event for event in stored if place[event] >= int(seen.cursor or 0)]
    again = [event for event in missed if seen.add(f"e{event}")]
    assert again == []
    assert sorted(yielded) == list(range(len(skews)))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 200), st.integers(0, 60))
def test_what_is_missed_before_a_break_is_after_the_cursor(before: int, missed: int) -> None:
    seen = Seen("0", size=SIZE)
    for event in range(before):
        if seen.full:
            seen.turn_over(str(event))
        seen.add(f"e{event}")
    replayed = range(int(seen.cursor or 0), before + missed)
    assert [event for event in replayed if seen.add(f"e{event}")] == list(range(before, before + missed))
