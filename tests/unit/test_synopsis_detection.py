"""Which reader has the word, in the order of the contract, and what is said where none of the strict ones can."""

import json

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.effort import OutOfTime
from coatcheck_schemas.synopsis import UnknownFacts

RECORDS = json.dumps([{"id": n, "name": f"item {n}", "tags": ["a", "b"]} for n in range(60)], indent=1)
ITEMS = '<?xml version="1.0"?>\n<list>\n' + '  <item id="7">seven</item>\n' * 60 + "</list>\n"
MARKS = ["\n... [truncated]", "...", "\n[120 more lines]"]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("length", [1000, 1001, 1002, 1005, 1011, 1017])
@pytest.mark.parametrize(("document", "finer"), [(RECORDS, "json-truncated"), (ITEMS, "xml-truncated")])
def test_a_document_with_a_tools_mark_where_it_was_cut_is_truncated(
    document: str, finer: str, length: int, mark: str
) -> None:
    synopsis = synopsize((document[:length] + mark).encode())
    assert (synopsis.kind, synopsis.format) == ("text", finer)
    assert synopsis.broken is not None


def test_the_mark_itself_is_named_as_the_reason() -> None:
    broken = synopsize((RECORDS[:1000] + MARKS[0]).encode()).broken
    assert broken is not None
    assert (broken.of, broken.reason) == ("json", "ends in a truncation mark")


def test_a_document_that_is_wrong_in_its_middle_is_no_truncated_one_for_a_mark_at_its_end() -> None:
    synopsis = synopsize((RECORDS[:1000] + "}}" + RECORDS[1000:2000] + MARKS[0]).encode())
    assert synopsis.format is None
    assert synopsis.broken is not None
    assert synopsis.broken.offset <= 1002


def test_a_text_says_where_it_stopped_to_be_json() -> None:
    at = RECORDS.index("},", 1500) + 2
    synopsis = synopsize((RECORDS[:at] + " oops" + RECORDS[at:]).encode())
    assert (synopsis.kind, synopsis.format) == ("text", None)
    assert synopsis.broken is not None
    assert synopsis.broken.of == "json"


def test_a_declared_document_that_is_cut_is_unknown_and_says_where() -> None:
    synopsis = synopsize(RECORDS[:1000].encode(), "application/json")
    assert (synopsis.kind, synopsis.format) == ("unknown", "json-truncated")
    assert isinstance(synopsis.facts, UnknownFacts)
    assert synopsis.facts.why == "declared_type"
    assert synopsis.broken is not None


@pytest.mark.parametrize(
    ("text", "kind", "finer"),
    [
        (
            "diff --git a/x.yaml b/x.yaml\n--- a/x.yaml\n+++ b/x.yaml\n@@ -1,2 +1,2 @@\n-a: 1\n+a: 2\n b: 3\n",
            "text",
            "diff",
        ),
        (
            'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    f()\nKeyError: 1\n',
            "text",
            "traceback",
        ),
        ("# Title\n\n- `a`: one\n- `b`: two\n\n## More\n\nSee [this](http://x.example).\n", "text", "markdown"),
        ("2024-01-02 03:04:05,678 INFO a: b\n" * 9, "text", "log"),
    ],
)
def test_a_sure_format_goes_before_yaml_tables_and_code(text: str, kind: str, finer: str) -> None:
    synopsis = synopsize(text.encode())
    assert (synopsis.kind, synopsis.format) == (kind, finer)


@pytest.mark.parametrize(
    "text", ["a: 1\nb: [2, 3]\nc:\n  d: e\n", "x,y\n1,2\n3,4\n", "def f():\n    return 1\n\n\nclass A:\n    pass\n"]
)
def test_a_byte_order_mark_and_colours_change_no_kind(text: str) -> None:
    kind = synopsize(text.encode()).kind
    coloured = "".join(f"\x1b[32m{line}\x1b[0m\n" for line in text.splitlines())
    assert kind != "text"
    assert {synopsize(("\ufeff" + text).encode()).kind, synopsize(coloured.encode()).kind} == {kind}


@pytest.mark.parametrize(
    "text", [json.dumps(list(range(50_000))), ITEMS, "a,b\n1,2\n" * 400, "a: 1\n" * 4000, "some words\n" * 4000]
)
def test_who_has_no_time_gets_a_plain_synopsis(text: str) -> None:
    def no_time() -> None:
        raise OutOfTime

    synopsis = synopsize(text.encode(), step=no_time)
    assert synopsis.facts == UnknownFacts(why="time_limit", bytes=len(text.encode()), chars=None)
