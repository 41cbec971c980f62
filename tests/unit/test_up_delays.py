"""When a dead worker is started again."""

from coatcheck_workers.up.workers import RestartDelays


def test_at_once_the_first_time() -> None:
    assert RestartDelays().after(0.1) == 0.0


def test_then_with_growing_delays_of_at_most_five_seconds() -> None:
    delays = RestartDelays()
    assert [delays.after(0.1) for _ in range(8)] == [0.0, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


def test_at_once_again_after_ten_seconds_alive() -> None:
    delays = RestartDelays()
    for _ in range(5):
        delays.after(0.1)
    assert [delays.after(10.0), delays.after(9.9)] == [0.0, 0.5]


def test_dying_for_weeks_keeps_the_longest_delay() -> None:
    delays = RestartDelays()
    assert [delays.after(0.0) for _ in range(5000)][-1] == 5.0
