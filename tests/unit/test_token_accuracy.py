"""The estimate beside a real tokenizer, over texts that its prices were not fitted to; and counting by that tokenizer.

The package `bpe_openai` brings the vocabularies of o200k_base and cl100k_base with it, so nothing is fetched.
"""

import importlib

import pytest
from tests.support.deciding import arrived, rules
from tests.support.token_lists import token_lists
from tests.support.token_oddities import LINES, STRANGE, token_oddities
from tests.support.token_paragraphs import PARAGRAPHS, sentences
from tests.support.token_texts import token_texts

from coatcheck_core.decision import decide
from coatcheck_core.tokens import counter, estimate_tokens
from coatcheck_core.tokens.encodings import PIECE_CHARS, Encoding, count_with, pieces

pytestmark = pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")

TEXTS = dict(token_texts())
LISTS = dict(token_lists())
ODDITIES, STRANGERS = dict(token_oddities(LINES)), dict(token_oddities(STRANGE))
AS_OF_CODE = ["bundle.js", "change.diff", "outline.py", "english", "json", "log with hashes", "xml", "sql", "yaml"]


@pytest.fixture(scope="module")
def encoding() -> Encoding:
    loaded: Encoding = importlib.import_module("bpe_openai").get_encoding("o200k_base")
    return loaded


def test_there_are_twenty_texts_of_some_kilobytes() -> None:
    assert len(TEXTS) == 20
    assert all(1500 < len(text.encode()) < 10_000 for text in TEXTS.values())


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_within_a_quarter_and_never_far_under(name: str, encoding: Encoding) -> None:
    exact = len(encoding.encode_ordinary(TEXTS[name]))
    assert 0.85 * exact <= estimate_tokens(TEXTS[name]) <= 1.25 * exact


@pytest.mark.parametrize("name", PARAGRAPHS)
def test_so_it_is_of_a_paragraph_in_any_language(name: str, encoding: Encoding) -> None:
    exact = len(encoding.encode_ordinary(PARAGRAPHS[name]))
    assert 0.85 * exact <= estimate_tokens(PARAGRAPHS[name]) <= 1.25 * exact


@pytest.mark.parametrize("name", LISTS)
def test_so_it_is_of_logs_and_lists_of_names_and_numbers(name: str, encoding: Encoding) -> None:
    exact = len(encoding.encode_ordinary(LISTS[name]))
    assert 0.9 * exact <= estimate_tokens(LISTS[name]) <= 1.22 * exact


@pytest.mark.parametrize("name", ODDITIES)
def test_empty_fields_capitals_and_ids_are_not_taken_for_cheap(name: str, encoding: Encoding) -> None:
    """A budget that is passed unseen is the dearer mistake, so that the bar above is farther than the one below."""
    exact = len(encoding.encode_ordinary(ODDITIES[name]))
    assert 0.85 * exact <= estimate_tokens(ODDITIES[name]) <= 1.4 * exact


@pytest.mark.parametrize("name", STRANGERS)
def test_names_that_no_dictionary_has_are_not_far_under(name: str, encoding: Encoding) -> None:
    exact = len(encoding.encode_ordinary(STRANGERS[name]))
    assert 0.7 * exact <= estimate_tokens(STRANGERS[name]) <= 1.6 * exact


def test_rows_of_one_mark_that_are_tokens_cost_little(encoding: Encoding) -> None:
    for mark in "-=.*#_":
        assert estimate_tokens(mark * 4000) <= 3 * len(encoding.encode_ordinary(mark * 4000))


@pytest.mark.parametrize("name", ["english story", "german story", "vietnamese story", "numbers", "log of java"])
@pytest.mark.parametrize("bytes_", [5_000, 50_000])
def test_a_page_and_more_is_estimated_as_its_parts_are(name: str, bytes_: int, encoding: Encoding) -> None:
    text = {**PARAGRAPHS, **LISTS}[name] + "\n\n"
    text *= bytes_ // len(text.encode()) + 1
    exact = len(encoding.encode_ordinary(text))
    assert 0.85 * exact <= estimate_tokens(text) <= 1.2 * exact


def test_nine_sentences_in_ten_are_no_farther_off_than_a_third(encoding: Encoding) -> None:
    """A sentence is too little for words that are tokens and words that are three to come out even."""
    ratios = [estimate_tokens(sentence) / len(encoding.encode_ordinary(sentence)) for sentence in sentences()]
    assert len(ratios) > 100
    assert sum(0.8 <= ratio <= 1.3 for ratio in ratios) >= 0.9 * len(ratios)


@pytest.mark.parametrize("name", AS_OF_CODE)
def test_of_code_and_english_it_is_as_good_for_cl100k(name: str) -> None:
    exact = counter("bpe_openai:cl100k_base")(TEXTS[name])
    assert 0.85 * exact <= estimate_tokens(TEXTS[name]) <= 1.25 * exact


@pytest.mark.parametrize("name", TEXTS)
def test_an_encoding_that_the_unit_names_counts_exactly(name: str, encoding: Encoding) -> None:
    assert counter("bpe_openai:o200k_base")(TEXTS[name]) == len(encoding.encode_ordinary(TEXTS[name]))


@pytest.mark.parametrize("name", ["english", "outline.py", "russian", "log with hashes", "listing of a repository"])
def test_a_text_that_is_counted_in_pieces_has_as_many_tokens(name: str, encoding: Encoding) -> None:
    text = TEXTS[name] * (3 * PIECE_CHARS // len(TEXTS[name]))
    assert len(list(pieces(text))) >= 3
    assert count_with(encoding)(text) == pytest.approx(len(encoding.encode_ordinary(text)), abs=3)


def test_pieces_are_the_text_none_too_long_and_cut_before_words() -> None:
    text = "a line of words\n\n  and more\n" * 10_000
    parts = list(pieces(text))
    assert "".join(parts) == text
    assert max(map(len, parts)) <= PIECE_CHARS
    assert all(part.endswith("\n") and part[0].isalpha() for part in parts)


def test_a_giant_word_that_the_package_would_refuse_is_counted(encoding: Encoding) -> None:
    word = "x" * 1_000_001
    with pytest.raises(ValueError, match="too long"):
        encoding.encode_ordinary(word)
    assert count_with(encoding)(word) == pytest.approx(125_000, rel=0.01)


def test_what_looks_like_a_control_token_is_text() -> None:
    assert counter("bpe_openai:o200k_base")("<|endoftext|>") > 1


def test_a_lone_surrogate_counts_as_what_is_sent_in_its_place(encoding: Encoding) -> None:
    assert count_with(encoding)("a\ud800b") == len(encoding.encode_ordinary("a\ufffdb"))


def test_an_empty_text_has_no_tokens(encoding: Encoding) -> None:
    assert count_with(encoding)("") == 0


def test_an_encoding_that_the_package_lacks_is_a_clear_error() -> None:
    message = r"budget.unit 'bpe_openai:p99k_base': 'bpe_openai' cannot load 'p99k_base'"
    with pytest.raises(ValueError, match=message):
        counter("bpe_openai:p99k_base")


def test_a_budget_in_tokens_of_an_encoding_tells_hashes_from_words_of_one_length() -> None:
    by = rules("budget.unit=bpe_openai:o200k_base", "result.threshold=1500")
    words, hashes = (TEXTS[name] * 3 for name in ("english", "base64"))
    assert decide(arrived(words[:3500]), by).event.disposition == "inline"
    assert decide(arrived(hashes[:3500]), by).event.disposition == "offloaded"
