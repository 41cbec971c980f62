"""The lines that a grep shows are those that a look at each line finds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.filesystem.grepping import Hit, Lines, around_chars
from coatcheck_core.searching import Finder, Found, find, line_matcher, matcher_for
from coatcheck_schemas.filesystem import GrepLine

EXPRESSIONS = [
    *(
        "x",
        "x+",
        "^",
        "$",
        "^$",
        "x*",
        r"\s",
        r"[^x]",
        r"[^x]$",
        r"x\s*y",
        r"y[^y]",
        r"(?s).y",
        r"\Sx",
        r"\bx",
        "x|^y",
        "y$",
    ),
    *(r"[\s\S]x", r"x?y?$", r"(x|)y", r"\W"),
]


@given(st.text(alphabet="xy \r\n", max_size=40), st.sampled_from(EXPRESSIONS), st.booleans(), st.data())
def test_a_line_matches_where_the_expression_does_in_it_alone(
    text: str, expression: str, ignore_case: bool, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(text)))
    lines = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    expected = [at for at, line in enumerate(lines) if re.search(expression, line, re.A | re.I * ignore_case)]
    for counting in (False, True):
        finder = Finder(line_matcher(expression, ignore_case=ignore_case), once_a_line=True)
        found: list[int] = []
        count = 0
        for piece, is_last in ((text[:cut], False), (text[cut:], True)):
            finder.feed(piece.encode(), is_last=is_last)
            for one in finder.found():
                found.append(one.line)
                count += 1 + (finder.count_lines()[0] if counting else 0)
        assert finder.is_done
        assert count == len(expected)
        assert counting or found == expected


TEXT = st.text(alphabet="xy\n", max_size=60)


def hit_of(found: Found) -> Hit:
    at = found.offset - found.snippet_offset
    return Hit(line=found.line, snippet=found.snippet, at=at, is_from_begin=found.snippet_offset == 0)


@given(TEXT, st.integers(0, 3), st.integers(0, 3), st.integers(1, 4))
def test_lines_come_once_in_order_with_all_around_those_that_match(
    text: str, before: int, after: int, page: int
) -> None:
    shown = Lines(before, after)
    given_lines: list[GrepLine] = []
    count = 0
    for one in find(text, matcher_for("x", regex=True), context_chars=around_chars(before, after)):
        if not shown.has("a", one.line):
            hit = hit_of(one)
            if count == page:
                given_lines += shown.rest("a", one.line)
                last = next(line.line - 1 for line in reversed(given_lines) if not line.is_context)
                told, count = shown.last_shown("a"), 0
                shown = Lines(before, after)
                shown.note("a", last, told)
            given_lines += shown.give(shown.piece("a", hit))
            count += 1
    given_lines += shown.rest()
    lines = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    matched = [number for number, line in enumerate(lines) if "x" in line]
    near = {n for m in matched for n in range(max(0, m - before), min(len(lines), m + after + 1))}
    assert [one.line - 1 for one in given_lines if not one.is_context] == matched
    assert [one.line - 1 for one in given_lines] == sorted(near)
    assert all(lines[one.line - 1] == one.text for one in given_lines)


@given(TEXT, st.integers(0, 4), st.integers(0, 4), st.integers(0, 40))
def test_where_not_all_around_is_within_reach_lines_are_shown_from_their_beginning_or_not_at_all(
    text: str, before: int, after: int, reach: int
) -> None:
    shown = Lines(before, after)
    given_lines: list[GrepLine] = []
    for one in find(text, matcher_for("x", regex=True), context_chars=reach):
        if not shown.has("a", one.line):
            given_lines += shown.give(shown.piece("a", hit_of(one)))
    given_lines += shown.rest()
    lines = text.split("\n")
    matched = [number for number, line in enumerate(lines) if "x" in line]
    numbers = [line.line - 1 for line in given_lines]
    assert numbers == sorted(set(numbers))
    assert [line.line - 1 for line in given_lines if not line.is_context] == matched
    for line in given_lines:
        if line.is_context:
            assert lines[line.line - 1].startswith(line.text)
            if line.line - 2 not in matched and line.line - 2 not in numbers:
                assert lines[line.line - 1] == line.text
