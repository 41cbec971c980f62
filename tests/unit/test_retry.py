"""The delays between the tries of one message."""

import pytest

from coatcheck_core.retry import retry_delay


def test_delays_double_from_half_a_second_to_the_longest() -> None:
    assert [retry_delay(n, 30, jitter=1) for n in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize("failures", [31, 32, 10_000])
def test_any_number_of_failures_waits_the_longest(failures: int) -> None:
    assert retry_delay(failures, 30, jitter=1) == 30


def test_a_short_longest_delay_holds_from_the_first() -> None:
    assert retry_delay(1, 0.1, jitter=1) == 0.1


@pytest.mark.parametrize("failures", [1, 4, 40])
def test_jitter_spreads_a_delay_over_its_upper_half(failures: int) -> None:
    longest = retry_delay(failures, 30, jitter=1)
    assert retry_delay(failures, 30, jitter=0) == longest / 2
    assert longest / 2 < retry_delay(failures, 30, jitter=0.5) < longest
