"""A flood of refusals is a line in the log now and then, not one each."""

from coatcheck_core.tally import TELL_SECONDS, Tally


def test_the_first_is_told_at_once() -> None:
    assert Tally().add("waiting", 0.0) == 1


def test_more_are_told_as_a_sum_once_it_is_time() -> None:
    tally = Tally()
    told = [tally.add("waiting", at) for at in (0.0, 1.0, TELL_SECONDS - 0.1, TELL_SECONDS, TELL_SECONDS + 1)]
    assert told == [1, None, None, 3, None]
    assert tally.counts["waiting"] == 5


def test_each_name_is_told_apart() -> None:
    tally = Tally()
    assert [tally.add("waiting", 0.0), tally.add("inbox", 0.0)] == [1, 1]
