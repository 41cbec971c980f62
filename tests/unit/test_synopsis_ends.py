"""The synopsis of what is too large to be read whole, from both of its ends."""

import json
import random

import pytest
from tests.support.large_files import large_files

from coatcheck_core.encodings import text_size
from coatcheck_core.synopsis import synopsize, synopsize_ends
from coatcheck_core.synopsis.effort import OutOfTime
from coatcheck_schemas.synopsis import (
    Extent,
    JsonFacts,
    Synopsis,
    TableFacts,
    TextFacts,
    UnknownFacts,
    XmlFacts,
    YamlFacts,
)

FILES = dict(large_files(700))
SIZES = ((4000, 1500), (20_000, 5000), (16_384, 8192))


def ends_of(data: str | bytes, head: int = 20_000, tail: int = 5000, mime_type: str | None = None) -> Synopsis:
    data = data.encode() if isinstance(data, str) else data
    size = text_size(data, mime_type)
    chars, lines, encoding = size or (None, None, None)
    start, end = data[:head], data[len(data) - tail :]
    return synopsize_ends(start, end, len(data), mime_type, chars=chars, lines=lines, encoding=encoding)


@pytest.mark.parametrize("name", FILES)
def test_the_kind_and_format_are_those_of_the_whole(name: str) -> None:
    whole = synopsize(FILES[name].encode())
    for head, tail in SIZES:
        found = ends_of(FILES[name], head, tail)
        assert (found.kind, found.format) == (whole.kind, whole.format)


def test_what_is_read_whole_has_the_synopsis_of_the_whole() -> None:
    text = FILES["csv: commas"].encode()
    for head, tail in ((len(text), 0), (len(text) - 100, 100), (len(text) - 100, 3000)):
        assert ends_of(text, head, tail) == synopsize(text)


def test_how_much_was_read_is_told() -> None:
    text = FILES["json: NDJSON"]
    assert ends_of(text).read == Extent(bytes=20_000, end_bytes=5000, of=len(text.encode()), lines=700)


def test_an_array_s_items_are_counted_as_far_as_they_were_read() -> None:
    facts = ends_of(json.dumps([{"a": 1}] * 10_000), 800, 100).facts
    assert isinstance(facts, JsonFacts)
    assert facts.length == (800 - len("[")) // len('{"a": 1}, ') + 1


def test_the_member_that_goes_on_is_marked_and_others_are_exact() -> None:
    facts = ends_of(json.dumps({"first": [1, 2], "rows": [{"x": [1]}] * 5000, "last": 1})).facts
    assert isinstance(facts, JsonFacts)
    first, rows = facts.members
    assert (first.length, first.partial) == (2, False)
    assert (rows.name, rows.partial) == ("rows", True)
    assert [(field.name, field.length, field.partial) for field in rows.fields] == [("x", 1, False)]


def test_an_array_whose_first_item_goes_on_is_told_by_that() -> None:
    facts = ends_of(FILES["json: one long item"]).facts
    assert isinstance(facts, JsonFacts)
    assert (facts.length, facts.item_types) == (1, ["object"])
    assert [(member.name, member.partial) for member in facts.members] == [("rows", True)]


def test_a_string_that_goes_on_is_no_example() -> None:
    facts = ends_of(json.dumps({"a": "x", "data": "y" * 50_000}), 60, 60).facts
    assert isinstance(facts, JsonFacts)
    assert [example.path for example in facts.examples] == ["a"]
    assert [member.name for member in facts.members] == ["a", "data"]


def test_what_a_tool_adds_below_a_document_is_told() -> None:
    found = ends_of(FILES["json: with an exit code"])
    assert found.outcome == ["exit code: 1"]
    assert isinstance(found.facts, JsonFacts)
    assert found.facts.trailing_chars_after_first_json_value == len("exit code: 1")


def test_a_document_that_the_end_does_not_close_was_cut_by_its_tool() -> None:
    found = ends_of(FILES["json: cut behind a bracket"])
    assert (found.kind, found.format) == ("text", "json-truncated")
    assert found.broken is not None
    assert found.broken.offset == len(FILES["json: cut behind a bracket"][:20_000])


def test_a_declared_type_that_the_ends_do_not_contradict_holds() -> None:
    assert ends_of(FILES["json: array on one line"], mime_type="application/json").kind == "json"
    found = ends_of(FILES["json: cut"], mime_type="application/json")
    assert (found.kind, found.format) == ("unknown", "json-truncated")


def test_ndjson_tells_its_last_record_by_its_place_from_the_end() -> None:
    facts = ends_of(FILES["json: NDJSON"]).facts
    assert isinstance(facts, JsonFacts)
    assert [(example.path, example.value) for example in facts.examples if example.path.startswith("[-1]")] == [
        ("[-1].id", "699"),
        ("[-1].name", json.dumps(json.loads(FILES["json: NDJSON"].splitlines()[-1])["name"], ensure_ascii=False)),
    ]


def test_a_last_record_that_is_cut_is_told_with_its_place_in_the_whole() -> None:
    text = FILES["json: NDJSON, cut"]
    found = ends_of(text)
    assert found.broken is not None
    assert (found.broken.offset, found.broken.line) == (text.rfind("\n") + 1, 699)


def test_records_that_turn_into_something_else_are_no_ndjson() -> None:
    assert ends_of(FILES["json: NDJSON"] + FILES["text: prose"]).kind == "text"


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(("csv", "tsv"))])
def test_a_table_has_its_first_row_from_the_start_and_its_last_from_the_end(name: str) -> None:
    found, whole = ends_of(FILES[name], 2000, 900).facts, synopsize(FILES[name].encode()).facts
    assert isinstance(found, TableFacts)
    assert isinstance(whole, TableFacts)
    assert (found.first_row, found.last_row, found.names, found.columns) == (
        whole.first_row,
        whole.last_row,
        whole.names,
        whole.columns,
    )
    assert found.rows < whole.rows


def test_yaml_says_how_much_was_parsed() -> None:
    found = ends_of(FILES["yaml: mapping"])
    assert isinstance(found.facts, YamlFacts)
    assert found.broken is None
    assert found.facts.parsed_chars is not None


def test_xml_is_told_by_its_start() -> None:
    found = ends_of(FILES["xml: indented"]).facts
    assert isinstance(found, XmlFacts)
    assert [(child.tag, child.text) for child in found.children] == [("entry", None)]
    assert found.root == "feed"


def test_xml_that_the_end_does_not_close_was_cut() -> None:
    assert ends_of(FILES["xml: cut"]).format == "xml-truncated"


def test_text_has_the_length_of_the_whole_and_how_it_went_from_its_end() -> None:
    text = FILES["text: tests"]
    found = ends_of(text)
    assert isinstance(found.facts, TextFacts)
    assert (found.facts.chars, found.facts.lines) == (len(text), 702)
    assert found.outcome == ["===== 1 failed, 700 passed in 3.2s ====="]
    assert found.facts.opening.startswith("===== test session starts")
    assert found.facts.closing.endswith("700 passed in 3.2s =====")


def test_binary_is_told_by_its_size_and_first_bytes() -> None:
    data = b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(100_000)
    found = ends_of(data)
    assert (found.kind, found.format) == ("unknown", "png")
    assert found.facts == UnknownFacts(why="binary", bytes=len(data))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["csv: commas", "text: log", "json: Chinese", "xml"])
def test_wide_text_is_understood_wherever_it_is_cut(name: str, encoding: str) -> None:
    text = f"\ufeff{FILES[name]}".encode(encoding)
    whole = synopsize(FILES[name].encode())
    for head, tail in ((20_000, 5000), (20_001, 5001), (20_002, 5002), (20_003, 5003)):
        found = ends_of(text, head, tail)
        assert (found.kind, found.format) == (whole.kind, whole.format)


def test_a_multi_byte_text_is_understood_wherever_it_is_cut() -> None:
    text = "编号,城市\n" + "".join(f"{number},上海市浦东新区\n" for number in range(3000))
    for tail in (5000, 5001):
        found = ends_of(text.encode("gb18030"), 10_001, tail, "text/csv; charset=gbk")
        assert isinstance(found.facts, TableFacts)
        assert (found.facts.names, found.facts.last_row) == (["编号", "城市"], "2999,上海市浦东新区")


def test_who_has_no_more_time_gets_a_plain_synopsis() -> None:
    def no_more() -> None:
        raise OutOfTime

    data = FILES["text: log"].encode()
    found = synopsize_ends(data[:9000], data[-900:], len(data), chars=9, lines=9, step=no_more)
    assert found.facts == UnknownFacts(why="time_limit", bytes=len(data))


@pytest.mark.parametrize("hostile", [b'{"a":' * 5000, b'{"a": "' + b'\\"' * 10_000, b"[" * 20_000, b"<a>" * 9000])
def test_a_hostile_start_and_end_cost_little_and_are_told(hostile: bytes) -> None:
    for end in (hostile[-9000:], b'\\"' * 4000 + b'"]', b"}" * 9000, b"]\n" * 4000, b'"\n"]\n' * 2000):
        steps = 0

        def step() -> None:
            nonlocal steps
            steps += 1

        found = synopsize_ends(hostile, end, 10**9, chars=10**9, lines=1, step=step)
        assert found.read is not None
        assert steps < 3000


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"a": None, "b": {"k": []}}, {"c": [1, 'x\\"y', {"d": [{"e": 1}]}]}] * 4, indent=1),
        json.dumps({"a": {"b": [{"c": [[1, 2], [3]]}]}, "z": "é\n" * 3, "n": -1.5e3, "rows": [{"q": [{"r": {}}]}] * 9}),
        "".join(json.dumps({"i": number, "x": [number]}) + "\n" for number in range(9)),
        "<?xml version='1.0'?><r a='1'><b>t &amp; u</b><!-- c --><c><![CDATA[ <x> ]]></c><d/>\n</r>",
        'a,b\n"x\ny",1\n' * 9,
        "k: v\nl:\n  - a: 1\n    b: [1,\n 2]\n" * 3,
    ],
)
def test_wherever_a_text_is_cut_it_has_a_synopsis(text: str) -> None:
    data = text.encode()
    for head in range(1, len(data) - 7):
        assert ends_of(data, head, 7).read is not None
