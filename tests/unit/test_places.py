"""Places in a worker's hand: bounded in messages and bytes, lent and taken back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_workers.intake.places import Places

LARGEST = 10


def places(in_flight: int = 4, in_flight_bytes: int = 100) -> Places:
    return Places(in_flight, in_flight_bytes, LARGEST)


def filled(places: Places, keys: range, size: int = 1) -> Places:
    for key in keys:
        places.take(key, size)
    return places


def test_what_comes_holds_a_place_and_its_bytes_until_it_leaves() -> None:
    it = filled(places(), range(3), size=5)
    assert (it.free, it.free_bytes) == (1, 85)
    it.leave(1)
    assert (it.free, it.free_bytes) == (2, 90)


def test_lent_place_is_free_and_its_bytes_are_not() -> None:
    it = filled(places(), range(4), size=5)
    assert it.lend(0)
    assert (it.free, it.free_bytes) == (1, 80)


def test_what_is_taken_back_counts_again_even_over_the_bound() -> None:
    it = filled(places(), range(4))
    it.lend(0)
    it.take(4, 1)
    it.take_back(0)
    assert it.free == -1
    it.leave(4)
    assert it.free == 0


def test_at_most_as_many_are_lent_as_there_are_places() -> None:
    it = filled(places(in_flight=2), range(4))
    assert [it.lend(key) for key in range(4)] == [True, True, False, False]
    assert it.free == 0


def test_lent_place_comes_back_when_its_message_leaves() -> None:
    it = filled(places(in_flight=1), range(2))
    assert it.lend(0)
    it.leave(0)
    assert it.lend(1)
    assert it.free == 1


@pytest.mark.parametrize(("in_flight_bytes", "lendable"), [(100, 7), (20, 1), (12, 0), (10, 0)])
def test_quarter_of_the_bytes_or_one_message_of_the_largest_size_stays_unlent(
    in_flight_bytes: int, lendable: int
) -> None:
    it = filled(places(in_flight=20, in_flight_bytes=in_flight_bytes), range(10), size=10)
    assert sum(it.lend(key) for key in range(10)) == lendable


@pytest.mark.parametrize("keys", [[7], [0, 0]])
def test_unknown_message_or_one_that_has_lent_its_place_lends_none(keys: list[int]) -> None:
    it = filled(places(), range(1))
    assert not [it.lend(key) for key in keys][-1]


def test_taking_back_what_was_not_lent_changes_nothing() -> None:
    it = filled(places(), range(2))
    it.take_back(0)
    it.take_back(9)
    assert (it.free, it.free_bytes) == (2, 98)


steps = st.lists(st.tuples(st.sampled_from(["take", "leave", "lend", "take_back"]), st.integers(0, 11)), max_size=80)


@settings(max_examples=100)
@given(steps=steps, in_flight=st.integers(1, 5), in_flight_bytes=st.integers(LARGEST, 60), size=st.integers(1, LARGEST))
def test_whatever_happens_there_is_room_only_within_the_bounds(
    steps: list[tuple[str, int]], in_flight: int, in_flight_bytes: int, size: int
) -> None:
    """As the pull does it: a message comes only where there is a place, and bytes for the largest."""
    it = places(in_flight, in_flight_bytes)
    held: dict[int, bool] = {}
    for step, key in steps:
        if step == "take" and key not in held and it.free > 0 and it.free_bytes >= LARGEST:
            it.take(key, size)
            held[key] = False
        elif step == "leave" and key in held:
            it.leave(key)
            del held[key]
        elif step == "lend":
            came_free = it.lend(key)
            assert not came_free or held[key] is False
            held |= {key: True} if came_free else {}
        elif step == "take_back":
            it.take_back(key)
            held |= {key: False} if key in held else {}
        lent = sum(held.values())
        assert it.free == in_flight - (len(held) - lent)
        assert it.free_bytes == in_flight_bytes - len(held) * size >= 0
        assert lent <= in_flight
        assert len(held) <= 2 * in_flight
        assert lent * size <= max(0, in_flight_bytes - max(in_flight_bytes // 4, LARGEST))
