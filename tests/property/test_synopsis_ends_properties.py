"""What the ends of a text say exactly is what the whole says."""

import csv
import io
import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.lines import count_lines
from coatcheck_core.synopsis import synopsize, synopsize_ends
from coatcheck_schemas.synopsis import CodeFacts, JsonFacts, Synopsis, TableFacts, TextFacts, XmlFacts

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-99, 10**6), st.text(max_size=12), st.sampled_from('{"]\\,'))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))
CUTS = st.tuples(st.integers(60, 700), st.integers(12, 400))


def ends_of(text: str, cuts: tuple[int, int]) -> Synopsis:
    data = text.encode()
    head, tail = data[: cuts[0]], data[max(len(data) - cuts[1], 0) :]
    return synopsize_ends(head, tail, len(data), chars=len(text), lines=count_lines(text))


def at_path(document: Any, path: str) -> Any:
    """Of paths of plain names and indices alone."""
    for step in path.replace("[", ".[").split("."):
        if step:
            document = document[int(step[1:-1])] if step.startswith("[") else document[step]
    return document


@settings(deadline=None, max_examples=60)
@given(
    kinds=st.lists(st.fixed_dictionaries({"a": SCALARS, "b": VALUES}), min_size=1, max_size=4),
    count=st.integers(12, 80),
    indent=st.sampled_from([None, 1]),
    wrapped=st.booleans(),
    cuts=CUTS,
)
def test_json(kinds: list[Any], count: int, indent: int | None, wrapped: bool, cuts: tuple[int, int]) -> None:
    rows = [kinds[number % len(kinds)] | {"c": number} for number in range(count)]
    document: Any = {"n": 1, "rows": rows, "end": [1]} if wrapped else rows
    text = json.dumps(document, indent=indent)
    found, whole = ends_of(text, cuts), synopsize(text.encode())
    assert found.kind == "json"
    assert isinstance(found.facts, JsonFacts)
    assert isinstance(whole.facts, JsonFacts)
    assert (found.facts.type, found.broken) == (whole.facts.type, None)
    assert (found.facts.length or 0) <= (whole.facts.length or 0)
    for member, exact in zip(found.facts.members, whole.facts.members if wrapped else (), strict=False):
        assert (member.name, member.type) == (exact.name, exact.type)
        assert member.length == exact.length or (member.partial and (member.length or 0) <= (exact.length or 0))
    for example in found.facts.examples:
        if '"' not in example.path and "…" not in example.value:
            assert at_path(document, example.path) == json.loads(example.value)


@settings(deadline=None, max_examples=60)
@given(
    chosen=st.randoms(use_true_random=False),
    chars=st.sampled_from(["ab ", 'ab ,"\né', "a\n", 'a"']),
    cuts=CUTS,
)
def test_csv_of_which_the_ends_agree(chosen: Random, chars: str, cuts: tuple[int, int]) -> None:
    rows = [(number, "".join(chosen.choices(chars, k=number % 9))) for number in range(chosen.randrange(30, 90))]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("number", "words"), *rows])
    text = written.getvalue()
    found, whole = ends_of(text, cuts).facts, synopsize(text.encode()).facts
    if not isinstance(found, TableFacts) or not isinstance(whole, TableFacts):
        return
    assert (found.columns, found.delimiter, found.first_row) == (whole.columns, whole.delimiter, whole.first_row)
    assert found.last_row in (None, whole.last_row)
    assert found.rows <= whole.rows
    assert (found.starts_cut, found.ends_cut) == (whole.starts_cut, whole.ends_cut)


@settings(deadline=None, max_examples=60)
@given(
    tags=st.lists(st.sampled_from(["<a/>", "<b>x</b>", "<c><a>1</a>\n</c>", "<!-- <b> -->"]), min_size=30), cuts=CUTS
)
def test_xml(tags: list[str], cuts: tuple[int, int]) -> None:
    text = f'<root version="1">{"".join(tags)}</root>'
    found, whole = ends_of(text, cuts), synopsize(text.encode())
    assert found.kind == whole.kind == "xml"
    assert isinstance(found.facts, XmlFacts)
    assert isinstance(whole.facts, XmlFacts)
    assert (found.facts.root, found.facts.root_attributes) == (whole.facts.root, whole.facts.root_attributes)
    assert found.facts.elements <= whole.facts.elements
    exact = {child.tag: child.count for child in whole.facts.children}
    assert all(child.count <= exact[child.tag] for child in found.facts.children)


@settings(deadline=None, max_examples=60)
@given(
    lines=st.lists(st.text(st.sampled_from("ab c\té日\r"), max_size=30), min_size=20),
    end=st.sampled_from(["", "\n"]),
    cuts=CUTS,
)
def test_text(lines: list[str], end: str, cuts: tuple[int, int]) -> None:
    text = "\n".join(lines) + end
    found, whole = ends_of(text, cuts), synopsize(text.encode())
    if isinstance(found.facts, TextFacts) and isinstance(whole.facts, TextFacts):
        exact = (whole.facts.chars, whole.facts.lines)
        assert (found.facts.chars, found.facts.lines) == exact


@settings(deadline=None, max_examples=60)
@given(numbers=st.lists(st.integers(0, 9), min_size=40), cuts=CUTS)
def test_the_lines_of_code(numbers: list[int], cuts: tuple[int, int]) -> None:
    text = "import os\n\n" + "".join(
        f"def f{number}(a):\n    return a + {number}\n{chr(10) * number}" for number in numbers
    )
    found = ends_of(text, cuts).facts
    if isinstance(found, CodeFacts):
        lines = text.split("\n")
        assert [lines[line] for line in found.symbol_lines] == found.symbols
        assert found.lines == count_lines(text)


@settings(deadline=None, max_examples=60)
@given(
    head=st.binary(max_size=80) | st.text(st.sampled_from('{}[]",:\n<a>/1-: é'), max_size=80).map(str.encode),
    tail=st.binary(max_size=80) | st.text(st.sampled_from('{}[]",:\n<a>/1-: é'), max_size=80).map(str.encode),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "iso8859-1", "gb18030", None]),
)
def test_anything_has_a_synopsis(head: bytes, tail: bytes, encoding: str | None) -> None:
    found = synopsize_ends(head, tail, 10_000, chars=9000, lines=5, encoding=encoding)
    assert found.read is not None
