"""Where a block ends, and when time runs out, changes nothing but what it may."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hostile import HOSTILE
from tests.support.hostile.block_size import block_size
from tests.support.hostile.documents import DOCUMENTS

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.effort import OutOfTime
from coatcheck_schemas.synopsis import CodeFacts, JsonFacts, Synopsis, UnknownFacts

DEPENDING = {"text: paths of a diff"}  # a path longer than a block
SMALL_BLOCKS = (512, 4096, 40_000)
SOME_BYTES = 6_000


def without_least_numbers(synopsis: Synopsis) -> Synopsis:
    """How many keys of a large object repeat is said to be so many at least: the blocks decide how many are seen to."""
    if isinstance(synopsis.facts, JsonFacts) and synopsis.facts.repeated_keys:
        return msgspec.structs.replace(synopsis, facts=msgspec.structs.replace(synopsis.facts, repeated_keys=1))
    return synopsis


class Countdown:
    """A step that allows so many blocks."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self) -> None:
        if self.left == 0:
            raise OutOfTime
        self.left -= 1


class Count:
    """A step that is counted."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self) -> None:
        self.steps += 1


@pytest.mark.parametrize("size", SMALL_BLOCKS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_has_the_same_synopsis_in_blocks_of_any_size(name: str, size: int) -> None:
    data = DOCUMENTS[name](50_000)
    whole = synopsize(data)
    with block_size(size):
        assert synopsize(data) == whole


@given(st.sampled_from(sorted(HOSTILE.keys() - DEPENDING)), st.integers(1, 12_000), st.sampled_from((600, 1000, 5000)))
@settings(max_examples=150, deadline=None)
def test_hostile_input_has_the_same_synopsis_in_blocks_of_any_size(name: str, length: int, size: int) -> None:
    data = HOSTILE[name](length)[: 40 * 1024]
    whole = without_least_numbers(synopsize(data))
    with block_size(size):
        assert without_least_numbers(synopsize(data)) == whole


@given(st.sampled_from(sorted(HOSTILE)), st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_out_of_time_at_any_step_gives_the_plain_synopsis(name: str, steps: int) -> None:
    data = HOSTILE[name](SOME_BYTES)[: 40 * 1024]
    with block_size(256):
        _whole_or_plain(data, steps)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_out_of_time_at_every_step_of_a_document_gives_the_plain_synopsis(name: str) -> None:
    data = DOCUMENTS[name](SOME_BYTES)
    with block_size(1024):
        count = Count()
        synopsize(data, step=count)
        for steps in range(count.steps + 1):
            _whole_or_plain(data, steps)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_step_is_taken_for_each_block_of_a_document_at_least(name: str) -> None:
    steps = _steps_of(DOCUMENTS[name])
    assert steps(4_000_000) - steps(1_000_000) >= 3


def _steps_of(make: Callable[[int], bytes]) -> Callable[[int], int]:
    def steps(size: int) -> int:
        count = Count()
        synopsize(make(size), step=count)
        return count.steps

    return steps


def _whole_or_plain(data: bytes, steps: int) -> None:
    countdown = Countdown(steps)
    synopsis = synopsize(data, step=countdown)
    if synopsis == synopsize(data):
        return
    assert synopsis.facts == UnknownFacts(why="time_limit", bytes=len(data))
    assert countdown.left == 0


@pytest.mark.parametrize("long_line", [10, 300_000, 600_000])
def test_definitions_behind_a_line_longer_than_a_block_are_counted(long_line: int) -> None:
    functions = b"def f():\n    return 1\n\n\n" * 50
    code = b"import os\n\n\n" + functions + b"x = '" + b"a" * long_line + b"'\n" + functions
    facts = synopsize(code).facts
    assert isinstance(facts, CodeFacts)
    assert (facts.lines, facts.symbol_count, facts.symbol_lines[:2]) == (code.count(b"\n"), 100, [3, 7])
