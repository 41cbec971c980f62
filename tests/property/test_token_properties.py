"""The estimate of tokens, for every text there is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.tokens import estimate_tokens
from coatcheck_core.tokens.encodings import PIECE_CHARS, pieces
from coatcheck_core.tokens.images import first_bytes
from coatcheck_core.tokens.measuring import CHUNK_CHARS, measure

ANY_CHAR = st.characters(exclude_categories=())
FAMILIAR = st.sampled_from("aeioust BCD 0123 \n\t-=_.,(){}\"'?\x1b\x00éß漢字かな한글кирاरह😀\ud800\u200b")
PARTS = ["word", "Name", "été", "слово", "1", "12", "1234", ".", ",", "()", "=="]
PIECE = re.compile(
    r"[^\r\n\w]?[^\W\d]+"  # a word with a blank or a mark before it
    r"|\d{1,3}"
    r"| ?[^\s\w]+[\r\n]*"  # marks with a blank before and lines' ends after
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
texts = st.text(FAMILIAR, max_size=300) | st.text(ANY_CHAR, max_size=100)
stretched = st.builds(str.__mul__, texts, st.sampled_from([1, 1, 7, 300]))


@given(stretched)
def test_a_text_has_a_token_at_least_and_none_without_a_byte_of_its_own(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert min(1, size) <= estimate_tokens(text) <= size


@given(st.lists(st.text(FAMILIAR, max_size=60), max_size=12), st.data())
def test_lines_more_are_never_tokens_less(lines: list[str], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(range(len(lines))), unique=True).map(sorted)) if lines else []
    fewer = "".join(lines[at].replace("\n", " ").strip() + "\n" for at in some)
    assert estimate_tokens("".join(line.replace("\n", " ").strip() + "\n" for line in lines)) >= estimate_tokens(fewer)


@given(
    st.lists(st.tuples(st.sampled_from(["", " ", "  ", "     ", "\n", "\n\n"]), st.sampled_from(PARTS)), max_size=40)
)
def test_pieces_are_those_that_a_tokenizer_cuts(parts: list[tuple[str, str]]) -> None:
    text = "".join(between + part for between, part in parts)
    assert measure(first_bytes(text.encode())).pieces == len(PIECE.findall(text))


@given(texts, st.integers(1, 4))
def test_parted_where_it_is_measured_it_counts_the_same(text: str, chunks: int) -> None:
    """Whole chunks are measured by themselves, so that the sum is that of the parts but for rounding."""
    filled = (text + "x")[:CHUNK_CHARS] * (CHUNK_CHARS // (len(text) + 1) + 1)
    chunk = filled[:CHUNK_CHARS]
    whole, parts = estimate_tokens(chunk * chunks + text), chunks * estimate_tokens(chunk) + estimate_tokens(text)
    assert abs(whole - parts) <= chunks + 1


@given(stretched, st.integers(1, 3))
def test_the_pieces_that_a_tokenizer_gets_are_the_text(text: str, times: int) -> None:
    long = text * (times * PIECE_CHARS // max(1, len(text)))
    parts = list(pieces(long))
    assert "".join(parts) == long
    assert all(0 < len(part) <= PIECE_CHARS for part in parts)


@pytest.mark.parametrize("word", ["tiế", "việt", "ế", "tiếngviệt", "ẁẃẅ"])
def test_no_letters_are_free(word: str) -> None:
    """Prices by script may be less than nothing, for what its words save; a text of them is not."""
    assert estimate_tokens(word * 1000) >= len(word) * 1000 // 6
