"""What is kept by use, and the alarm for damage."""

import pytest

from coatcheck_workers.retrieval.originals.damage import AGAIN_SECONDS, Damage
from coatcheck_workers.retrieval.originals.recent import Recent


def test_what_was_not_used_for_longest_goes_first() -> None:
    recent: Recent[str, int] = Recent(30)
    for number, name in enumerate("abc"):
        recent.put(name, number, 10)
    assert recent.get("a") == 0
    recent.put("d", 3, 10)
    assert [recent.get(name) for name in "abcd"] == [0, None, 2, 3]
    assert (len(recent), recent.bytes) == (3, 30)


def test_a_value_that_is_put_again_counts_once() -> None:
    recent: Recent[str, int] = Recent(30)
    recent.put("a", 1, 10)
    recent.put("a", 2, 25)
    assert (recent.get("a"), recent.bytes) == (2, 25)


def test_what_is_larger_than_the_room_puts_out_nothing_and_is_not_kept() -> None:
    recent: Recent[str, int] = Recent(30)
    recent.put("a", 1, 10)
    recent.put("b", 2, 31)
    assert (recent.get("a"), recent.get("b"), recent.bytes) == (1, None, 10)


def test_what_grew_too_large_does_not_leave_its_old_value() -> None:
    recent: Recent[str, int] = Recent(30)
    recent.put("a", 1, 10)
    recent.put("a", 2, 31)
    assert (recent.get("a"), recent.bytes) == (None, 0)


def test_dropping_what_is_not_there_is_no_error() -> None:
    recent: Recent[str, int] = Recent(30)
    recent.drop("a")
    assert recent.bytes == 0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_damaged_object_is_told_once_a_while_and_always_counted(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    damage = Damage(clock)
    for _ in range(3):
        damage.report("a", "why")
        damage.report("b", "why")
    assert [record.args and record.args[0] for record in caplog.records] == ["a", "b"]  # type: ignore[index]
    clock.now += AGAIN_SECONDS
    damage.report("a", "why")
    assert len(caplog.records) == 3
    assert damage.found == 7
