"""A finder that is to give the first match of each line alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.searching import Finder, Found, is_plain, matcher_for

PIECES = st.lists(st.text(alphabet="xy\n世", max_size=12), max_size=6)


def found(pieces: list[str], query: str, context_chars: int = 0) -> list[Found]:
    finder = Finder(matcher_for(query, regex=True), context_chars=context_chars, once_a_line=True)
    given_ones: list[Found] = []
    for number, piece in enumerate(pieces):
        finder.feed(piece.encode(), is_last=number == len(pieces) - 1)
        given_ones += finder.found()
    assert not pieces or finder.is_done
    return given_ones


@given(PIECES, st.sampled_from(["x", "x+", "世", "xy|yx"]), st.integers(0, 3))
def test_each_line_gives_its_first_match_whatever_the_pieces(pieces: list[str], query: str, context: int) -> None:
    text = "".join(pieces)
    lines = [(number, re.search(query, line)) for number, line in enumerate(text.split("\n"))]
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    expected = [(number, starts[number] + hit.start()) for number, hit in lines if hit]
    assert [(one.line, one.offset) for one in found(pieces, query, context)] == expected


@given(PIECES, st.sampled_from(["x", "x+", "世", "xy|yx", "x\ny"]), st.booleans(), st.integers(0, 2), st.integers(1, 3))
def test_lines_are_counted_as_they_would_be_given(
    pieces: list[str], query: str, is_regex: bool, context: int, steps: int
) -> None:
    """The first of each piece is given, the others counted, in as many steps as a watch makes of it."""
    expected = [one.line for one in found(pieces, query)] if is_regex or query not in ("x+", "xy|yx") else None
    matcher = matcher_for(query, regex=is_regex)
    finder = Finder(matcher, context_chars=context, once_a_line=True, watch=Stepping(steps))
    lines: list[int] = []
    count = 0
    for number, piece in enumerate(pieces):
        finder.feed(piece.encode(), is_last=number == len(pieces) - 1)
        for _ in range(60):
            for one in finder.found():
                lines.append(one.line)
                count += 1
                more, last = finder.count_lines()
                assert (last is None) == (more == 0)
                lines += [] if last is None else [last]
                count += more
    if expected is not None:
        assert count == len(expected)
        assert set(lines) <= set(expected)
        assert lines[-1:] == expected[-1:]


class Stepping:
    """Over at each so manieth look."""

    def __init__(self, steps: int) -> None:
        self._steps, self._looks = steps, 0

    def now(self) -> float:
        return 0.0

    def is_over(self) -> bool:
        self._looks += 1
        return self._looks % self._steps == 0


@pytest.mark.parametrize(
    ("text", "is_it"), [('a b_c-d: "x" /y ü', True), ("a.b", False), ("a\\b", False), ("(a", False)]
)
def test_an_expression_without_anything_special_means_its_text(text: str, is_it: bool) -> None:
    assert is_plain(text) is is_it


@pytest.mark.parametrize(
    ("text", "query", "lines"),
    [
        ("a\nb a\na", r"a\nb", [0]),
        ("a\nb a b\na", r"a\nb|a", [0, 1, 2]),
        ("x x", r"x$", [0]),
        ("x\nx", r"^x", [0, 1]),
        ("xx\nxx", r"\bx", [0, 1]),
    ],
)
def test_a_match_over_several_lines_leaves_the_last_one_to_be_searched(text: str, query: str, lines: list[int]) -> None:
    assert [one.line for one in found([text], query)] == lines
