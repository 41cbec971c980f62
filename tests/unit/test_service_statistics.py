"""What `$SRV.STATS` counts, how many questions a worker answers, and how its version reads there."""

import pytest
from nats.micro.service import SEMVER_REGEX

from coatcheck_workers.discovery.allowance import Allowance
from coatcheck_workers.discovery.counting import Counted, RequestCounts
from coatcheck_workers.discovery.messages import semantic
from coatcheck_workers.intake.answered import DROPPED, Answered


def answered(code: str | None = None, *, verb: str = "read", work_seconds: float = 0.25) -> Answered:
    return Answered(
        verb=verb,
        operation="",
        seconds=9.0,
        work_seconds=work_seconds,
        error_code=code,
        error_message=None if code is None else "there is no coat://s1/secret",
        bytes_in=2,
        bytes_out=3,
    )


def test_the_time_of_a_request_is_that_of_its_work() -> None:
    counted = Counted()
    counted.count(answered(work_seconds=0.25))
    counted.count(answered(work_seconds=0.75))
    assert (counted.nanoseconds, counted.average_nanoseconds) == (1_000_000_000, 500_000_000)


def test_nothing_has_an_average_of_nothing() -> None:
    assert Counted().average_nanoseconds == 0


def test_errors_are_requests_too_and_are_counted_by_their_code() -> None:
    counted = Counted()
    for code in (None, "not_found", "not_found", "gone", None):
        counted.count(answered(code))
    assert counted.requests == 5
    assert counted.errors == {"not_found": 2, "gone": 1}


@pytest.mark.parametrize(("code", "told"), [("not_found", "404:not_found"), (DROPPED, "dropped")])
def test_the_last_error_is_a_code_and_never_its_message(code: str, told: str) -> None:
    counted = Counted()
    counted.count(answered(code))
    counted.count(answered())
    assert counted.last_error == told


def test_each_kind_of_request_is_counted_by_itself() -> None:
    counts = RequestCounts()
    counts.observe(answered(verb="read"))
    counts.observe(answered(verb="fs"))
    counts.observe(answered(verb="fs"))
    assert [counts.of(verb).requests for verb in ("read", "fs", "list")] == [1, 2, 0]


def test_a_burst_passes_and_then_so_many_a_second() -> None:
    allowance = Allowance(per_second=10, burst=3, now=100.0)
    assert [allowance.take(100.0) for _ in range(5)] == [True, True, True, False, False]
    assert [allowance.take(100.2) for _ in range(3)] == [True, True, False]


def test_a_long_quiet_gives_no_more_than_a_burst() -> None:
    allowance = Allowance(per_second=10, burst=2, now=0.0)
    assert [allowance.take(1e6) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("0.1.0", "0.1.0"),
        ("1.2", "1.2.0"),
        ("1.2.3rc1", "1.2.3-rc1"),
        ("1.2.3.post4", "1.2.3-post4"),
        ("1.2.3+local.7", "1.2.3-local-7"),
        ("01.02.03", "1.2.3"),
        ("unknown", "0.0.0"),
    ],
)
def test_a_version_is_told_as_the_protocol_wants_it(version: str, told: str) -> None:
    assert semantic(version) == told
    assert SEMVER_REGEX.match(told)
