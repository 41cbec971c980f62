"""Definitions found block by block are those that a plain search of the whole text finds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.code_samples import SAMPLES

from coatcheck_core.synopsis.code.detecting import find_language
from coatcheck_core.synopsis.code.language import Language, with_letters
from coatcheck_core.synopsis.code.languages import LANGUAGES
from coatcheck_core.synopsis.code.lines import LONGEST_LINE, Hits, numbered_blocks
from coatcheck_core.synopsis.code.outline import read_outline
from coatcheck_core.synopsis.seen import Seen

PATTERN = re.compile(rb"\n(?:def|class)[ \t]+[^ \n][^\n]*")
LINES = st.sampled_from(
    ["def f(x):", "class A:", "  def inner():", "", "x = 1", "define", "def é(): # ü", "class  B(A):"]
)
CODE_LINES = [line for sample in SAMPLES.values() for line in sample.split("\n")]
PYTHON = next(language for language in LANGUAGES if language.name == "python")
TEXTS = st.lists(LINES, max_size=60).map("\n".join)


def found(text: str, size: int, most: int = 1000) -> Hits:
    hits = Hits(most)
    for line, block in numbered_blocks(Seen(text.encode()), size):
        hits.add(block, line, PATTERN)
    return hits


@given(TEXTS, st.integers(20, 200))
@settings(max_examples=100, deadline=None)
def test_hits_and_their_lines_are_those_of_a_plain_search(text: str, size: int) -> None:
    expected = [(n, line) for n, line in enumerate(text.split("\n")) if re.match(r"(?:def|class)[ \t]+\S", line)]
    hits = found(text, size)
    assert [(hit.line, hit.text.decode()) for hit in hits.shown] == expected
    assert hits.count == len(expected)


@given(TEXTS, st.integers(20, 200), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_the_count_does_not_depend_on_how_many_are_shown(text: str, size: int, most: int) -> None:
    hits = found(text, size, most)
    assert hits.count == found(text, size).count
    assert len(hits.shown) == min(most, hits.count)


@given(st.lists(st.integers(0, 3 * LONGEST_LINE), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_long_lines_move_no_other_line(lengths: list[int]) -> None:
    text = "".join(f"def f{n}({'a' * length}):\n" for n, length in enumerate(lengths))
    hits = found(text, 100_000)
    assert hits.lines() == list(range(len(lengths)))


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_a_cut_piece_of_a_file_is_of_its_language_or_none(language: str) -> None:
    data = (SAMPLES[language] * 20).encode()
    kin = {"typescript": "javascript", "cpp": "c", "objective-c": "c", "scss": "css", "vue": "javascript"}
    names = {language, kin.get(language, language)}
    for start in range(0, 400, 97):
        piece = find_language(Seen(data[start : start + 1500]))
        assert piece is None or piece.name in names


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@given(lines=st.lists(st.sampled_from(CODE_LINES), max_size=40), most=st.integers(0, 6))
@settings(max_examples=10, deadline=None)
def test_an_outline_counts_the_same_whatever_is_shown_of_it(language: Language, lines: list[str], most: int) -> None:
    seen = Seen("\n".join(lines).encode())
    whole = read_outline(seen, language, most_imports=1000, most_symbols=1000)
    short = read_outline(seen, language, most_imports=most, most_symbols=most)
    assert (short.imports.count, short.symbols.count) == (whole.imports.count, whole.symbols.count)
    assert short.imports.shown == whole.imports.shown[:most]
    assert short.symbols.shown == whole.symbols.shown[:most]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_an_outline_has_what_the_patterns_find_one_by_one(language: Language) -> None:
    """In code of any language: what is passed over by its first byte would not have matched."""
    for line in dict.fromkeys(CODE_LINES):
        block = f"\n{line}\n".encode()
        ways = [pattern for pattern in (language.imports, language.symbols) if pattern]
        expected = any(re.match(b"\n(?:" + with_letters(way).encode() + b")", block) for way in ways)
        outline = read_outline(Seen(block[1:]), language, most_imports=5, most_symbols=5)
        assert bool(outline.imports.count + outline.symbols.count) == expected


@given(st.lists(st.sampled_from(["import os", "from a import b", "def f():", "", "x = 1"]), max_size=60))
@settings(max_examples=100, deadline=None)
def test_imports_and_definitions_are_told_apart_in_any_block(lines: list[str]) -> None:
    outline = read_outline(Seen("\n".join(lines).encode()), PYTHON, most_imports=3, most_symbols=3, size=40)
    importing = [number for number, line in enumerate(lines) if line.startswith(("import", "from"))]
    defining = [number for number, line in enumerate(lines) if line.startswith("def")]
    assert (outline.imports.count, outline.imports.lines()) == (len(importing), importing[:3])
    assert (outline.symbols.count, outline.symbols.lines()) == (len(defining), defining[:3])
