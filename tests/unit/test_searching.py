"""Search in a text: what a match says, and what each option means."""

import tracemalloc

import pytest

from coatcheck_core.searching import (
    LONGEST_BYTES,
    SHOWN_CHARS,
    Finder,
    InverseFinder,
    Literal,
    Matcher,
    count,
    find,
    matcher_for,
    narrow,
)
from coatcheck_core.searching.chars import char_start, next_char


def found(query: str, text: str, *, invert: bool = False, **options: bool) -> list[str]:
    matches = list(find(text, matcher_for(query, **options), context_chars=0, invert=invert))
    assert len(matches) == count(text, matcher_for(query, **options), invert=invert)
    return [text[match.offset : match.offset + match.length] for match in matches]


def test_a_match_says_where_it_is_in_chars_lines_and_bytes() -> None:
    text = "é\n漢字 needle\U0001f600 needle"
    first, second = find(text, Literal("needle"), context_chars=3)
    assert (first.offset, first.line, first.byte_offset, first.length) == (5, 1, 10, 6)
    assert (first.snippet, first.snippet_offset) == ("漢字 needle\U0001f600 n", 2)
    assert text.encode()[second.byte_offset :] == b"needle"


def test_matches_do_not_overlap() -> None:
    assert [match.offset for match in find("aaaaa", Literal("aa"), context_chars=0)] == [0, 2]
    assert count("aaaaa", Literal("aa")) == 2


def test_a_match_may_span_lines() -> None:
    (match,) = find("a\nb\nc", Literal("b\nc"), context_chars=0)
    assert (match.line, match.snippet) == (1, "b\nc")


def test_context_stops_at_the_ends_of_the_text() -> None:
    (match,) = find("ab", Literal("b"), context_chars=10_000)
    assert (match.snippet, match.snippet_offset) == ("ab", 0)


def test_a_start_past_the_end_finds_nothing() -> None:
    assert list(find("aaa", Literal("a"), context_chars=0, start=2**53)) == []


@pytest.mark.parametrize("query", ["", "\ud800"])
@pytest.mark.parametrize("regex", [True, False])
def test_a_query_that_is_no_text_to_search_for_is_refused(query: str, regex: bool) -> None:
    with pytest.raises(ValueError, match="query"):
        matcher_for(query, regex=regex)


def test_a_narrower_snippet_keeps_the_match() -> None:
    assert narrow("abcXYdef", 3, 2, 1) == ("cXYd", 2)
    assert narrow("XYdef", 0, 2, 0) == ("XY", 0)


def test_of_a_long_match_the_beginning_is_shown_and_nothing_after_it() -> None:
    text = "ab" + "x" * (SHOWN_CHARS + 1) + "cd"
    (match,) = find(text, matcher_for("x+", regex=True), context_chars=1)
    assert (match.offset, match.length) == (2, SHOWN_CHARS + 1)
    assert (match.snippet, match.snippet_offset) == ("b" + "x" * SHOWN_CHARS, 1)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("^b", "a\nb\nbb", ["b", "b"]),
        ("a$", "a\nba\r\na", ["a", "a"]),
        (r"\Aa", "a\na", ["a"]),
        (r"a\z", "a\na", ["a"]),
        ("a.c", "a\nc abc", ["abc"]),
        (r"\d{4}-\d\d", "x 2026-11-30", ["2026-11"]),
        ("(漢|字)+", "漢字 x 漢", ["漢字", "漢"]),
        (r"\p{Greek}+", "abc αβγ", ["αβγ"]),
        ("a|ab", "ab", ["a"]),
        ("a*", "baac", ["aa"]),
        ("a*?", "aaa", []),
        (r"\x{1f600}", "a\U0001f600", ["\U0001f600"]),
        (r"\Qa.b", "axb a.b", ["a.b"]),
        ("(?i)ERROR", "an error", ["error"]),
        ("(?s)a.b", "a\nb", ["a\nb"]),
        (r"\bfoo\b", "afoo foo", ["foo"]),
    ],
)
def test_an_expression_finds_what_it_says(query: str, text: str, expected: list[str]) -> None:
    assert found(query, text, regex=True) == expected


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("(?=a)", "lookahead"),
        ("(?!a)", "negative lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "negative lookbehind"),
        (r"(a)\1", "backreferences \\1"),
        (r"(?P<n>a)(?P=n)", "backreferences"),
        (r"\k<n>", "backreferences"),
        ("(?>a)", "atomic"),
        ("a*+", "possessive"),
        ("a**", "repetition"),
        (r"a\Z", r"\z"),
        ("a{1001}", "1000"),
        ("(a{100}){100}", "1000"),
        (r"\p{Nonsense}", r"\p{Nonsense}"),
        ("[[:nonsense:]]", "[:nonsense:]"),
        ("[b-a]", "b-a"),
        (r"\pL{1000}", "too large"),
        ("a{0,1000}" * 5, "5000 optional copies"),
        (r"\{9000,0}" + "a{0,1000}" * 5, "5000 optional copies"),
        ("(", "missing )"),
        (")", "unexpected )"),
        ("a)(b", "unexpected )"),
        ("[a", "not ended"),
        ("*a", "nothing before it"),
        ("a\\", r"\\"),
        (r"\C", "part of a char"),
        (r"\q", r"\q"),
        ("(?x)a", "flag x"),
        ("(?R)", "recursion"),
        ("(?y)a", "(?y"),
    ],
)
@pytest.mark.parametrize("whole_word", [False, True])
def test_what_an_expression_may_not_have_is_named(query: str, named: str, whole_word: bool) -> None:
    with pytest.raises(ValueError, match=r"^the expression") as raised:
        matcher_for(query, regex=True, whole_word=whole_word)
    assert named in str(raised.value)


def test_a_quoted_backslash_c_is_a_text_like_others() -> None:
    assert found(r"\Q\C\E\d", r"\C5 \C", regex=True) == [r"\C5"]
    assert found(r"\\C", r"\C", regex=True) == [r"\C"]


def test_a_match_has_at_most_so_many_bytes() -> None:
    text = "a" * (3 * LONGEST_BYTES) + "\n" + "b" * LONGEST_BYTES
    lengths = [match.length for match in find(text, matcher_for("[ab]+", regex=True), context_chars=0)]
    assert lengths == [LONGEST_BYTES] * 4
    assert found("^a+$", text, regex=True) == []
    assert [len(one) for one in found("^b+$", text, regex=True)] == [LONGEST_BYTES]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("STRASSE", "die straße, Strasse, STRAẞE", ["straße", "Strasse", "STRAẞE"]),
        ("straße", "STRASSE", ["STRASSE"]),
        ("σ", "Σσς", ["Σ", "σ", "ς"]),
        ("k", "Kk\u212a", ["K", "k", "\u212a"]),
        ("ffi", "oﬃce oﬀice ofﬁce OFFICE", ["ﬃ", "ﬀi", "fﬁ", "FFI"]),
        ("ß", "s SS", ["SS"]),
        ("s", "ß", []),
        ("i\u0307", "İ", ["İ"]),
        ("привет", "ПРИВЕТ", ["ПРИВЕТ"]),
        ("f" * 40, "x" + "ﬀ" + "F" * 38 + "f", ["ﬀ" + "F" * 38]),
        ("a.b", "A.B axb", ["A.B"]),
    ],
)
def test_case_is_ignored_by_full_folding(query: str, text: str, expected: list[str]) -> None:
    assert found(query, text, ignore_case=True) == expected


def test_an_expression_ignores_case_by_simple_folding() -> None:
    assert found("σ[a-c]", "ΣA ςb", regex=True, ignore_case=True) == ["ΣA", "ςb"]
    assert found("strasse", "straße", regex=True, ignore_case=True) == []


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("foo|foobar", "foobar foo afoo foo_", ["foobar", "foo"]),
        ("être", "peut-être fenêtre être", ["être", "être"]),
        ("e", "e\u0301 e", ["e"]),
        ("\\d+", "12a 345 ६7", ["345"]),
        ("a|-", "a-", ["a"]),
        ("x", "x x x", ["x", "x", "x"]),
    ],
)
def test_whole_words_have_no_letter_digit_mark_or_underscore_beside_them(
    query: str, text: str, expected: list[str]
) -> None:
    assert found(query, text, regex=True, whole_word=True) == expected


def test_whole_words_are_found_literally_and_in_any_case() -> None:
    assert found("a.b", "a.b xa.b a.bc A.B axb", whole_word=True) == ["a.b"]
    assert found("a.b", "a.b xa.b a.bc A.B axb", whole_word=True, ignore_case=True) == ["a.b", "A.B"]
    long = "word" * 20
    assert found(long, f"{long} x{long} {long.upper()}", whole_word=True, ignore_case=True) == [long, long.upper()]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("a", "a\n\nb\nab\nc", ["", "b", "c"]),
        ("a", "b\n", ["b"]),
        ("a", "\n", [""]),
        ("a", "", []),
        ("a", "a", []),
        ("^$", "a\n\nb\n", ["a", "b"]),
        ("x*", "a\nb", []),
        ("b\nc", "a\nb\nc\n", ["a", "c"]),
        ("$", "a\nb", []),
        ("\r$", "a\r\nb\n", ["b"]),
    ],
)
def test_inverted_the_lines_are_given_in_which_no_match_begins(query: str, text: str, expected: list[str]) -> None:
    assert found(query, text, regex=True, invert=True) == expected


def test_an_inverted_match_is_the_line_without_its_end() -> None:
    (line,) = find("a\n漢x\na", Literal("a"), context_chars=2, invert=True)
    assert (line.offset, line.line, line.byte_offset, line.length) == (2, 1, 2, 2)
    assert (line.snippet, line.snippet_offset) == ("a\n漢x\na", 0)


class AlwaysOver:
    def now(self) -> float:
        return 0.0

    def is_over(self) -> bool:
        return True


def test_when_the_time_is_over_the_rest_is_found_from_where_it_stopped() -> None:
    text = "a" * 100
    at = 0
    offsets: list[int] = []
    for _ in range(100):
        finder = Finder(matcher_for("a", regex=True), context_chars=0, start=at, watch=AlwaysOver())
        finder.feed(text.encode(), is_last=True)
        offsets += [match.offset for match in finder.found()]
        assert finder.safe > at
        at = finder.safe
    assert offsets == list(range(100))


def test_an_expression_that_matches_only_emptiness_ends_when_the_time_is_over() -> None:
    finder = Finder(matcher_for("b*", regex=True), context_chars=0, watch=AlwaysOver())
    finder.feed(b"a" * 1_000_000, is_last=True)
    assert list(finder.found()) == []
    assert 0 < finder.safe < 20


def test_of_a_large_program_a_match_is_shorter_so_that_no_look_lasts_long() -> None:
    assert matcher_for(r"(\d{1,3}\.){3}\d{1,3}", regex=True).longest == LONGEST_BYTES
    large = matcher_for("(a|b)*a(a|b){900}c", regex=True).longest
    assert 1024 <= large < LONGEST_BYTES
    assert 1024 <= matcher_for("(?:[ab]{900}){1}" * 40, regex=True).longest < large


class SlowWatch:
    """Every look takes a second."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.asked = 0

    def now(self) -> float:
        self.asked += 1
        self.seconds += 1.0
        return self.seconds

    def is_over(self) -> bool:
        return False


def test_the_time_is_asked_for_more_often_where_a_look_takes_long() -> None:
    text = b"a" * 4_000_000
    looks = []
    watches: list[SlowWatch | NeverOver] = [SlowWatch(), NeverOver()]
    for watch in watches:
        finder = Finder(Literal("b"), context_chars=0, watch=watch)
        finder.feed(text, is_last=True)
        assert list(finder.found()) == []
        assert finder.is_done
        looks.append(watch.asked // 2)
    assert looks[0] > 400
    assert looks[1] < 15


class NeverOver:
    def __init__(self) -> None:
        self.asked = 0

    def now(self) -> float:
        self.asked += 1
        return 0.0

    def is_over(self) -> bool:
        return False


@pytest.mark.parametrize("invert", [False, True])
def test_a_giant_line_takes_no_more_memory_than_a_window_of_it(invert: bool) -> None:
    piece = "x漢" * 10_000
    query = "nowhere" if invert else "end$"
    finder = (InverseFinder if invert else Finder)(matcher_for(query, regex=True), context_chars=5)
    found = []
    finder.feed(b"first\nsecond\n", is_last=False)
    found += list(finder.found())
    tracemalloc.start()
    try:
        for _ in range(100):
            finder.feed(piece.encode(), is_last=False)
            found += list(finder.found())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    finder.feed(b"end\nlast", is_last=True)
    found += list(finder.found())
    assert peak < 1_500_000
    giant = next(match for match in found if match.offset >= 13)
    assert giant.line == 2
    assert (giant.offset, giant.length) == ((13, 2_000_003) if invert else (2_000_013, 3))
    assert giant.snippet == ("cond\n" + piece[:SHOWN_CHARS] if invert else "漢x漢x漢" + "end" + "\nlast"[:5])
    assert giant.byte_offset == 13 + len((piece * 100)[: giant.offset - 13].encode())
    assert [match.snippet for match in found if match.offset < 13] == ["first\nseco", "irst\nsecond\nx漢x漢"] * invert
    assert finder.is_done


class Looking:
    """Notes how many bytes each look of a matcher is given."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self.longest, self.most_stride = matcher.longest, matcher.most_stride
        self.given: list[int] = []

    def next(self, data: bytes, start: int, stop: int) -> tuple[int, int] | None:
        self.given.append(stop - start)
        return self._matcher.next(data, start, stop)


def test_of_a_large_program_no_look_is_long_however_quick_those_before_were() -> None:
    matcher = Looking(matcher_for("c(a|b){900}d", regex=True))
    assert matcher.longest < LONGEST_BYTES
    finder = Finder(matcher, watch=NeverOver())
    finder.feed(b"x" * 1_000_000, is_last=True)
    assert list(finder.found()) == []
    assert max(matcher.given) <= 3 * matcher.longest + 1


@pytest.mark.parametrize("invert", [False, True])
def test_when_its_time_is_over_a_search_pauses_after_a_look_and_goes_on_where_it_was(invert: bool) -> None:
    text = "ab\nb\n" * 300
    matcher = Looking(matcher_for("a", regex=True))
    finder = (InverseFinder if invert else Finder)(matcher, watch=AlwaysOver())
    finder.feed(text.encode(), is_last=True)
    offsets: list[int] = []
    while not finder.is_done:
        before = len(matcher.given)
        offsets += [match.offset for match in finder.found()]
        assert len(matcher.given) - before <= 1
    assert offsets == list(range(3 if invert else 0, len(text), 5))


def test_lines_that_were_looked_at_are_not_lost_when_the_time_ends_before_they_are_given() -> None:
    finder = InverseFinder(matcher_for("a", regex=True), watch=AlwaysOver())
    finder.feed(b"x\ny\n\nz", is_last=True)
    given = []
    while not finder.is_done:
        given += [match.snippet for match in finder.found()]
        assert finder.is_done == (len(given) == 4)
    assert given == ["x", "y", "", "z"]


def test_a_char_begins_where_its_first_byte_is_and_the_next_one_after_its_last() -> None:
    data = "aé漢\U0001f600".encode()
    assert [char_start(data, at) for at in range(len(data))] == [0, 1, 1, 3, 3, 3, 6, 6, 6, 6]
    assert [next_char(data, at) for at in (0, 1, 3, 6)] == [1, 3, 6, 10]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("x+z", "y" + "x" * 500_000 + "z", [LONGEST_BYTES]),
        ("(?s)line.*END", "".join(f"{number} line of a log\n" for number in range(50_000)) + "END", [65_517]),
        ("[^w]+w", "x" * 200_000 + "w" + "é" * 100_000 + "w", [LONGEST_BYTES, LONGEST_BYTES // 2]),
    ],
)
def test_what_is_too_long_from_every_place_takes_few_looks(query: str, text: str, expected: list[int]) -> None:
    matcher = Looking(matcher_for(query, regex=True))
    assert [match.length for match in find(text, matcher, context_chars=0)] == expected
    assert len(matcher.given) < 150
    assert sum(matcher.given) < 60 * len(text.encode())
