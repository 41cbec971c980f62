"""Who of the uploads that a worker follows gives way to another."""

import pytest

from coatcheck_workers.uploads.seats import GIVES_WAY_SECONDS, RETURN_SECONDS, Seats


class Upload:
    def __init__(self, silent: float = 0.0) -> None:
        self.silent = silent
        self.gives_way: float | None = None

    def silent_seconds(self) -> float:
        return self.silent


def test_there_are_as_many_seats_as_were_asked_for() -> None:
    seats = Seats(2)
    assert [seats.take(Upload()) for _ in range(3)] == [True, True, False]


def test_a_seat_that_is_left_is_another_s() -> None:
    seats, first = Seats(1), Upload()
    assert seats.take(first)
    seats.leave(first)
    assert seats.take(Upload())


def test_who_has_been_silent_for_longest_gives_way() -> None:
    seats, some = Seats(3), [Upload(GIVES_WAY_SECONDS), Upload(GIVES_WAY_SECONDS + 1), Upload()]
    assert all(map(seats.take, some))
    assert not seats.take(Upload())
    assert [one.gives_way for one in some] == [None, RETURN_SECONDS, None]


def test_each_that_wants_a_seat_asks_another_to_give_way() -> None:
    seats, some = Seats(2), [Upload(60), Upload(50)]
    assert all(map(seats.take, some))
    assert not seats.take(Upload())
    assert not seats.take(Upload())
    assert [one.gives_way for one in some] == [RETURN_SECONDS, RETURN_SECONDS]


@pytest.mark.parametrize("silent", [0.0, GIVES_WAY_SECONDS - 0.1])
def test_nobody_gives_way_for_whom_something_has_just_come(silent: float) -> None:
    seats, one = Seats(1), Upload(silent)
    assert seats.take(one)
    assert not seats.take(Upload())
    assert one.gives_way is None


def test_at_a_stop_all_give_way_at_once_and_none_is_taken() -> None:
    seats, one = Seats(2), Upload()
    assert seats.take(one)
    seats.close()
    assert one.gives_way == 0.0
    assert not seats.take(Upload())
