"""Segments, for every id there is."""

import re

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from coatcheck_schemas.errors import InvalidSegment
from coatcheck_schemas.segments import (
    MAX_ID_BYTES,
    MAX_SEGMENT_CHARS,
    check_segment,
    decode_segment,
    encode_segment,
    is_shortened,
)

ids = st.one_of(
    st.text(max_size=200),
    st.text(st.sampled_from("ab.=*> /搜é🧥\x00_-"), max_size=120),
    st.builds(str.__mul__, st.text(min_size=1, max_size=4), st.integers(1, 250)),
).filter(lambda text: len(text.encode()) <= MAX_ID_BYTES)
whatever = st.one_of(
    st.text(max_size=100),
    st.text(st.sampled_from("aF09=x_-."), max_size=100),
    st.lists(st.sampled_from(["a", "Z", "_", "=2E", "=C3=A9", "=E6=90", "=FF", "=41"]), min_size=15, max_size=62).map(
        lambda tokens: f"{''.join(tokens)}==0123456789abcdef"
    ),
)
_GRAMMAR = re.compile(r"=|(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+(?:==[0-9a-f]{16})?")


@given(ids)
@settings(max_examples=120)
def test_a_segment_has_the_grammar_of_segments_and_at_most_80_chars(identifier: str) -> None:
    segment = encode_segment(identifier)
    assert _GRAMMAR.fullmatch(segment)
    assert 1 <= len(segment) <= MAX_SEGMENT_CHARS


@given(ids)
@settings(max_examples=120)
def test_a_segment_says_its_id_back_unless_it_was_shortened(identifier: str) -> None:
    segment = encode_segment(identifier)
    assert decode_segment(segment) == (segment if is_shortened(segment) else identifier)


@given(ids, ids)
@settings(max_examples=120)
@example("x" * 80 + "a", "x" * 80 + "b")
@example("", "=")
def test_two_ids_never_share_a_segment(one: str, other: str) -> None:
    assume(one != other)
    assert encode_segment(one) != encode_segment(other)


@given(whatever)
@settings(max_examples=200)
def test_whatever_is_accepted_is_canonical(text: str) -> None:
    try:
        identifier = decode_segment(text)
    except InvalidSegment:
        return
    assert len(text) <= MAX_SEGMENT_CHARS
    assert _GRAMMAR.fullmatch(text)
    if not is_shortened(text):
        assert encode_segment(identifier) == text
        assert check_segment(text) == text
