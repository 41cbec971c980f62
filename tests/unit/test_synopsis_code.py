"""Which language code is in, and what is no code though it quotes or resembles some."""

import pytest
from tests.support.code_samples import SAMPLES

from coatcheck_core.synopsis import synopsize, warm_up
from coatcheck_core.synopsis.code.language import line_pattern, probe_pattern, sign_pattern
from coatcheck_core.synopsis.code.languages import LANGUAGES
from coatcheck_core.synopsis.code.reading import read_code
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import CodeFacts

LICENCE = ["Licensed under the terms of a licence that says", "a great deal about what may be done with it."] * 30


def language_of(text: str) -> str | None:
    found = read_code(Seen(text.encode()))
    return None if found is None else found.format


@pytest.mark.parametrize("language", SAMPLES)
def test_a_short_piece_is_of_its_language(language: str) -> None:
    assert language_of(SAMPLES[language]) == language


@pytest.mark.parametrize("language", SAMPLES)
def test_lines_may_end_as_on_windows(language: str) -> None:
    assert language_of(SAMPLES[language].replace("\n", "\r\n")) == language


@pytest.mark.parametrize(
    ("language", "before", "start", "after"),
    [
        ("java", "/*\n", " * ", " */\n"),
        ("go", "", "// ", ""),
        ("python", "", "# ", ""),
        ("sql", "", "-- ", ""),
        ("haskell", "", "-- ", ""),
        ("lisp", "", ";; ", ""),
        ("css", "/*\n", "   ", "*/\n"),
    ],
)
def test_a_licence_above_the_code_is_looked_past(language: str, before: str, start: str, after: str) -> None:
    licence = before + "".join(f"{start}{line}\n" for line in LICENCE) + after
    assert language_of(licence * 5 + SAMPLES[language]) == language


@pytest.mark.parametrize(
    ("first", "language"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/bin/bash", "shell"),
        ("#!/usr/bin/perl -w", "perl"),
        ("#!/usr/bin/env node", "javascript"),
        ("#!/usr/bin/env -S Rscript --vanilla", "r"),
        ("<?php", "php"),
    ],
)
def test_a_first_line_that_names_the_language_is_proof(first: str, language: str) -> None:
    assert language_of(f"{first}\nx\n") == language


def test_the_middle_of_a_file_is_of_its_language() -> None:
    body = "".join(
        f"        self.value_{n} = value[{n}]\n        if value is None:\n            return {n}\n" for n in range(50)
    )
    assert language_of(body) == "python"


def test_a_table_of_data_after_a_definition_is_code() -> None:
    assert (
        language_of("package a\n\nconst (\n" + "".join(f"\tNAME_{n} = 0x{n:x}\n" for n in range(900)) + ")\n") == "go"
    )


def test_code_packed_into_one_line_is_code() -> None:
    line = "!function(e){var t=e.length;for(var n=0;n<t;n++){if(e[n]===void 0)return;this.x=function(){return t}}}();"
    assert language_of(line * 500) == "javascript"


def test_a_header_with_classes_is_of_another_language_than_one_without() -> None:
    guard = "#ifndef TILL_H\n#define TILL_H\n"
    assert language_of(f"{guard}struct till {{\n  int day;\n}};\nint till_open(struct till *t);\n#endif\n") == "c"
    assert language_of(f"{guard}class Till {{\n public:\n  int day() const;\n}};\n#endif\n") == "cpp"


@pytest.mark.parametrize(
    "text",
    [
        "# Till\n\nCall it:\n\n```python\nimport till\n\ntill.open()\n```\n\nThat is all.\n",
        "src/a.py:12:import os\nsrc/a.py:20:def f(x):\nsrc/b.py:3:from a import f\nsrc/b.py:9:class B:\n",
        "    12\timport os\n    13\t\n    14\tdef f(x):\n    15\t    return x\n",
        ">>> import os\n>>> def f(x):\n...     return x\n>>> f(1)\n1\n",
        "a.c:3:5: error: no ';' before 'return'\n    3 |     return 0\n      |     ^~~~~~\na.c:9:1: note\n    9 | }\n",
        "For the last of them, if there is any, return to the first one.\nWhile you wait for it, import a box of tea.\n"
        * 9,
        "NAME\n    till - open a till\n\nSYNOPSIS\n    till [-a] [--day]\n\nOPTIONS\n    -a, --all\n        Open.\n",
        "[till]\nname = shop\nday = 3\n\n[case]\nopen = yes\nclass = a\n",
        "select the day and the name\nfrom the list below\nwhere there is one\n",
        "00000000: 7f45 4c46 0201 0100  .ELF....\n00000010: 0300 3e00 0100 0000  ..>.....\n",
    ],
)
def test_what_quotes_or_resembles_code_is_none(text: str) -> None:
    assert language_of(text) is None


def test_a_byte_order_mark_before_code_is_looked_through() -> None:
    synopsis = synopsize(b"\xef\xbb\xbf" + SAMPLES["csharp"].encode())
    assert (synopsis.kind, synopsis.format) == ("code", "csharp")


def test_every_language_has_a_name_of_its_own() -> None:
    names = [name for language in LANGUAGES for name in {language.name, *(each.name for each in language.dialects)}]
    assert len(names) == len(set(names))
    assert all(name == name.lower() and " " not in name for name in names)


def test_all_that_code_needs_can_be_compiled_beforehand() -> None:
    warm_up()
    compiled = sign_pattern.cache_info().misses, line_pattern.cache_info().misses, probe_pattern.cache_info().misses
    for sample in SAMPLES.values():
        read_code(Seen(sample.encode()))
    assert compiled == (
        sign_pattern.cache_info().misses,
        line_pattern.cache_info().misses,
        probe_pattern.cache_info().misses,
    )


def test_code_whose_lines_end_with_carriage_returns_alone_is_read_as_it_is_seen() -> None:
    synopsis = synopsize(SAMPLES["go"].replace("\n", "\r").encode())
    assert isinstance(synopsis.facts, CodeFacts)
    assert synopsis.facts.symbols == ["type Shop struct {", "func (s *Shop) Open() error {"]


def test_code_below_a_licence_as_long_as_itself_is_code() -> None:
    licence = "".join(f"# {line}\n" for line in LICENCE * 200)
    code = "".join(f"def f{n}(a, b):\n    return a[{n}] + b\n\n\n" for n in range(len(licence) // 40))
    assert len(licence) > 16_000
    assert language_of(licence + code) == "python"


def test_long_prose_with_little_punctuation_is_no_code() -> None:
    assert language_of("The import of a class is what the function returns, and so on.\n" * 1000) is None
