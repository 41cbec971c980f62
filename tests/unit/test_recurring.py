"""An outage in the log: when it begins, and in sums while it lasts."""

from collections.abc import Callable, Mapping

import pytest
from tests.support.wait import eventually

from coatcheck_workers.process.about import ABOUT
from coatcheck_workers.process.recurring import Kind, Recurring

FULL, AWAY, HELD = Kind("COAT_RESULTS", "PublishError"), Kind("COAT_RESULTS", "NotKept"), Kind("COAT_HELD", "NotKept")


class Log:
    """What was told, and the timers that run."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.about: list[object] = []
        self.recurring = Recurring(self.tell, lambda seconds, call: self.timers.append((seconds, call)), 5.0)

    def tell(self, line: str, /, *, extra: Mapping[str, object] | None = None) -> None:
        self.lines.append(line)
        self.about.append(extra and extra[ABOUT])

    def pass_time(self) -> None:
        timers, self.timers = self.timers, []
        for seconds, call in timers:
            assert seconds == 5.0
            call()

    def new_lines(self) -> list[str]:
        lines, self.lines[:] = list(self.lines), []
        return lines


@pytest.fixture
def log() -> Log:
    return Log()


def test_first_of_each_kind_is_told_at_once(log: Log) -> None:
    for kind in (FULL, AWAY, HELD):
        for number in range(3):
            log.recurring.happened(kind, f"{kind.stream} {kind.error} {number}")
    assert log.new_lines() == ["COAT_RESULTS PublishError 0", "COAT_RESULTS NotKept 0", "COAT_HELD NotKept 0"]
    assert len(log.timers) == 3


def test_what_follows_is_told_in_one_line_with_the_last_of_it(log: Log) -> None:
    for number in range(120):
        log.recurring.happened(FULL, f"m{number} failed")
    log.new_lines()
    log.pass_time()
    assert log.new_lines() == ["119 more tries of COAT_RESULTS failed in 5 s (PublishError); the last: m119 failed"]


def test_a_sum_is_about_the_last_of_it(log: Log) -> None:
    for number in range(3):
        log.recurring.happened(FULL, "failed", f"coat.results.s{number}.t.c")
    log.pass_time()
    assert log.about == [None, "coat.results.s2.t.c"]  # the first is of what is in hand


def test_sums_go_on_while_it_lasts_and_none_is_lost(log: Log) -> None:
    log.recurring.happened(FULL, "first")
    for count in (2, 1):
        for _ in range(count):
            log.recurring.happened(FULL, "again")
        log.pass_time()
    first, *sums = log.new_lines()
    assert (first, [line.split(" of ")[0] for line in sums]) == ("first", ["2 more tries", "1 more try"])


def test_after_a_quiet_time_the_next_is_a_first_again(log: Log) -> None:
    log.recurring.happened(FULL, "before")
    log.pass_time()
    assert log.timers == []
    log.recurring.happened(FULL, "after")
    assert log.new_lines() == ["before", "after"]


async def test_without_a_clock_of_its_own_it_goes_by_the_loop_s(log: Log) -> None:
    lines, recurring = log.lines, Recurring(log.tell, every_seconds=0.01)
    for _ in range(3):
        recurring.happened(FULL, "failed")
    await eventually(lambda: len(lines) == 2)
    assert lines[1].startswith("2 more tries of COAT_RESULTS failed in 0.01 s")
