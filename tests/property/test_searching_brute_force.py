"""Literal search against a brute force that looks at every place."""

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.searching import Found, count, find

ALPHABET = st.sampled_from(["a", "b", "\n", "\r", "é", "漢", "\U0001f600", "\x00"])
TEXTS = st.lists(ALPHABET, max_size=60).map("".join)
QUERIES = st.lists(ALPHABET, min_size=1, max_size=3).map("".join)


def brute_force(text: str, query: str, context: int) -> list[Found]:
    found = []
    at = 0
    while at < len(text):
        if text[at : at + len(query)] != query:
            at += 1
            continue
        before = text[:at]
        found.append(
            Found(
                offset=at,
                line=before.count("\n"),
                byte_offset=len(before.encode()),
                length=len(query),
                snippet=text[max(0, at - context) : at + len(query) + context],
                snippet_offset=max(0, at - context),
            )
        )
        at += len(query)
    return found


@given(text=TEXTS, query=QUERIES, context=st.integers(0, 10))
@settings(max_examples=300, deadline=None)
def test_it_finds_what_a_brute_force_finds(text: str, query: str, context: int) -> None:
    expected = brute_force(text, query, context)
    assert list(find(text, query, context_chars=context)) == expected
    assert count(text, query) == len(expected)


@given(text=TEXTS, query=QUERIES, step=st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_stopping_and_going_on_changes_nothing(text: str, query: str, step: int) -> None:
    gathered: list[Found] = []
    start = 0
    while batch := list(islice(find(text, query, context_chars=2, start=start), step)):
        gathered += batch
        start = batch[-1].offset + batch[-1].length
    assert gathered == list(find(text, query, context_chars=2))
