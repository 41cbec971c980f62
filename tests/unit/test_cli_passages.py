"""What people see of matches: overlapping context once, each line with its number, what was found marked."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from coatcheck.cli import passages as showing
from coatcheck.cli.finding import counted, summary
from coatcheck.cli.passages import FOUND, passages, search_console, shown
from coatcheck_schemas.requests import Match, SearchReply

REF = f"coat://s/c-{'0' * 32}"


def found(text: str, query: str, context: int, ref: str = REF) -> list[Match]:
    """The matches as a worker tells them."""
    matches = []
    at = text.find(query)
    while at >= 0:
        left = max(0, at - context)
        matches.append(
            Match(
                ref=ref,
                offset=at,
                line=text.count("\n", 0, at),
                byte_offset=len(text[:at].encode()),
                length=len(query),
                snippet=text[left : at + len(query) + context],
                snippet_offset=left,
            )
        )
        at = text.find(query, at + len(query))
    return matches


def plain(matches: list[Match], *, marks: bool = True) -> str:
    return "".join(shown(passage, marks=marks).plain for passage in passages(matches))


def test_matches_that_stand_close_are_one_passage() -> None:
    assert plain(found("zero\none x\ntwo\nx x\nfour\n", "x", 9)) == (
        f"{REF} line 2 offset 9 and 2 more, to line 4\n     1-zero\n     2:one x\n     3-two\n     4:x x\n     5-four\n"
    )


def test_matches_that_stand_apart_are_passages_of_their_own() -> None:
    assert (
        plain(found("x 1\n2\n3\n4 x", "x", 1))
        == f"{REF} line 1 offset 0\n     1:x \n{REF} line 4 offset 10\n     4: x\n"
    )


def test_matches_of_two_originals_are_never_one_passage() -> None:
    matches = [*found("x", "x", 9), *found("x", "x", 9, REF.replace("c-", "d-"))]
    assert len(list(passages(matches))) == 2


@given(st.text("ab\n", max_size=60), st.integers(0, 20))
def test_passages_say_their_text_and_mark_each_match_once(text: str, context: int) -> None:
    for passage in passages(found(text, "ab", context)):
        assert passage.text == text[passage.offset : passage.offset + len(passage.text)]
        assert passage.line == text.count("\n", 0, passage.offset)
        marked = [span for span in shown(passage, marks=True).spans if span.style == FOUND]
        assert len(marked) == len(passage.matches)


def test_a_match_over_several_lines_is_marked_in_each() -> None:
    text = "a\nb"
    match = found(f"x{text}x", text, 1)
    rendered = shown(next(passages(match)), marks=True)
    assert [rendered.plain[span.start : span.end] for span in rendered.spans if span.style == FOUND] == ["a", "b"]


def test_a_match_that_is_longer_than_what_is_shown_of_it_is_marked_as_far_as_it_is_shown() -> None:
    (match,) = found("xyz", "y", 0)
    match = Match(**{name: getattr(match, name) for name in match.__struct_fields__} | {"length": 1000})
    assert plain([match]).endswith(":y\n")


def test_matches_close_to_each_other_all_through_an_original_are_shown_in_bounded_passages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(showing, "MOST_CHARS", 100)
    assert all(len(passage.text) < 150 for passage in passages(found("x" * 1000, "x", 20)))


def test_nothing_of_a_result_controls_the_terminal() -> None:
    assert plain(found("\x1b[2Jx\t\u202e\r\n", "x", 9)).endswith("     1:\\u001b[2Jx\t\\u202e\n")


def test_of_inverted_matches_nothing_is_marked() -> None:
    rendered = shown(next(passages(found("x", "x", 0))), marks=False)
    assert FOUND not in [span.style for span in rendered.spans]


@pytest.mark.parametrize(("variable", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_and_where_nobody_forbids_it(
    monkeypatch: pytest.MonkeyPatch, variable: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", variable)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    console = search_console()
    assert isinstance(console, Console)
    console.file = out = io.StringIO()
    console.print(shown(next(passages(found("x", "x", 0))), marks=True))
    assert ("\x1b[" in out.getvalue()) is coloured


def reply(matches: int, total: int | None, cursor: str | None) -> SearchReply:
    found_here = found("x" * matches, "x", 0)
    return SearchReply(matches=found_here, total=total, has_more=cursor is not None, cursor=cursor)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (reply(0, 0, None), "no match"),
        (reply(1, 1, None), "1 match"),
        (reply(3, None, None), "3 matches"),
        (reply(2, 4711, "c"), "2 of 4,711 matches; there is more: go on with --cursor c, or --all"),
        (reply(2, None, "c"), "2 matches; there is more: go on with --cursor c, or --all"),
        (reply(0, None, "c"), "no match yet; there is more: go on with --cursor c, or --all"),
    ],
    ids=str,
)
def test_the_summary_says_how_many_and_how_to_go_on(answer: SearchReply, said: str) -> None:
    assert summary(answer) == said


def test_one_is_no_plural() -> None:
    assert [counted(number, "result", "results") for number in (0, 1, 2000)] == [
        "0 results",
        "1 result",
        "2,000 results",
    ]
