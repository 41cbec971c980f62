"""The manifest of a turn: what a person replays the decision by, in whatever a message may carry."""

from datetime import UTC, datetime

import msgspec
import pytest

from coatcheck_core.turns import EndEntry, Entry, FailedEntry, ResultEntry, Turn, manifest
from coatcheck_schemas.events import SettledResult, TurnSettled
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import TurnAddress

AT = TurnAddress("s", "t")
NOW = datetime(2026, 1, 31, tzinfo=UTC)
SMALLEST_MESSAGE = 128 * 1024 - 8192


def arrival(number: int, length: int, size: int, *, call_id: str = "", result_id: str = "") -> ResultEntry:
    return ResultEntry(
        result_id=result_id or f"call_{number}-{number:032x}",
        call_id=call_id or f"call_{number}",
        length=length,
        stub_length=300,
        budget=5000,
        turn_size=size,
        original_chars=length,
    )


def settled(*entries: Entry) -> Turn:
    turn = Turn()
    for number, entry in enumerate(entries, 1):
        turn.apply(entry, number, NOW)
    turn.apply(turn.settle("size", 5000), len(entries) + 1, NOW)
    return turn


def read(encoded: bytes) -> TurnSettled:
    return msgspec.json.decode(encoded, type=TurnSettled)


def replay(told: TurnSettled) -> list[str]:
    """By hand, from the manifest alone: put back what the turn's budget took out, and take the largest out again."""

    def whole(one: SettledResult) -> int:
        return (one.original_chars or 0) if one.reason == "turn_budget" else one.inline_size

    total = sum(map(whole, told.results))
    candidates = [
        one for one in told.results if one.reason == "turn_budget" or (one.disposition, one.reason) == ("inline", None)
    ]
    taken: list[str] = []
    for one in sorted(candidates, key=lambda one: (-(one.original_chars or 0), one.result_id or "")):
        if total < told.budget:
            break
        stub = one.inline_size if one.reason == "turn_budget" else whole(one)
        if stub < whole(one):
            total += stub - whole(one)
            taken.append(one.result_id or "")
    assert total == told.inline_total
    return taken


@pytest.mark.parametrize(
    "lengths", [(1000, 1000, 1000), (3000, 1500, 1200), (2000, 2000, 2000, 2000), (4999,), (5000,), (100, 200) * 30]
)
def test_a_reader_replays_the_decision_from_the_manifest_alone(lengths: tuple[int, ...]) -> None:
    size = len(lengths) + 1
    entries = [arrival(number, length, size) for number, length in enumerate(lengths)]
    told = read(manifest(settled(*entries, FailedEntry(call_id="broken", length=90)), AT, SMALLEST_MESSAGE))
    assert sorted(replay(told)) == sorted(one.result_id or "" for one in told.results if one.reason == "turn_budget")
    assert (told.received, told.turn_size, told.settled_by, told.budget) == (size, size, "size", 5000)
    assert sum(one.inline_size for one in told.results) == told.inline_total


def test_results_are_listed_in_the_order_of_their_arrival_with_what_became_of_them() -> None:
    told = read(manifest(settled(arrival(2, 4000, 2), arrival(1, 1500, 2)), AT, SMALLEST_MESSAGE))
    assert [
        (one.call_id, one.disposition, one.reason, one.original_chars, one.inline_size) for one in told.results
    ] == [
        ("call_2", "offloaded", "turn_budget", 4000, 300),
        ("call_1", "inline", None, 1500, 1500),
    ]


def test_a_dead_letter_is_listed_without_a_result_id() -> None:
    told = read(manifest(settled(FailedEntry(call_id="broken", length=90)), AT, SMALLEST_MESSAGE))
    assert told.results == [
        SettledResult(
            call_id="broken",
            result_id=None,
            disposition="failed",
            reason="invalid",
            original_chars=None,
            inline_size=90,
        )
    ]


def test_ids_longer_than_their_segments_stand_in_the_manifest() -> None:
    long = "x" * 300
    entry = msgspec.structs.replace(arrival(1, 10, 1), session_id=long, turn_id="t")
    told = read(manifest(settled(entry), TurnAddress(encode_segment(long), "t"), SMALLEST_MESSAGE))
    assert (told.session_id, told.turn_id) == (long, "t")


@pytest.mark.parametrize(
    "named",
    [FailedEntry(call_id="c", length=9, session_id="x" * 300), EndEntry(turn_size=1, session_id="x" * 300)],
    ids=["a dead letter", "the turn's end"],
)
def test_ids_that_nothing_but_this_says_stand_in_the_manifest(named: Entry) -> None:
    told = read(manifest(settled(named), TurnAddress(encode_segment("x" * 300), "t"), SMALLEST_MESSAGE))
    assert (told.session_id, told.turn_id) == ("x" * 300, "t")


def test_ids_that_come_after_the_settling_change_no_manifest() -> None:
    turn, at = settled(arrival(1, 10, 1)), TurnAddress(encode_segment("x" * 300), "t")
    before = manifest(turn, at, SMALLEST_MESSAGE)
    turn.apply(EndEntry(session_id="x" * 300), 8, NOW)
    turn.apply(msgspec.structs.replace(arrival(2, 10, 1), session_id="x" * 300), 9, NOW)
    assert manifest(turn, at, SMALLEST_MESSAGE) == before


def test_late_results_stand_in_no_manifest() -> None:
    turn = settled(arrival(1, 4000, 1))
    before = manifest(turn, AT, SMALLEST_MESSAGE)
    turn.apply(arrival(2, 10, 1), 9, NOW)
    assert manifest(turn, AT, SMALLEST_MESSAGE) == before


HOSTILE = {
    "escapes": "\x00\x01\x02\x03" * 50,
    "wide characters": "\U0001f600" * 200,
    "quotes": '"\\' * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("count", [1, 500, 1000])
def test_a_manifest_fits_the_smallest_message_whatever_the_ids_and_says_how_many_it_counts(
    name: str, count: int
) -> None:
    call_id = HOSTILE[name]
    segment = encode_segment(call_id)
    entries = [
        arrival(number, 100, count, call_id=call_id, result_id=f"{segment}-{number:032x}") for number in range(count)
    ]
    long = msgspec.structs.replace(entries[0], session_id="\x00" * 4096, turn_id="\x01" * 4096)
    encoded = manifest(settled(long, *entries[1:]), AT, SMALLEST_MESSAGE)
    told = read(encoded)
    assert len(encoded) <= SMALLEST_MESSAGE
    assert told.received == count
    assert told.results[0].result_id == entries[0].result_id
    assert all(call_id.startswith(one.call_id) for one in told.results)


def test_ids_are_clipped_before_results_are_left_out() -> None:
    entries = [arrival(number, 100, 400, call_id="x" * 200) for number in range(400)]
    told = read(manifest(settled(*entries), AT, SMALLEST_MESSAGE))
    assert len(told.results) == 400
    assert {len(one.call_id) for one in told.results} == {100}


def test_an_unsettled_turn_has_no_manifest() -> None:
    with pytest.raises(ValueError, match="not settled"):
        manifest(Turn(), AT, SMALLEST_MESSAGE)
