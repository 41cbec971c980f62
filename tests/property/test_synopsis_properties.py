"""Whatever the bytes: a synopsis, the same each time, small, and back from its JSON."""

import json

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, JsonFacts, Synopsis, TableFacts

DOCUMENTS = (
    '{"items": [{"id": 1, "name": "é\\ud83d\\ude00"}, null], "n": 1.5e3, "s": {"a": [true, "x"]}}\n[exit code 1]\n',
    '{"a": 1}\n{"a": "\\ud800", "b": []}\n[1, 2]\n',
    'id,"the ""name""",x\r\n1,"a\nb, c",2\r\n2,,3\r\n',
    "---\nname: x\nspec: &s\n  - a: 1\n    b: [1, {c: d}]\n  - *s\ntext: |\n  lines\n---\nother: 'q'\n",
    "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'x'>]>\n<r a='1'><b>&e;</b><!-- c --><b/><![CDATA[x]]></r>\n",
    "import os\nfrom a import (\n    b,\n)\n\n\nclass A:\n    def m(self) -> int:\n        return 1\n",
    "# Title\n\nSome *words*.\n\n## Part\n\n```\ncode\n```\nTraceback (most recent call last):\nValueError: bad\n",
    "\ufeff\x1b[1mfoo\x1b[0m \x1b]0;t\x07bar\x08\n2024-01-01 12:00:00 INFO x\n=== 1 failed in 2s ===\n",
)
MIME_TYPES = st.sampled_from([None, "application/json", "application/x-ndjson", "text/xml", "text/csv", "image/png"])
SIGNS = tuple("{}[]<>\"',:;-#&*!|%=\n\t\\ a1é😀\ufeff\u2028\x00\x07\x08")
WORDS = (
    *(
        "\r\n",
        "key: ",
        "- ",
        "---\n",
        "<a>",
        "</a>",
        "<!--",
        "-->",
        "&x;",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE a [",
        "\\ud800",
    ),
    *(
        "null",
        "true",
        "1e9",
        "NaN",
        "def f():\n",
        "import os\n",
        "\x1b[",
        "\x1b]",
        "```\n",
        "## A\n\n",
        "exit code 1\n",
    ),
)
PIECES = st.lists(st.sampled_from(SIGNS + WORDS), max_size=60).map("".join)


def check(data: bytes, mime_type: str | None = None) -> Synopsis:
    synopsis = synopsize(data, mime_type)
    assert synopsize(data, mime_type) == synopsis
    encoded = msgspec.json.encode(synopsis)
    assert len(encoded) < MAX_SYNOPSIS_BYTES
    assert msgspec.json.decode(encoded, type=Synopsis) == synopsis
    return synopsis


@given(st.binary(max_size=400), MIME_TYPES)
@settings(max_examples=120, deadline=None)
def test_any_bytes_have_a_synopsis(data: bytes, mime_type: str | None) -> None:
    check(data, mime_type)


@given(st.text(max_size=400), MIME_TYPES)
@settings(max_examples=120, deadline=None)
def test_any_text_has_a_synopsis(text: str, mime_type: str | None) -> None:
    check(text.encode(), mime_type)


@given(PIECES, MIME_TYPES)
@settings(max_examples=200, deadline=None)
def test_any_mixture_of_syntax_has_a_synopsis(text: str, mime_type: str | None) -> None:
    check(text.encode(), mime_type)


def test_every_prefix_of_a_document_has_a_synopsis() -> None:
    for document in DOCUMENTS:
        data = document.encode()
        for end in range(len(data) + 1):
            check(data[:end])


@given(st.sampled_from(DOCUMENTS), st.data())
@settings(max_examples=120, deadline=None)
def test_a_document_with_a_part_replaced_has_a_synopsis(document: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(document))] * 2)))
    check((document[:start] + data.draw(PIECES) + document[end:]).encode())


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=12) | st.lists(JSON_VALUES, max_size=12), st.booleans()
)
@settings(max_examples=100, deadline=None)
def test_a_json_document_is_json_with_its_length(document: dict[str, object] | list[object], ascii_only: bool) -> None:
    synopsis = check(json.dumps(document, ensure_ascii=ascii_only).encode())
    if synopsis.kind == "json":
        assert isinstance(synopsis.facts, JsonFacts)
        assert synopsis.facts.length == len(document)
        assert synopsis.facts.trailing_chars_after_first_json_value == 0
    else:  # raw control characters in names and values may outweigh the document
        assert synopsis.kind == "unknown"


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_quoted_rows_are_counted_whatever_their_cells(rows: list[tuple[str, str, str]]) -> None:
    lines = ["id,name,note", *(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)]
    synopsis = check("\n".join(lines).encode())
    assert synopsis.kind == "csv"
    assert isinstance(synopsis.facts, TableFacts)
    assert (synopsis.facts.rows, synopsis.facts.names) == (len(rows), ["id", "name", "note"])
