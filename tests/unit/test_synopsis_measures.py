"""Chars, words and lines counted in blocks are those of the whole text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.blocks import BLOCK_BYTES, blocks
from coatcheck_core.synopsis.effort import OutOfTime
from coatcheck_core.synopsis.measures import Measures, measure
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import UnknownFacts

WHITE = "".join(chr(code) for code in range(0x3100) if chr(code).isspace())


def counted(text: str) -> Measures:
    return Measures(len(text), len(text.split()), text.count("\n") + (text != "" and not text.endswith("\n")))


@given(st.text(alphabet=st.sampled_from("ab\n é世🎉\r\t" + WHITE)))
def test_any_text_is_measured_as_str_does(text: str) -> None:
    assert measure(text.encode()) == counted(text)


@pytest.mark.parametrize("text", [WHITE + "x" + WHITE, "世" * BLOCK_BYTES, "a b\u3000c\n" * BLOCK_BYTES])
def test_blocks_change_no_count(text: str) -> None:
    assert measure(text.encode()) == counted(text)


@given(st.binary(max_size=60), st.integers(4, 20))
def test_blocks_joined_are_the_bytes(data: bytes, size: int) -> None:
    assert b"".join(blocks(data, size=size)) == data


@given(st.text(max_size=60), st.integers(4, 20))
def test_no_block_of_a_text_cuts_a_code_point(text: str, size: int) -> None:
    assert "".join(block.decode() for block in blocks(text.encode(), size=size)) == text


@given(st.text(max_size=30), st.integers(0, 40))
def test_head_and_tail_are_whole_code_points(text: str, count: int) -> None:
    seen = Seen(text.encode())
    data = seen.data
    assert data.startswith(seen.head(count).encode())
    assert data.endswith(seen.tail(count).encode())
    assert seen.head(len(data)) == seen.tail(len(data)) == seen.text


def test_who_has_no_more_time_gets_a_plain_synopsis() -> None:
    def step() -> None:
        raise OutOfTime

    assert synopsize(b"some text\n", step=step).facts == UnknownFacts(why="time_limit", bytes=10)
