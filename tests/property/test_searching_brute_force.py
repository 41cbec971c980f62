"""Search against a brute force that looks at every place, and in pieces against in one go."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from coatcheck_core.lines import Place
from coatcheck_core.searching import Finder, Found, InverseFinder, Literal, Matcher, count, find, matcher_for
from coatcheck_core.searching.expressions import Expression
from coatcheck_core.searching.words import Words

ALPHABET = st.sampled_from(
    ["a", "b", " ", "\n", "\r\n", "é", "e\u0301", "漢", "\U0001f600", "\x00", "ß", "S", "ﬁ", "_"]
)
TEXTS = st.lists(ALPHABET, max_size=60).map("".join)
QUERIES = st.lists(ALPHABET, min_size=1, max_size=3).map("".join)
PATTERNS = [
    "a+",
    "^a",
    "b$",
    "^$",
    "a*",
    ".+",
    "[^ab]+",
    "a|ab|b",
    "(?s)a.b",
    r"\w+",
    r"a\b",
    r"\Aa|b\z",
    "\\r?\\n",
    "é|漢",
]
SHORT = [
    matcher_for("a"),
    matcher_for("aba"),
    matcher_for("\n"),
    matcher_for("ab", ignore_case=True),
    matcher_for("ss", ignore_case=True, whole_word=True),
]
MATCHERS = [*SHORT, *(Expression(one, longest=6) for one in PATTERNS), *(Words(one, longest=6) for one in PATTERNS)]
FEW_BYTES = 6
"""So long are matches of these at most, so that windows end everywhere."""


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
@settings(max_examples=150, deadline=None)
def test_it_finds_what_a_brute_force_finds(text: str, query: str, context: int) -> None:
    expected = brute_force(text, query, context)
    assert list(find(text, Literal(query), context_chars=context)) == expected
    assert count(text, Literal(query)) == len(expected)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
def test_an_expression_finds_what_python_s_own_finds(pattern: str, text: str) -> None:
    flags = re.MULTILINE | re.ASCII
    expected = [match.span() for match in _not_empty(re.compile(pattern.replace(r"\z", r"\Z"), flags), text)]
    found = find(text, matcher_for(pattern, regex=True), context_chars=0)
    assert [(match.offset, match.offset + match.length) for match in found] == expected


def _not_empty(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at <= len(text) and (match := pattern.search(text, at)) is not None:
        if match.end() > match.start():
            yield match
        at = max(match.end(), match.start() + (match.end() == match.start()))


@given(text=TEXTS, query=QUERIES)
@settings(max_examples=150, deadline=None)
def test_ignoring_case_finds_what_has_the_same_folding(text: str, query: str) -> None:
    expected = []
    at = 0
    while at < len(text):
        ends = [end for end in range(at + 1, len(text) + 1) if text[at:end].casefold() == query.casefold()]
        if ends:
            expected.append((at, ends[0] - at))
        at = ends[0] if ends else at + 1
    found = find(text, matcher_for(query, ignore_case=True), context_chars=0)
    assert [(match.offset, match.length) for match in found] == expected


@given(text=TEXTS, query=QUERIES)
@settings(max_examples=100, deadline=None)
def test_whole_words_are_the_matches_without_a_word_s_char_beside_them(text: str, query: str) -> None:
    word = re.compile(r"[^\W]|[\u0301]")
    expected = []
    at = 0
    while (at := text.find(query, at)) >= 0:
        end = at + len(query)
        if (at and word.match(text[at - 1])) or (end < len(text) and word.match(text[end])):
            at += 1
            continue
        expected.append(at)
        at = end
    assert [match.offset for match in find(text, matcher_for(query, whole_word=True), context_chars=0)] == expected


@given(text=TEXTS, matcher=st.sampled_from(MATCHERS))
@settings(max_examples=150, deadline=None)
def test_inverted_it_gives_the_lines_in_which_no_match_begins(text: str, matcher: Matcher) -> None:
    expected = []
    data, start = text.encode(), 0
    for line in text.splitlines(keepends=True) if "\r" not in text.replace("\r\n", "") else []:
        size = len(line.encode())
        at, hit = start, matcher.next(data, start, len(data))
        while hit is not None and hit[1] < 0:
            at = hit[0] + 1
            hit = matcher.next(data, at, len(data))
        is_in = hit is not None and (hit[0] < start + size or (start + size == len(data) and line[-1] != "\n"))
        if not is_in:
            expected.append(line.removesuffix("\n"))
        start += size
    found = find(text, matcher, context_chars=0, invert=True)
    assert [text[match.offset : match.offset + match.length] for match in found] == expected


@given(text=TEXTS, matcher=st.sampled_from(MATCHERS), step=st.integers(1, 4), invert=st.booleans())
@settings(max_examples=200, deadline=None)
def test_stopping_and_going_on_changes_nothing(text: str, matcher: Matcher, step: int, invert: bool) -> None:
    gathered: list[Found] = []
    start = 0
    while batch := list(islice(find(text, matcher, context_chars=2, start=start, invert=invert), step)):
        gathered += batch
        start = batch[-1].offset + batch[-1].length + invert
    assert gathered == list(find(text, matcher, context_chars=2, invert=invert))


@given(
    text=TEXTS,
    matcher=st.sampled_from(MATCHERS),
    context=st.integers(0, 5),
    cuts=st.lists(st.integers(0, 60), max_size=8),
    begin=st.integers(0, 30),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "gb18030"]),
    invert=st.booleans(),
    knows_places=st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_a_text_that_comes_in_pieces_has_the_same_matches(
    text: str,
    matcher: Matcher,
    context: int,
    cuts: list[int],
    begin: int,
    encoding: str,
    invert: bool,
    knows_places: bool,
) -> None:
    every = list(find(text, matcher, context_chars=context, invert=invert))
    start = max((match.offset for match in every if match.offset <= begin), default=0)
    first = max(0, start - max(1, context))
    finder = (InverseFinder if invert else Finder)(matcher, context_chars=context, start=start, encoding=encoding)
    found: list[Found] = []
    for one, other in pairwise(sorted({first, len(text), *(cut for cut in cuts if first < cut < len(text))})):
        place = place_of(text[:one], encoding) if knows_places or one == first else None
        finder.feed(text[one:other].encode(encoding), place, is_last=other == len(text))
        found += finder.found()
        assert finder.safe >= start
        rest = [match for match in every if match.offset >= start][len(found) :]
        assert [match.offset for match in rest] == [
            match.offset for match in find(text, matcher, context_chars=0, start=finder.safe, invert=invert)
        ]
    assert finder.is_done or first == len(text)
    expected = [match for match in every if match.offset >= start] if first < len(text) else []
    sizes = [place_of(text[: match.offset], encoding).bytes for match in expected]
    assert found == [structs.replace(m, byte_offset=size) for m, size in zip(expected, sizes, strict=True)]


@given(
    text=TEXTS, matcher=st.sampled_from(MATCHERS), cuts=st.lists(st.integers(0, 60), max_size=8), invert=st.booleans()
)
@settings(max_examples=150, deadline=None)
def test_a_text_that_comes_in_pieces_has_as_many_matches(
    text: str, matcher: Matcher, cuts: list[int], invert: bool
) -> None:
    finder = (InverseFinder if invert else Finder)(matcher, context_chars=3)
    counted = 0
    for first, last in pairwise([0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]):
        finder.feed(text[first:last].encode(), is_last=last == len(text))
        counted += finder.count()
    assert counted == count(text, matcher, invert=invert)
    assert counted == len(list(find(text, matcher, context_chars=0, invert=invert)))


def place_of(before: str, encoding: str) -> Place:
    return Place(chars=len(before), newlines=before.count("\n"), bytes=len(before.encode(encoding)))
