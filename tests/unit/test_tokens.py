"""The estimate of tokens, and the counters that `budget.unit` names."""

import pytest

from coatcheck_core.tokens import counter, estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("x" * 20_000, 5_000),
        ("搜索结果", 4),
        ("ひらカナ", 4),
        ("한국어", 3),
        ("😀😀", 2),
        ("привет мир", 4),
        ("ab搜索", 3),
        ("café", 1),
    ],
)
def test_tokens_are_a_quarter_of_the_chars_and_wide_scripts_count_more(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_chinese_reaches_a_limit_no_later_than_its_cost() -> None:
    assert estimate_tokens("结" * 20_000) == 20_000


@pytest.mark.parametrize(("unit", "measured"), [("chars", 6), ("tokens", 4), ("unicodedata:normalize_none", None)])
def test_a_unit_names_its_counter(unit: str, measured: int | None) -> None:
    if measured is None:
        with pytest.raises(ValueError, match="has no function 'normalize_none'"):
            counter(unit)
    else:
        assert counter(unit)("abc搜索果") == measured


def test_a_counter_of_ones_own_is_loaded() -> None:
    assert counter("builtins:len")("abc") == 3


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ("words", "chars, tokens or module:function"),
        ("", "chars, tokens or module:function"),
        (":f", "chars, tokens or module:function"),
        ("m:", "chars, tokens or module:function"),
        ("no_such_module_here:f", "cannot be imported"),
        ("..relative:f", "cannot be imported"),
        ("sys:maxsize", "has no function 'maxsize'"),
    ],
)
def test_a_unit_that_cannot_be_loaded_is_a_clear_error(unit: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counter(unit)
