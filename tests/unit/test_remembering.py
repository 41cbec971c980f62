"""The results that a worker remembers of the turns it holds them for: bounded, and forgotten by whole turns."""

from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import Case
from coatcheck_schemas.subjects import TurnAddress
from coatcheck_workers.flow.remembering import Remembered

RULES = rules()


def _case(turn: str, call: str, chars: int = 1000) -> Case:
    return Case(arrived("x" * chars, at=address(turn=turn, call=call)), RULES)


def _at(case: Case) -> TurnAddress:
    return case.result.address.at_turn


def test_what_was_added_is_there_once() -> None:
    remembered = Remembered()
    first, second = _case("t", "a"), _case("t", "b")
    remembered.add(_at(first), first)
    remembered.add(_at(second), second)
    assert remembered.take(_at(first)) == {first.result.result_id: first, second.result.result_id: second}
    assert remembered.take(_at(first)) == {}


def test_it_has_all_of_a_turn_or_not() -> None:
    remembered = Remembered()
    case = _case("t", "a")
    remembered.add(_at(case), case)
    assert remembered.has(_at(case), frozenset({case.result.result_id}))
    assert not remembered.has(_at(case), frozenset({case.result.result_id, "another"}))
    assert not remembered.has(_at(_case("u", "a")), frozenset({case.result.result_id}))
    assert remembered.has(_at(_case("u", "a")), frozenset())


def test_the_turn_that_was_not_added_to_for_longest_is_forgotten_first() -> None:
    remembered = Remembered(most_bytes=30_000)
    old, used, new = _case("old", "a"), _case("used", "a"), _case("new", "a")
    for case in (used, old, _case("used", "b")):
        remembered.add(_at(case), case)
    remembered.add(_at(new), new)
    assert not remembered.take(_at(old))
    assert len(remembered.take(_at(used))) == 2
    assert len(remembered.take(_at(new))) == 1


def test_a_result_that_comes_again_takes_no_more_room() -> None:
    remembered = Remembered(most_bytes=20_000)
    other, case = _case("other", "a"), _case("t", "a")
    remembered.add(_at(other), other)
    for _ in range(100):
        remembered.add(_at(case), case)
    assert len(remembered.take(_at(other))) == 1


def test_what_is_larger_than_all_the_room_is_not_remembered() -> None:
    remembered = Remembered(most_bytes=20_000)
    case = _case("t", "a", chars=10_000)
    remembered.add(_at(case), case)
    assert not remembered.take(_at(case))
    small = _case("u", "a")
    remembered.add(_at(small), small)
    assert len(remembered.take(_at(small))) == 1
