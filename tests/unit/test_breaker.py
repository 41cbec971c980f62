"""The breaker of requests to object storage, step by step."""

import pytest

from coatcheck_core.breaker import FAILURES_IN_A_ROW, HUNG_REQUESTS, LONGEST_WAIT_SECONDS, Breaker


def fail(breaker: Breaker, now: float, times: int = 1) -> None:
    for _ in range(times):
        number = breaker.admit(now, 1.0)
        assert number is not None
        breaker.failed(number, now, 1.0)


def admit(breaker: Breaker, now: float) -> int:
    number = breaker.admit(now, 1.0)
    assert number is not None
    return number


def opened(at: float = 100.0) -> Breaker:
    breaker = Breaker()
    fail(breaker, at, FAILURES_IN_A_ROW)
    assert breaker.is_open
    return breaker


def test_four_failures_in_a_row_do_not_open_it() -> None:
    breaker = Breaker()
    fail(breaker, 100, FAILURES_IN_A_ROW - 1)
    assert not breaker.is_open


def test_fifth_failure_in_a_row_opens_it() -> None:
    assert opened(100).opened_at == 100


def test_answer_between_failures_starts_the_row_anew() -> None:
    breaker = Breaker()
    fail(breaker, 100, FAILURES_IN_A_ROW - 1)
    breaker.answered(admit(breaker, 101), 101)
    fail(breaker, 110, FAILURES_IN_A_ROW - 1)
    assert not breaker.is_open


def test_failures_right_after_an_answer_do_not_open_it_until_the_store_was_silent_for_a_while() -> None:
    breaker = Breaker()
    breaker.answered(admit(breaker, 100), 100)
    fail(breaker, 100.1, 20)
    assert not breaker.is_open
    fail(breaker, 100.6)
    assert breaker.is_open


def test_open_it_admits_nothing_before_its_time_and_then_one() -> None:
    breaker = opened(100)
    assert breaker.next_try_at == 100.5
    assert breaker.admit(100.49, 1.0) is None
    admit(breaker, 100.5)
    assert breaker.admit(100.5, 1.0) is None


def test_waits_between_tries_double_up_to_the_longest() -> None:
    breaker = opened(100)
    now, waits = 100.0, []
    for _ in range(6):
        waits.append(breaker.next_try_at - now)
        now = breaker.next_try_at
        fail(breaker, now)
    assert waits == [0.5, 1, 2, 4, LONGEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS]


def test_try_that_succeeds_closes_it_and_the_next_opening_waits_little_again() -> None:
    breaker = opened(100)
    for _ in range(4):
        fail(breaker, breaker.next_try_at)
    breaker.answered(admit(breaker, breaker.next_try_at), 120)
    assert not breaker.is_open
    fail(breaker, 130, FAILURES_IN_A_ROW)
    assert breaker.next_try_at == 130.5


def test_try_that_hangs_does_not_keep_the_next_from_its_time() -> None:
    breaker = opened(100)
    admit(breaker, 100.5)
    assert breaker.admit(101.4, 1.0) is None
    admit(breaker, 101.5)


def test_answer_to_a_request_from_before_the_opening_closes_it() -> None:
    breaker = Breaker()
    upload = admit(breaker, 90)
    fail(breaker, 100, FAILURES_IN_A_ROW)
    assert breaker.is_open
    breaker.answered(upload, 100.1)
    assert not breaker.is_open


def hanging(requests: int) -> Breaker:
    breaker = Breaker()
    for _ in range(requests):
        admit(breaker, 100)
    return breaker


def test_request_that_finds_eight_hanging_for_over_a_second_opens_it_and_is_refused() -> None:
    breaker = hanging(HUNG_REQUESTS)
    assert breaker.admit(101.1, 1.0) is None
    assert breaker.opened_at == 101.1
    assert breaker.pending == HUNG_REQUESTS


def test_seven_hanging_do_not_open_it() -> None:
    assert hanging(HUNG_REQUESTS - 1).admit(200, 1.0) is not None


def test_eight_that_are_young_do_not_open_it() -> None:
    assert hanging(HUNG_REQUESTS).admit(101, 1.0) is not None


@pytest.mark.parametrize("ends", ["answered", "failed"])
def test_eight_that_hang_while_others_end_do_not_open_it(ends: str) -> None:
    breaker = hanging(HUNG_REQUESTS)
    other = admit(breaker, 100.5)
    if ends == "answered":
        breaker.answered(other, 100.9)
    else:
        breaker.failed(other, 100.9, 1.0)
    admit(breaker, 101.5)


def test_store_whose_last_answer_took_long_is_given_longer() -> None:
    breaker = Breaker()
    breaker.answered(admit(breaker, 100), 103)
    for _ in range(HUNG_REQUESTS):
        admit(breaker, 103)
    admit(breaker, 108.9)
    assert breaker.admit(109.1, 1.0) is None


def test_abandoned_request_says_nothing_about_the_store() -> None:
    breaker = Breaker()
    for _ in range(50):
        breaker.abandoned(admit(breaker, 100))
    fail(breaker, 101, FAILURES_IN_A_ROW - 1)
    breaker.abandoned(admit(breaker, 101))
    assert (breaker.is_open, breaker.pending) == (False, 0)
    fail(breaker, 101)
    assert breaker.is_open


def test_second_end_of_one_request_changes_nothing() -> None:
    breaker = Breaker()
    number = admit(breaker, 100)
    breaker.answered(number, 100)
    fail(breaker, 101, FAILURES_IN_A_ROW)
    breaker.answered(number, 101)
    breaker.failed(number, 101, 1.0)
    assert breaker.is_open
