"""The manifest of a turn tells enough to replay its decision by hand, as the contract's prose says how."""

import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.turns import EndEntry, FailedEntry, ResultEntry, Turn, manifest
from coatcheck_schemas.events import SettledResult, TurnSettled
from coatcheck_schemas.subjects import TurnAddress

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
PROSE = (SCHEMAS / "README.md").read_text()
WHEN = datetime(2026, 1, 31, tzinfo=UTC)
AT = TurnAddress("s1", "t1")
BUDGET = 1000


def example() -> TurnSettled:
    (text,) = re.findall(r"^```json TurnSettled\n(.*?)^```$", PROSE, re.DOTALL | re.MULTILINE)
    return msgspec.json.decode(text, type=TurnSettled)


def golden() -> TurnSettled:
    return msgspec.json.decode((SCHEMAS / "golden" / "settled.json").read_bytes(), type=TurnSettled)


def size(result: SettledResult) -> int:
    """What it would take if it did not give way."""
    if result.reason != "turn_budget":
        return result.inline_size
    assert result.original_chars is not None
    return result.original_chars


def replayed(settled: TurnSettled) -> tuple[list[int], set[str]]:
    """The totals, each less than the one before, and who gave way: by the prose, of a turn whose size was known."""
    totals = [sum(map(size, settled.results))]
    gave_way = set()
    candidates = [one for one in settled.results if one.reason in (None, "turn_budget")]
    for one in sorted(candidates, key=lambda one: (-size(one), str(one.result_id))):
        if totals[-1] < settled.budget:
            break
        if one.disposition == "offloaded":
            totals.append(totals[-1] - size(one) + one.inline_size)
            gave_way.add(str(one.result_id))
    return totals, gave_way


def decided_as_they_arrived(settled: TurnSettled) -> bool:
    """Whether each result is where the prose puts it in a turn of no known size."""
    before = 0
    for one in settled.results:
        if one.reason in (None, "turn_budget"):
            fits = before + size(one) < settled.budget
            if one.disposition == "inline" and not fits:
                assert one.original_chars is not None  # it has no shorter stub: nothing to check it by
            elif (one.disposition == "inline") != fits:
                return False
        before += one.inline_size
    return before == settled.inline_total


def offloaded(settled: TurnSettled) -> set[str]:
    return {str(one.result_id) for one in settled.results if one.reason == "turn_budget"}


@pytest.mark.parametrize("settled", [example(), golden()], ids=["prose", "golden"])
def test_a_manifest_that_is_shown_can_be_replayed(settled: TurnSettled) -> None:
    totals, gave_way = replayed(settled)
    assert (totals[-1], gave_way) == (settled.inline_total, offloaded(settled))
    assert sum(one.inline_size for one in settled.results) == settled.inline_total < settled.budget <= totals[0]
    assert len(settled.results) == settled.received == settled.turn_size


def test_the_sums_of_the_example_are_right() -> None:
    lines = re.findall(r"^(\d+) = ([\d +-]+\d)  ", PROSE, re.MULTILINE)
    assert [int(total) for total, _ in lines] == replayed(example())[0]
    for total, terms in lines:
        assert int(total) == sum(int(term.replace(" ", "")) for term in re.findall(r"(?:^|[+-]) ?\d+", terms))
    assert [int(number) for number in re.findall(r"\d+", lines[0][1])] == [size(one) for one in example().results]


@st.composite
def entries(draw: st.DrawFn, turn_size: int | None, index: int) -> ResultEntry | FailedEntry:
    """An arrival: at once, or one that may have to give way; of few lengths, so that ties are common."""
    call = f"call_{draw(st.integers(0, 9))}{index}"
    kind = draw(st.sampled_from(["open", "open", "open", "never", "over", "read", "failed"]))
    length = draw(st.sampled_from([0, 1, 90, 150, 150, 300, 400]))
    if kind == "failed":
        return FailedEntry(call_id=call, length=60)
    stub = draw(st.sampled_from([80, 120]))
    return ResultEntry(
        result_id=f"{call}-{index:032x}",
        call_id=call,
        length=length,
        original_chars=length,
        budget=BUDGET,
        turn_size=turn_size,
        stub_length=None if kind in ("never", "read") else stub,
        at_once="offloaded" if kind == "over" else None,
        reason={"over": "single_threshold", "read": "source_read"}.get(kind),  # type: ignore[arg-type]
    )


def settled_turn(arrivals: list[ResultEntry | FailedEntry], *, ended: bool) -> TurnSettled:
    turn = Turn()
    for number, entry in enumerate([*arrivals, *([EndEntry()] if ended else [])], 1):
        turn.apply(entry, number, WHEN)
    turn.apply(turn.settle("end" if ended else "size", BUDGET), len(arrivals) + 2, WHEN)
    return msgspec.json.decode(manifest(turn, AT, 1_000_000), type=TurnSettled)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 15))
def test_every_turn_of_a_known_size_can_be_replayed(data: st.DataObject, count: int) -> None:
    settled = settled_turn([data.draw(entries(count, index)) for index in range(count)], ended=False)
    totals, gave_way = replayed(settled)
    assert (totals[-1], gave_way) == (settled.inline_total, offloaded(settled))


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 15))
def test_every_turn_of_no_known_size_can_be_replayed(data: st.DataObject, count: int) -> None:
    assert decided_as_they_arrived(
        settled_turn([data.draw(entries(None, index)) for index in range(count)], ended=True)
    )
