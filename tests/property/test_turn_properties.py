"""The pure decision over a turn, against the brute-force model: any entries in any order."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import turn_model
from tests.support.turn_model import WAITS

from coatcheck_core.turns import (
    EndEntry,
    Entry,
    FailedEntry,
    RawEntry,
    ResultEntry,
    ResultsEntry,
    SettledEntry,
    Turn,
    encode_entry,
    read_entry,
)
from coatcheck_schemas.events import Disposition, Reason, SettledBy

BEGINNING = datetime(2026, 1, 31, tzinfo=UTC)
BUDGET = 5000
MOST = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

lengths = st.integers(0, 12).map(lambda quarters: 250 * quarters) | st.sampled_from([1, BUDGET - 1, BUDGET])
"""Mostly round, so that totals often meet the budget itself, and lengths each other."""
stub_lengths = st.none() | st.integers(0, 5).map(lambda quarters: 250 * quarters)
sizes = st.none() | st.integers(1, 7)


@st.composite
def results(draw: st.DrawFn, result_id: str | None = None, size: int | None = None) -> ResultEntry:
    """Any arrival; of a few ids, so that some come again."""
    name = draw(st.sampled_from("abcdefgh")) if result_id is None else result_id
    at_once = draw(st.sampled_from([None, None, None, "inline", "offloaded"]))
    reason = {None: draw(st.sampled_from([None, "source_read"])), "inline": None, "offloaded": "single_threshold"}
    stub_length = draw(stub_lengths)
    return ResultEntry(
        result_id=name,
        call_id=f"call {name}",
        length=draw(lengths),
        budget=BUDGET,
        stub_length=draw(st.integers(0, 1200)) if at_once == "offloaded" else stub_length,
        at_once=cast(Disposition | None, at_once),
        reason=cast(Reason | None, reason[at_once]),
        turn_size=draw(sizes) if size is None else size,
        may_wait=draw(st.sampled_from([True, True, True, False])) if size is None else True,
    )


class Settle(msgspec.Struct, frozen=True):
    """In a list of entries: settle the turn here, as it is then."""

    by: SettledBy


raws = st.builds(
    lambda name, length, stub: RawEntry(result_id=name, length=length, stub_length=stub, budget=BUDGET),
    st.sampled_from("abcdefgh"),
    lengths,
    st.integers(0, 1200),
)
steps = st.lists(
    st.one_of(
        results(),
        results(),
        results(),
        st.lists(results(), min_size=2, max_size=4, unique_by=lambda one: one.result_id),
        st.builds(
            lambda length, name, size: FailedEntry(call_id="f", length=length, result_id=name, turn_size=size),
            st.integers(0, 500),
            st.none() | st.sampled_from("abcdefgh"),
            sizes,
        ),
        st.builds(lambda size: EndEntry(turn_size=size), sizes),
        st.sampled_from([Settle("end"), Settle("deadline")]),
        raws,
    ),
    max_size=14,
)
Step = ResultEntry | FailedEntry | EndEntry | RawEntry | Settle | list[ResultEntry]


def written(steps: Sequence[Step]) -> list[Entry]:
    """The ledger that workers write where these things happen: a settling is what the fold says at that moment."""
    turn, entries = Turn(), list[Entry]()
    for step in steps:
        if isinstance(step, Settle):
            if turn.settled is not None:
                continue
            entry: Entry = turn.settle(step.by, BUDGET)
        elif isinstance(step, list | ResultEntry):
            some = [step] if isinstance(step, ResultEntry) else step
            whole = turn.completed_by([one for one in some if one.result_id not in turn])
            if not whole:
                continue
            entry = whole[0] if len(whole) == 1 else ResultsEntry(results=tuple(whole))
        elif isinstance(step, RawEntry):
            outcome = turn.outcome(step.result_id) if step.result_id in turn else None
            if outcome is None or outcome.disposition != "offloaded":
                continue  # only for what was to be stored
            entry = msgspec.structs.replace(step, stub_length=outcome.size)
        else:
            entry = step
        entries.append(entry)
        turn.apply(entry, len(entries), BEGINNING)
    return entries


def fold(entries: Sequence[Entry], turn: Turn | None = None) -> Turn:
    turn = turn or Turn()
    for number, entry in enumerate(entries, 1):
        turn.apply(read_entry(encode_entry(entry)), number, BEGINNING + timedelta(seconds=number))
    return turn


def said(turn: Turn) -> list[turn_model.Said]:
    return [WAITS if one is None else (one.disposition, one.reason, one.size) for one in turn.outcomes]


def state(turn: Turn) -> object:
    """All that decisions are made by."""
    return (said(turn), turn.total, turn.size, turn.settled, turn.settled_count, turn.settled_total, turn.last_arrival)


@MOST
@given(steps)
def test_every_outcome_is_the_brute_force_models(steps: list[Step]) -> None:
    entries = written(steps)
    turn, story = fold(entries), turn_model.tell(turn_model.one_by_one(entries))
    assert said(turn) == [outcome for _, outcome in story.arrivals]
    assert turn.arrivals == [entry for entry, _ in story.arrivals]
    assert turn.total == story.total
    assert turn.size == turn_model.known_size(turn_model.one_by_one(entries))
    assert (turn.settled, turn.settled_count) == (story.settled, story.settled_arrivals)
    assert (turn.settled_size, turn.settled_total) == (story.settled_size, story.settled_total)
    assert {name: turn.may_go_raw(name) for name in story.raw} == story.raw


@MOST
@given(steps)
def test_a_settling_offloads_the_largest_until_the_budget_is_kept(steps: list[Step]) -> None:
    entries = turn_model.one_by_one(written([*steps, Settle("end")]))
    found = turn_model.before_settling(entries)
    assert found is not None
    before, settled = turn_model.tell(found[0]), found[1]
    waiting = turn_model.waiting(before)
    arrivals = [entry for entry, _ in before.arrivals]
    chosen = [cast(ResultEntry, arrivals[index]) for index in settled.offloaded]
    assert {entry.result_id for entry in chosen} == turn_model.to_offload(waiting, before.total, BUDGET)
    after = turn_model.tell([*found[0], settled])
    left = [entry for entry in waiting if entry not in chosen and turn_model.is_shorter(entry)]
    assert after.settled_total < BUDGET or not left
    if chosen:
        last = max(chosen, key=lambda entry: (-entry.length, entry.result_id))
        assert after.settled_total + last.length - (last.stub_length or 0) >= BUDGET


@st.composite
def whole_turns(draw: st.DrawFn) -> list[Step]:
    """All the arrivals of a turn whose results bear the same size, which is right."""
    count = draw(st.integers(1, 8))
    failed = draw(st.integers(0, count - 1))
    arrivals: list[Step] = [draw(results(result_id=f"r{number}", size=count)) for number in range(count - failed)]
    return [*arrivals, *(FailedEntry(call_id=f"f{number}", length=100 * number) for number in range(failed))]


@MOST
@given(whole_turns().flatmap(lambda steps: st.tuples(st.just(steps), st.permutations(steps))))
def test_of_equal_sizes_the_outcome_depends_on_the_set_alone(both: tuple[list[Step], list[Step]]) -> None:
    def outcomes(steps: list[Step]) -> object:
        turn = fold(written([*steps, Settle("size")]))
        by_name = {
            entry.result_id if isinstance(entry, ResultEntry) else entry.call_id: outcome
            for entry, outcome in zip(turn.arrivals, said(turn), strict=True)
        }
        return by_name, turn.settled_total, turn.settled_count

    one, other = both
    assert outcomes(one) == outcomes(other)


@MOST
@given(whole_turns())
def test_a_turn_is_settled_by_the_last_result_that_it_waits_for_and_by_none_before(steps: list[Step]) -> None:
    entries = written(steps)
    for count in range(len(entries)):
        assert fold(entries[:count]).settled is None
        assert not fold(entries[:count]).is_complete
    last, turn = entries[-1], fold(entries)
    if isinstance(last, ResultEntry):
        assert turn.settled is not None
        assert turn.settled.settled_by == "size"
        assert turn.settled_with == last.result_id
    else:
        assert turn.is_complete


@MOST
@given(steps, st.integers(0, 14))
def test_a_fold_can_be_broken_off_anywhere_and_read_again(steps: list[Step], cut: int) -> None:
    entries = written(steps)
    assert state(fold(entries, fold(entries[:cut]))) == state(fold(entries))


@MOST
@given(steps)
def test_what_is_decided_stays_whatever_comes_after(steps: list[Step]) -> None:
    entries = written(steps)
    before: list[turn_model.Said] = []
    raw = {entry.result_id for entry in entries if isinstance(entry, RawEntry)}
    for count in range(len(entries) + 1):
        turn = fold(entries[:count])
        for arrival, was, now in zip(turn.arrivals, before, said(turn), strict=False):
            went_raw = isinstance(arrival, ResultEntry) and arrival.result_id in raw
            assert was in (WAITS, now) or (went_raw and now == ("inline", "store_failure", now[2]))
        before = said(turn)


@MOST
@given(steps)
def test_after_the_settling_nothing_waits(steps: list[Step]) -> None:
    turn = fold(written([*steps, Settle("deadline"), *steps]))
    assert WAITS not in said(turn)
    assert not turn.waits
    assert not turn.is_complete


@MOST
@given(steps)
def test_a_second_settling_and_results_again_change_nothing(steps: list[Step]) -> None:
    entries = written([*steps, Settle("end")])
    again = [entry for entry in entries if isinstance(entry, ResultEntry | ResultsEntry)]
    stray = SettledEntry(settled_by="deadline", budget=1, offloaded=(0, 1, 2))
    one, other = fold(entries), fold([*entries, stray, *again])
    assert said(one) == said(other)
    assert (one.total, one.settled, one.settled_total) == (other.total, other.settled, other.settled_total)


def waits(result_id: str, length: int, size: int, stub_length: int | None = 100) -> ResultEntry:
    return ResultEntry(
        result_id=result_id, call_id="c", length=length, stub_length=stub_length, budget=BUDGET, turn_size=size
    )


@pytest.mark.parametrize("count", [1, 500, 1000])
def test_a_turn_of_any_size_is_settled_within_its_budget(count: int) -> None:
    turn = fold(written([waits(f"r{number:04d}", 20 + number % 7, count, stub_length=4) for number in range(count)]))
    assert turn.settled is not None
    assert turn.settled_count == count
    assert turn.settled_total < BUDGET
    inline = [entry.length for entry, outcome in zip(turn.arrivals, said(turn), strict=True) if outcome[0] == "inline"]
    assert len(inline) < count or count == 1


def test_a_total_at_the_budget_is_not_below_it() -> None:
    assert said(fold(written([waits("a", 2500, 2), waits("b", 2500, 2)])))[0] == ("offloaded", "turn_budget", 100)
    assert said(fold(written([waits("a", 2500, 2), waits("b", 2499, 2)])))[0] == ("inline", None, 2500)


def test_without_a_known_size_each_is_decided_as_it_arrives_on_what_is_left() -> None:
    arrivals = [
        ResultEntry(result_id=name, call_id="c", length=length, stub_length=100, budget=BUDGET)
        for name, length in [("a", 2500), ("b", 2500), ("c", 2399), ("d", 1), ("e", 1)]
    ]
    assert [outcome[0] for outcome in said(fold(written(arrivals)))] == [
        "inline",
        "offloaded",  # 2500 + 2500 is not below the budget
        "inline",  # 2500 + 100 + 2399 is
        "inline",  # at the budget already, but its stub would be longer
        "inline",
    ]


def stored(result_id: str, length: int) -> ResultEntry:
    """Offloaded at once, its stub 100 long."""
    return msgspec.structs.replace(waits(result_id, length, 9), at_once="offloaded", reason="single_threshold")


def test_a_result_goes_raw_where_the_budget_has_room_for_it_and_counts_from_then_on() -> None:
    def raw(result_id: str, length: int) -> RawEntry:
        return RawEntry(result_id=result_id, length=length, stub_length=100, budget=BUDGET)

    turn = fold([stored("a", 3000), stored("b", 2000), stored("c", 150), raw("a", 3000), raw("b", 2000), raw("c", 150)])
    assert [turn.may_go_raw(name) for name in "abcd"] == [True, False, True, None]
    assert said(turn) == [
        ("inline", "store_failure", 3000),
        ("offloaded", "single_threshold", 100),
        ("inline", "store_failure", 150),
    ]
    assert turn.total == 3250


def test_whether_a_result_may_go_raw_is_asked_once() -> None:
    ask = RawEntry(result_id="a", length=4000, stub_length=100, budget=BUDGET)
    turn = fold([stored("a", 4000), ask, msgspec.structs.replace(ask, length=9000)])
    assert turn.may_go_raw("a")
    assert turn.total == 4000


def test_ties_are_broken_by_the_result_id() -> None:
    turn = fold(written([waits(name, 2000, 3) for name in "cba"]))
    assert {name: turn.outcome(name).disposition for name in "abc" if turn.outcome(name)} == {  # type: ignore[union-attr]
        "a": "offloaded",
        "b": "inline",
        "c": "inline",
    }


def test_a_result_that_is_never_offloaded_counts_and_lets_others_go() -> None:
    turn = fold(
        written([waits("never", 4900, 3, stub_length=None), waits("b", 50, 3, stub_length=60), waits("c", 200, 3)])
    )
    assert said(turn) == [("inline", None, 4900), ("inline", None, 50), ("offloaded", "turn_budget", 100)]
    assert turn.settled_total >= BUDGET  # nothing more to offload


def test_of_several_sizes_the_largest_counts_and_an_end_replaces_them() -> None:
    entries: list[Entry] = [waits("a", 10, 2), waits("b", 10, 4), EndEntry(turn_size=3), EndEntry()]
    assert [fold(entries[:count]).size for count in range(5)] == [None, 2, 4, 3, 3]


def test_an_entry_of_another_kind_is_refused_for_the_reader_to_pass_over() -> None:
    with pytest.raises(msgspec.DecodeError):
        read_entry(b'{"entry": "from a later version", "length": 1}')
