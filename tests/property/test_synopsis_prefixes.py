"""A result may be cut anywhere: every prefix of it is sound, and the same each time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hostile import HOSTILE
from tests.support.hostile.documents import DOCUMENTS
from tests.support.hostile.soundness import assert_small, assert_sound

from coatcheck_core.synopsis import synopsize

WHOLE_BYTES = 300


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_prefix_of_a_document_is_sound(name: str) -> None:
    data = DOCUMENTS[name](WHOLE_BYTES)
    for end in range(len(data) + 1):
        assert_small(data[:end]) if end % 5 else assert_sound(data[:end])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_suffix_of_a_document_is_sound(name: str) -> None:
    data = DOCUMENTS[name](WHOLE_BYTES)
    for start in range(1, len(data), 3):
        assert_small(data[start:])


@given(st.sampled_from(sorted(HOSTILE)), st.integers(0, 3000))
@settings(max_examples=100, deadline=None)
def test_a_prefix_of_hostile_input_is_sound(name: str, end: int) -> None:
    assert_sound(HOSTILE[name](2000)[:end])


@given(st.sampled_from(sorted(DOCUMENTS)), st.integers(0, 3000))
@settings(max_examples=100, deadline=None)
def test_the_same_bytes_have_the_same_synopsis(name: str, end: int) -> None:
    data = DOCUMENTS[name](2000)[:end]
    assert synopsize(bytes(bytearray(data))) == synopsize(data)
