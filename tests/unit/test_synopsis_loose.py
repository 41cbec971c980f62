"""Exact facts of clear code and text, and of what is unknown."""

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import CodeFacts, TextFacts, UnknownFacts

CODE = {
    "python": "import os\nfrom a import b\n\n\nclass A:\n  def m(self):\n    return 1\n\n\ndef f(x):\n  return x\n",
    "go": 'package main\n\nimport (\n\t"fmt"\n\tx "os"\n)\n\nfunc main() {\n\tfmt.Println(x.Args)\n}\n',
    "rust": "use std::io;\n\npub fn main() -> i32 {\n    0\n}\n",
    "c": "#include <stdio.h>\n\nint main(void) {\n  return 0;\n}\n",
    "javascript": 'import React from "react";\n\nexport function App() {\n  return null;\n}\n',
    "typescript": "interface A {\n  x: string;\n}\nconst y: number = 3;\n",
    "java": "package a.b;\n\nimport java.util.List;\n\npublic class Foo {\n  int x;\n}\n",
    "csharp": "using System;\nnamespace A.B {\n  public class C {\n  }\n}\n",
    "kotlin": 'fun main() {\n  println("x")\n}\n',
    "ruby": 'require "x"\nclass Foo < Bar\n  def a\n  end\nend\n',
    "php": "<?php\nclass A {\n}\n",
    "shell": "#!/bin/sh\nset -e\nfoo() {\n  echo hi\n}\nfoo\n",
    "perl": "use strict;\nuse File::Spec;\n\nsub f {\n  return 1;\n}\n",
    "sql": "CREATE TABLE x (\n  id int,\n  name text\n);\n",
}


def text_facts(text: str) -> TextFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "text"
    assert isinstance(synopsis.facts, TextFacts)
    return synopsis.facts


@pytest.mark.parametrize("language", CODE)
def test_code_is_told_by_its_language(language: str) -> None:
    synopsis = synopsize(CODE[language].encode())
    assert (synopsis.kind, synopsis.format) == ("code", language)


def test_code_shows_imports_and_top_level_symbols() -> None:
    assert synopsize(CODE["python"].encode()).facts == CodeFacts(
        lines=11,
        imports=["import os", "from a import b"],
        import_count=2,
        symbols=["class A:", "def f(x):"],
        symbol_count=2,
        symbol_lines=[4, 9],
        members=["def m(self):"],
        member_count=1,
        member_lines=[5],
    )


def test_code_reads_a_bracketed_import_list() -> None:
    facts = synopsize(CODE["go"].encode()).facts
    assert isinstance(facts, CodeFacts)
    assert (facts.imports, facts.symbols) == (['"fmt"', 'x "os"'], ["func main() {"])


def test_code_lists_are_bounded_and_counted() -> None:
    text = "".join(f"import m{i}\n" for i in range(20)) + "".join(
        f"def f{i}({'x' * 300}):\n  pass\n" for i in range(30)
    )
    facts = synopsize(text.encode()).facts
    assert isinstance(facts, CodeFacts)
    assert (len(facts.imports), facts.import_count, len(facts.symbols), facts.symbol_count) == (12, 20, 24, 30)
    assert {len(symbol) for symbol in facts.symbols} == {200}


def test_comments_above_code_do_not_make_it_markdown() -> None:
    assert synopsize(b"# one\n# two\n## three\nimport os\n\ndef f():\n    return os\n").kind == "code"


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nSome words about it.\n\n```python\nimport os\n\ndef f():\n    return os\n```\n\nMore words.\n",
        "package list\nthe first one\nthe second one\n",
        "    some indented words of a manual\n" * 200 + "def f():\n",
        "import duties were raised\nfrom that day on\n",
    ],
)
def test_a_document_that_quotes_code_or_sounds_like_it_is_text(text: str) -> None:
    assert synopsize(text.encode()).kind == "text"


def test_text_counts_chars_words_and_lines_of_the_original() -> None:
    facts = text_facts("\ufeffOne two\nthrée \x1b[1mfour\x1b[0m")
    assert (facts.chars, facts.words, facts.lines) == (27, 4, 2)


def test_text_opens_and_closes_with_500_chars_folded() -> None:
    facts = text_facts("a  \n\t b " + "x" * 600 + " m " + "y" * 600 + "\n\n the   end\n")
    assert facts.opening == "a b " + "x" * 495 + "…"
    assert facts.closing == "…" + "y" * 491 + " the end"
    assert (len(facts.opening), len(facts.closing)) == (500, 500)


def test_a_short_text_has_only_an_opening() -> None:
    facts = text_facts("just a few words")
    assert (facts.opening, facts.closing) == ("just a few words", "")


def test_what_follows_the_opening_of_a_middling_text_is_its_closing() -> None:
    facts = text_facts("x" * 500 + "y" * 300)
    assert facts.closing == "y" * 300


def test_text_shows_its_section_headers() -> None:
    text = "Introduction\n============\n\nHello, there.\n\nUSAGE\n\n## Options ##\n1. not one\n\n2.1 Details of it\n"
    facts = text_facts(f"{text}```\n# code\n```\n")
    assert facts.headers == ["Introduction", "USAGE", "## Options ##", "2.1 Details of it"]


def test_text_shows_eighteen_headers_and_counts_all() -> None:
    facts = text_facts("".join(f"## Part {i}\n\nwords\n\n" for i in range(30)))
    assert (len(facts.headers), facts.header_count) == (18, 30)


@pytest.mark.parametrize(
    ("text", "finer"),
    [
        ("2024-01-01 12:00:00 INFO a\n2024-01-01 12:00:01 WARN b\n2024-01-01 12:00:02 INFO c\n", "log"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff"),
        ("Traceback (most recent call last):\n  File 'x', line 1\nValueError: bad\n", "traceback"),
        ("# Title\n\nSome [link](http://example.org).\n\n```\nx = 1\n```\n", "markdown"),
        ("id | name\n---+-----\n1 | x\n2 | y\n(2 rows)\n", "table"),
        ("Some plain words.\n", None),
    ],
)
def test_text_has_finer_formats_and_stays_text(text: str, finer: str | None) -> None:
    synopsis = synopsize(text.encode())
    assert (synopsis.kind, synopsis.format) == ("text", finer)


@pytest.mark.parametrize(
    "last",
    [
        "exit code 2",
        "[exit status: 1]",
        "ValueError: bad thing",
        "=== 3 failed, 20 passed in 1.2s ===",
        "total 48",
        "BUILD FAILED",
        "make: *** [all] Error 2",
        "Finished in 3.2 seconds",
        "12 rows",
    ],
)
def test_the_end_that_says_how_it_went_is_kept(last: str) -> None:
    synopsis = synopsize(("some line of work\n" * 3000 + last + "\n").encode())
    assert synopsis.kind == "text"
    assert synopsis.outcome == [last]


@pytest.mark.parametrize(
    "last", ["happily ever after", "Summary: a tool for it", "191\twarnings = found", 'on = ["error"]']
)
def test_an_end_that_says_nothing_has_no_outcome(last: str) -> None:
    assert synopsize(f"and so they lived\n{last}\n".encode()).outcome == []


def test_empty_is_unknown() -> None:
    synopsis = synopsize(b"")
    assert (synopsis.kind, synopsis.facts) == ("unknown", UnknownFacts(why="empty", bytes=0, chars=0))


@pytest.mark.parametrize(
    ("data", "finer", "chars"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff", "png", None),
        (b"\xff\xfeh\x00i\x00\x00\x00", "utf-16", None),
        (b"abc\x00def", None, 7),
        (b"\x01\x02\x03\x04 some", None, 9),
        ("\ufffd".encode() * 50, None, 50),
    ],
)
def test_what_is_not_for_reading_is_unknown(data: bytes, finer: str | None, chars: int | None) -> None:
    synopsis = synopsize(data)
    assert (synopsis.kind, synopsis.format) == ("unknown", finer)
    assert synopsis.facts == UnknownFacts(why="binary", bytes=len(data), chars=chars)


def test_white_space_alone_is_text() -> None:
    facts = text_facts(" \n\n\t\n")
    assert (facts.words, facts.lines, facts.opening) == (0, 3, "")
