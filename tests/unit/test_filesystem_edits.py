"""Replacing text."""

import pytest

from coatcheck_core.filesystem.edits import edited
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_FILE_BYTES


def test_one_occurrence_is_replaced() -> None:
    assert edited("a b c", "b", "x", replace_all=False) == ("a x c", 1)


def test_all_occurrences_are_replaced_where_that_is_asked() -> None:
    assert edited("aXaX", "X", "", replace_all=True) == ("aa", 2)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [("", "x", "empty"), ("b", "b", "same"), ("q", "x", "nowhere"), ("b", "x", "3 times"), ("aa", "x", "2 times")],
)
def test_what_is_not_one_change_is_refused_and_says_why(old: str, new: str, says: str) -> None:
    with pytest.raises(RequestError, match=says) as caught:
        edited("b b b aaa", old, new, replace_all=False)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_an_edit_that_would_make_too_much_is_refused_before_it_is_made() -> None:
    with pytest.raises(RequestError, match=str(MAX_FILE_BYTES)) as caught:
        edited("a" * 1_000_000, "a", "b" * 1_000_000, replace_all=True)
    assert caught.value.code is Code.TOO_LARGE
