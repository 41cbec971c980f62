"""The counters that `budget.unit` names, and what the estimate makes of the smallest texts and of strange ones."""

import pytest

from coatcheck_core.tokens import counter, estimate_tokens, named_counter
from coatcheck_core.tokens.measuring import CHUNK_CHARS


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("7", 1),
        (" ", 1),
        ("\n", 1),
        ("?", 1),
        ("\x00", 1),
        ("é", 2),
        ("结", 2),
        ("\ud800", 1),
        ("The test has failed.", 5),
        ("搜索结果", 4),
        ("ひらカナ", 4),
        ("한국어", 2),
        ("😀😀", 4),
        ("привет мир", 3),
    ],
)
def test_short_texts_have_about_as_many_tokens_as_they_look(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_chinese_reaches_a_limit_about_where_it_costs_as_much() -> None:
    sentence = "昨天的会议记录已经发到大家的邮箱，请在周五之前确认。"
    assert estimate_tokens(sentence * 1000) == pytest.approx(0.75 * 1000 * len(sentence), rel=0.1)


@pytest.mark.parametrize("char", [" ", "\t", "\n", "-", "=", "x", "0", "é", "结", "😀", "\ud800", "\x00", "\u200b"])
def test_a_long_run_of_one_char_costs_something_and_never_more_than_its_bytes(char: str) -> None:
    size = len(char.encode("utf-8", "surrogatepass"))
    assert 40_000 * 0.008 < estimate_tokens(char * 40_000) <= 40_000 * size


def test_columns_parted_by_blanks_cost_little_more_than_by_one() -> None:
    narrow, wide = "name size date\n" * 500, "name          size          date\n" * 500
    assert estimate_tokens(wide) < 2 * estimate_tokens(narrow)


def test_a_ruler_costs_a_fraction_of_as_many_different_marks() -> None:
    assert estimate_tokens("=" * 8000) * 8 < estimate_tokens("!@+:;(,)" * 1000)


@pytest.mark.parametrize(
    ("digits", "tokens"), [("7", 1), ("123", 1), ("1234", 2), ("1234567", 3), ("1" * 30, 10), ("1" * 31, 11)]
)
def test_three_digits_in_a_row_are_a_token(digits: str, tokens: int) -> None:
    assert estimate_tokens(digits) == tokens


def test_a_blank_is_of_the_word_after_it_but_not_of_the_number() -> None:
    assert estimate_tokens("word " * 1000) == pytest.approx(1000, rel=0.03)
    assert estimate_tokens("123 " * 1000) == pytest.approx(2000, rel=0.03)


def test_a_mark_alone_is_of_the_word_after_it() -> None:
    assert estimate_tokens("the.main.part." * 1000) == pytest.approx(estimate_tokens("the main part " * 1000), rel=0.02)
    assert estimate_tokens("the..main..part.." * 1000) > 1.9 * estimate_tokens("the main part " * 1000)


@pytest.mark.parametrize("char", ["x", "a", "X", "A", "="])
def test_a_run_of_one_char_costs_about_as_much_as_a_tokenizer_makes_of_it(char: str) -> None:
    assert 4000 / 150 < estimate_tokens(char * 4000) <= 4000 / 6


def test_escape_codes_are_paid_for() -> None:
    assert estimate_tokens("\x1b[01;31m\x1b[K" * 1000) > 6000


@pytest.mark.parametrize("text", ["one giant line of words, ", "日本語のテキスト。", "mixed текст 数据 😀\n"])
def test_the_estimate_is_linear(text: str) -> None:
    once = estimate_tokens(text * 2000)
    assert estimate_tokens(text * 20_000) == pytest.approx(10 * once, rel=0.001)


def test_where_a_text_is_parted_for_measuring_hardly_shows() -> None:
    text = "word and number 1234, " * (3 * CHUNK_CHARS // 22)
    for shift in range(1, 22):
        assert estimate_tokens("x" * shift + text) == pytest.approx(estimate_tokens(text), abs=10)


@pytest.mark.parametrize(("unit", "measured"), [("chars", 6), ("tokens", 3)])
def test_a_unit_names_its_counter(unit: str, measured: int) -> None:
    assert counter(unit)("abc搜索果") == measured


def test_a_counter_of_ones_own_is_loaded() -> None:
    assert counter("builtins:len")("abc") == 3


def test_a_function_that_gives_no_number_is_named_before_any_result_is_counted() -> None:
    with pytest.raises(ValueError, match=r"'builtins:str' cannot count .*gave 'A line of text.* not a whole number"):
        counter("builtins:str")


def test_a_function_that_cannot_take_a_text_is_named() -> None:
    with pytest.raises(ValueError, match=r"budget.unit 'math:sqrt' cannot count"):
        counter("math:sqrt")


def test_a_number_under_0_is_refused_whenever_it_comes() -> None:
    count = counter("tests.unit.test_tokens:first_codes")
    assert count("z") == 122 - 32
    with pytest.raises(ValueError, match="gave -22 for a text, less than 0"):
        count("\n")


def first_codes(text: str) -> int:
    return ord(text[0]) - 32


@pytest.mark.parametrize(("unit", "is_named"), [("chars", False), ("tokens", False), ("builtins:len", True)])
def test_for_clearing_only_a_counter_that_is_named_counts(unit: str, is_named: bool) -> None:
    assert (named_counter(unit) is not None) == is_named


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ("words", "chars, tokens, package:encoding or module:function"),
        ("", "chars, tokens, package:encoding or module:function"),
        (":f", "chars, tokens, package:encoding or module:function"),
        ("m:", "chars, tokens, package:encoding or module:function"),
        ("no_such_module_here:f", "cannot be imported"),
        ("..relative:f", "cannot be imported"),
        ("sys:maxsize", "has no function 'maxsize'"),
        ("unicodedata:normalize_none", "has no function 'normalize_none'"),
    ],
)
def test_a_unit_that_cannot_be_loaded_is_a_clear_error(unit: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counter(unit)
