"""The last arrival that a turn waits for bears the turn's settling: the same as one that is appended after it."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.turns import (
    EndEntry,
    Entry,
    FailedEntry,
    ResultEntry,
    ResultsEntry,
    Turn,
    encode_entry,
    manifest,
    read_entry,
)
from coatcheck_schemas.subjects import TurnAddress

BUDGET = 1000
AT = TurnAddress("s", "t")
START = datetime(2026, 1, 1, tzinfo=UTC)

lengths = st.integers(0, 600)
results = st.builds(
    ResultEntry,
    result_id=st.sampled_from([f"r{number}" for number in range(12)]),
    call_id=st.just("c"),
    length=lengths,
    stub_length=st.none() | lengths,
    at_once=st.sampled_from([None, None, None, "inline", "offloaded"]),
    budget=st.just(BUDGET),
    turn_size=st.sampled_from([None, 3, 4, 5]),
    may_wait=st.sampled_from([True, True, True, False]),
)
others = st.builds(FailedEntry, call_id=st.just("f"), length=lengths) | st.builds(
    EndEntry, turn_size=st.sampled_from([None, 2, 4])
)
ledgers = st.lists(st.one_of(results, results, results, others), max_size=14)


def _at(sequence: int) -> datetime:
    return START + timedelta(seconds=sequence)


def _apply(turn: Turn, entry: Entry) -> None:
    turn.apply(entry, turn.sequence + 1, _at(turn.sequence + 1))


def _with_settling_inside(entries: list[Entry]) -> tuple[Turn, list[Entry]]:
    """As a worker appends that knows the whole turn, and what it appended."""
    turn, appended = Turn(), list[Entry]()
    for entry in entries:
        whole = turn.completed_by([entry])[0] if isinstance(entry, ResultEntry) else entry
        appended.append(whole)
        _apply(turn, whole)
        _settle_if_complete(turn)
    return turn, appended


def _with_settling_after(entries: list[Entry]) -> Turn:
    turn = Turn()
    for entry in entries:
        _apply(turn, entry)
        _settle_if_complete(turn)
    return turn


def _settle_if_complete(turn: Turn) -> None:
    if turn.is_complete:
        _apply(turn, turn.settle("size", BUDGET))


@settings(max_examples=120)
@given(ledgers)
def test_settled_in_the_arrival_or_after_it_a_turn_comes_to_the_same(entries: list[Entry]) -> None:
    inside, _ = _with_settling_inside(entries)
    after = _with_settling_after(entries)
    assert inside.outcomes == after.outcomes
    assert (inside.settled, inside.waited, inside.total) == (after.settled, after.waited, after.total)
    if inside.settled is not None:
        assert manifest(inside, AT, 10**6) == manifest(after, AT, 10**6)


@settings(max_examples=120)
@given(ledgers)
def test_only_the_arrival_that_completes_the_turn_bears_its_settling(entries: list[Entry]) -> None:
    turn = Turn()
    for entry in entries:
        if not isinstance(entry, ResultEntry):
            _apply(turn, entry)
            _settle_if_complete(turn)
            continue
        before, awaited = turn.outcomes.copy(), turn.awaits_only(entry)
        [whole] = turn.completed_by([entry])
        assert turn.outcomes == before
        assert (whole.settles is not None) == awaited
        _apply(turn, whole)
        assert not turn.is_complete
        assert not awaited or turn.settled_with == entry.result_id


@settings(max_examples=100)
@given(ledgers)
def test_whoever_reads_the_ledger_comes_to_the_same_turn(entries: list[Entry]) -> None:
    writer, appended = _with_settling_inside([entry for entry in entries if isinstance(entry, ResultEntry)])
    reader = Turn()
    for entry in appended:
        _apply(reader, read_entry(encode_entry(entry)))
    assert reader.outcomes == writer.outcomes
    assert reader.settled == writer.settled


@settings(max_examples=120)
@given(ledgers, st.lists(st.integers(1, 6), min_size=14, max_size=14))
def test_arrivals_that_come_together_come_to_the_same_as_one_by_one(entries: list[Entry], sizes: list[int]) -> None:
    arrivals = list({entry.result_id: entry for entry in entries if isinstance(entry, ResultEntry)}.values())
    one_by_one, together = Turn(), Turn()
    for arrival in arrivals:
        _apply(one_by_one, one_by_one.completed_by([arrival])[0])
    while arrivals:
        size = sizes.pop()
        some, arrivals = arrivals[:size], arrivals[size:]
        written = encode_entry(ResultsEntry(results=tuple(together.completed_by(some))))
        _apply(together, read_entry(written))
    assert together.outcomes == one_by_one.outcomes
    assert (together.settled, together.settled_with, together.waited) == (
        one_by_one.settled,
        one_by_one.settled_with,
        one_by_one.waited,
    )
    if together.settled is not None:
        assert manifest(together, AT, 10**6) == manifest(one_by_one, AT, 10**6)


def test_a_turn_is_complete_before_a_later_arrival_of_the_same_append_says_it_is_larger() -> None:
    sized = [ResultEntry(result_id=name, call_id="c", length=5, budget=BUDGET, turn_size=2) for name in "ab"]
    larger = ResultEntry(result_id="c", call_id="c", length=5, budget=BUDGET, turn_size=5)
    whole = Turn().completed_by([*sized, larger])
    assert [arrival.settles is not None for arrival in whole] == [False, True, False]


def test_a_settling_in_an_arrival_that_comes_again_is_passed_over() -> None:
    turn = Turn()
    first = ResultEntry(result_id="a", call_id="c", length=5, budget=BUDGET, turn_size=2)
    _apply(turn, first)
    [last] = turn.completed_by([ResultEntry(result_id="b", call_id="c", length=5, budget=BUDGET)])
    assert last.settles is not None
    _apply(turn, last)
    outcomes = turn.outcomes.copy()
    _apply(turn, last)
    assert turn.outcomes == outcomes
    assert turn.waited == {"a", "b"}
