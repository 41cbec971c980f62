"""Section headers in any script, and what only looks like one."""

import pytest

from coatcheck_core.synopsis import blocks
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.headers import MAX_HEADERS, read_headers

WORDS = "Some words about it, and then some more of them.\n"


def headers(text: str) -> list[str]:
    return read_headers(Seen(text.encode())).shown


@pytest.mark.parametrize(
    "header",
    [
        "# Title",
        "### Third level ###",
        "1. Introduction",
        "2.1 Details of it",
        "3.2.1. Deeper still",
        "IV. Results",
        "Chapter 3",
        "Appendix B: Tables",
        "SEE ALSO",
        "=== Summary ===",
        "*** Notes ***",
        "[Options]",
        "第一章 总则",
        "第3节 方法",
        "一、基本情况",
        "（二）主要措施",
        "附录 A",
        "제1장 총칙",
        "第2章 はじめに",
        "Глава 1",
        "ВВЕДЕНИЕ",
        "Κεφάλαιο 2",
        "ΕΙΣΑΓΩΓΗ",
        "Kapitel 4: Der Weg",
        "Capítulo II",
        "الفصل الأول",
        "अध्याय १",
        "१. परिचय",
        "٢. المقدمة",
        "פרק 2",
    ],
)
def test_a_header_is_found_in_any_script(header: str) -> None:
    assert headers(f"{WORDS}\n{header}\n\n{WORDS}") == [header]


@pytest.mark.parametrize("header", ["第一章 总则", "一、基本情况", "제2장 통칙", "## Part"])
def test_some_headers_need_no_blank_lines(header: str) -> None:
    assert headers(f"正文的第一行。\n{header}\n正文的第二行。\n") == [header]


@pytest.mark.parametrize("rule", ["=====", "-----", "~~~~~~~~~"])
def test_a_rule_below_a_title_marks_it(rule: str) -> None:
    assert headers(f"{WORDS}\nThe title\n{rule}\n{WORDS}") == ["The title"]


def test_a_title_between_two_rules_is_one() -> None:
    assert headers(f"=========\nThe title\n=========\n\n{WORDS}") == ["The title"]


@pytest.mark.parametrize(
    "line",
    [
        "This line ends as a sentence does.",
        "2024-01-01 12:00:00 INFO STARTED",
        "NAME   READY   STATUS",
        "| A | B |",
        "1. do this first, then that, and then the other thing that was said above and was not done",
        "3 files changed",
        "500 GB",
        "#!/bin/sh",
        "#include <stdio.h>",
        "MAX_SIZE = 10;",
        "WARNING!",
        "第一章讲的是很久以前的事情，那时候人们还不知道这些，所以写了很多很多的话，而且没有停下来的意思。",
        "- item",
        "----",
    ],
)
def test_what_only_looks_like_a_header_is_none(line: str) -> None:
    assert headers(f"{WORDS}\n{line}\n\n{WORDS}") == []


def test_fenced_code_has_no_headers() -> None:
    assert headers("# A\n\n```python\n# code\n\n# more\n```\n\n# B\n\n~~~\n# code\n~~~\n") == ["# A", "# B"]


def test_a_fence_that_was_cut_off_above_hides_nothing() -> None:
    assert headers("x = 1\n```\n\n## A\n\n```sh\n# comment\n```\n\n## B\n") == ["## B"]


def test_headers_are_counted_beyond_those_shown() -> None:
    found = read_headers(Seen("".join(f"## Part {i}\n\n{WORDS}\n" for i in range(5000)).encode()))
    assert (len(found.shown), found.count) == (MAX_HEADERS, 5000)


@pytest.mark.parametrize("size", [7, 16, 50, 300])
def test_the_size_of_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    marked = "## A\n第一章 总则\n```\n# code\n```\n"
    text = f"{WORDS}\n\nThe title\n=====\n{WORDS}\n{marked}\n1. One\n\n{WORDS}\nSEE ALSO\n".encode()
    whole = read_headers(Seen(text))
    assert whole.count == 5
    monkeypatch.setattr(Seen, "windows", lambda seen, _size=0: blocks.windows(seen.data, size=size))
    assert read_headers(Seen(text)) == whole


def test_a_million_blank_lines_have_no_headers() -> None:
    assert headers("\n" * 1_000_000) == []
