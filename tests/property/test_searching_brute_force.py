"""Literal search against a brute force that looks at every place."""

from itertools import islice, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from coatcheck_core.lines import Place
from coatcheck_core.searching import Counter, Finder, Found, Literal, count, find

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


@given(
    text=TEXTS,
    query=QUERIES,
    context=st.integers(0, 10),
    cuts=st.lists(st.integers(0, 60), max_size=8),
    start=st.integers(0, 40),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "gb18030"]),
)
@settings(max_examples=300, deadline=None)
def test_a_text_that_comes_in_pieces_has_the_same_matches(
    text: str, query: str, context: int, cuts: list[int], start: int, encoding: str
) -> None:
    begin = max(0, min(start, len(text)) - context)
    bounds = sorted({begin, len(text), *(cut for cut in cuts if begin < cut < len(text))})
    before = text[:begin]
    place = Place(chars=begin, newlines=before.count("\n"), bytes=len(before.encode(encoding)))
    finder = Finder(Literal(query), context_chars=context, start=start, place=place, encoding=encoding)
    found: list[Found] = []
    for first, last in pairwise(bounds):
        found += finder.feed(text[first:last], is_last=False)
        assert finder.safe >= start
        assert all(match.offset < finder.safe for match in found)
        resumed = list(find(text, query, context_chars=context, start=finder.safe))
        whole = list(find(text, query, context_chars=context, start=start))
        assert [match.offset for match in [*found, *resumed]] == [match.offset for match in whole]
    found += finder.feed("", is_last=True)
    expected = find(text, query, context_chars=context, start=start)
    sizes = {match.offset: len(text[: match.offset].encode(encoding)) for match in found}
    assert found == [structs.replace(match, byte_offset=sizes[match.offset]) for match in expected]


@given(text=TEXTS, query=QUERIES, cuts=st.lists(st.integers(0, 60), max_size=8))
@settings(max_examples=300, deadline=None)
def test_a_text_that_comes_in_pieces_has_as_many_matches(text: str, query: str, cuts: list[int]) -> None:
    counter = Counter(Literal(query))
    bounds = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    for first, last in pairwise(bounds):
        counter.feed(text[first:last])
    assert counter.total == count(text, query)
