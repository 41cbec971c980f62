"""Literal search in a text."""

import pytest

from coatcheck_core.searching import count, find, narrow


def test_a_match_says_where_it_is_in_chars_lines_and_bytes() -> None:
    text = "é\n漢字 needle\U0001f600 needle"
    first, second = find(text, "needle", context_chars=3)
    assert (first.offset, first.line, first.byte_offset, first.length) == (5, 1, 10, 6)
    assert (first.snippet, first.snippet_offset) == ("漢字 needle\U0001f600 n", 2)
    assert text.encode()[second.byte_offset :] == b"needle"


def test_matches_do_not_overlap() -> None:
    assert [found.offset for found in find("aaaaa", "aa", context_chars=0)] == [0, 2]
    assert count("aaaaa", "aa") == 2


def test_a_match_may_span_lines() -> None:
    (found,) = find("a\nb\nc", "b\nc", context_chars=0)
    assert (found.line, found.snippet) == (1, "b\nc")


def test_context_stops_at_the_ends_of_the_text() -> None:
    (found,) = find("ab", "b", context_chars=10_000)
    assert (found.snippet, found.snippet_offset) == ("ab", 0)


def test_a_start_past_the_end_finds_nothing() -> None:
    assert list(find("aaa", "a", context_chars=0, start=2**53)) == []


@pytest.mark.parametrize("search", [lambda: list(find("a", "", context_chars=0)), lambda: count("a", "")])
def test_an_empty_query_is_refused(search: object) -> None:
    assert callable(search)
    with pytest.raises(ValueError, match="empty query"):
        search()


def test_a_narrower_snippet_keeps_the_match() -> None:
    assert narrow("abcXYdef", 3, 2, 1) == ("cXYd", 2)
    assert narrow("XYdef", 0, 2, 0) == ("XY", 0)
