"""The breaker under any order of events, and over simulated stores."""

import heapq
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.breaker import FAILURES_IN_A_ROW, HUNG_SECONDS, LATELY_SECONDS, LONGEST_WAIT_SECONDS, Breaker

STEP = st.tuples(
    st.sampled_from(["admit", "admit", "answered", "failed", "abandoned"]),
    st.sampled_from([0.0, 0.01, 0.2, 0.6, 1.1, 7.0]),
    st.integers(0, 20),
    st.floats(0, 1),
)


@settings(max_examples=120)
@given(st.lists(STEP, max_size=80))
def test_it_opens_only_on_evidence_and_keeps_to_its_times(steps: list[tuple[str, float, int, float]]) -> None:
    breaker = Breaker()
    now = last_end = last_answer = 1000.0
    failures = 0
    pending: list[tuple[int, float]] = []
    for action, seconds, which, jitter in steps:
        now += seconds
        was_open, next_try_at = breaker.is_open, breaker.next_try_at
        if action == "admit":
            number = breaker.admit(now, jitter)
            if was_open:
                assert (number is not None) == (now >= next_try_at)
            elif breaker.is_open:
                assert number is None
                assert len(pending) >= 8
                assert now - min(began for _, began in pending) > HUNG_SECONDS
                assert last_end == 1000.0 or now - last_end > HUNG_SECONDS
            else:
                assert number is not None
            if number is not None:
                pending.append((number, now))
        elif pending:
            number, _ = pending.pop(which % len(pending))
            if action == "abandoned":
                breaker.abandoned(number)
                assert breaker.is_open == was_open
                continue
            last_end = now
            if action == "answered":
                breaker.answered(number, now)
                last_answer, failures = now, 0
                assert not breaker.is_open
            else:
                breaker.failed(number, now, jitter)
                failures += 1
                if breaker.is_open and not was_open:
                    assert failures >= FAILURES_IN_A_ROW
                    assert last_answer == 1000.0 or now - last_answer >= LATELY_SECONDS
        assert breaker.pending == len(pending)
        if breaker.is_open and breaker.next_try_at != next_try_at:
            assert 0.25 <= breaker.next_try_at - now <= LONGEST_WAIT_SECONDS


Fate = Callable[[float], tuple[float, bool]]
"""What becomes of a request by the time when it begins: how long it takes, and whether it is answered."""


def simulate(
    fate: Fate, *, callers: int, until: float, pause: float = 0.005
) -> tuple[Breaker, list[float], list[bool]]:
    """So many callers ask again and again; the times of the answers, and at each request whether it found it open."""
    breaker = Breaker()
    jitter = random.Random(1)
    answers: list[float] = []
    found_open: list[bool] = []
    events: list[tuple[float, int, int, bool]] = [(0.001 * caller, caller, 0, False) for caller in range(callers)]
    heapq.heapify(events)
    while events and events[0][0] < until:
        now, caller, number, is_answered = heapq.heappop(events)
        if number and is_answered:
            breaker.answered(number, now)
            answers.append(now)
        elif number:
            breaker.failed(number, now, jitter.random())
        if number:
            heapq.heappush(events, (now + pause, caller, 0, False))
            continue
        admitted = breaker.admit(now, jitter.random())
        found_open.append(breaker.is_open)
        if admitted is None:
            heapq.heappush(events, (now + 0.25, caller, 0, False))
        else:
            seconds, is_answered = fate(now)
            heapq.heappush(events, (now + seconds, caller, admitted, is_answered))
    return breaker, answers, found_open


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("callers", [8, 64])
def test_store_that_fails_a_third_of_the_requests_does_not_open_it(seed: int, callers: int) -> None:
    drawn = random.Random(seed)
    _, answers, found_open = simulate(lambda _: (0.02, drawn.random() > 1 / 3), callers=callers, until=60)
    assert len(answers) > 5000
    assert not any(found_open)


def test_slow_store_keeps_making_progress() -> None:
    _, answers, _ = simulate(lambda _: (3.0, True), callers=64, until=120)
    assert len(answers) >= 0.85 * 64 * 120 / 3


def test_long_upload_beside_quick_requests_does_not_open_it() -> None:
    drawn = random.Random(3)
    _, _, found_open = simulate(lambda _: (30.0 if drawn.random() < 0.02 else 0.02, True), callers=64, until=60)
    assert not any(found_open)


@pytest.mark.parametrize("seconds", [0.001, 5.0], ids=["refuses", "hangs"])
def test_store_that_was_away_is_found_within_the_longest_wait_of_its_return(seconds: float) -> None:
    def fate(now: float) -> tuple[float, bool]:
        return (seconds, False) if 10 <= now < 40 else (0.02, True)

    breaker, answers, found_open = simulate(fate, callers=64, until=60)
    assert not breaker.is_open
    assert any(found_open)
    assert min(time for time in answers if time > 40) < 40 + LONGEST_WAIT_SECONDS + 0.3
    assert sum(time > 50 for time in answers) > 1000


@pytest.mark.parametrize("seconds", [0.001, 5.0], ids=["refuses", "hangs"])
def test_store_that_is_away_is_asked_rarely(seconds: float) -> None:
    asked: list[float] = []

    def fate(now: float) -> tuple[float, bool]:
        asked.append(now)
        return seconds, False

    simulate(fate, callers=64, until=100)
    assert sum(time > 10 for time in asked) <= 90 / (LONGEST_WAIT_SECONDS / 2) + 5
