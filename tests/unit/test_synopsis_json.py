"""JSON of every make: what is kind json, what it tells, and where what is broken stops."""

import json
from typing import Any

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.effort import OutOfTime
from coatcheck_schemas.synopsis import Broken, Detail, Example, JsonFacts, Synopsis

RECORD = {"id": 1, "name": "x", "tags": ["a", "b"]}


def synopsis_of(text: str | bytes, mime_type: str | None = None) -> Synopsis:
    return synopsize(text if isinstance(text, bytes) else text.encode(), mime_type)


def json_facts(text: str | bytes, finer: str | None = None) -> JsonFacts:
    synopsis = synopsis_of(text)
    assert (synopsis.kind, synopsis.format) == ("json", finer)
    assert isinstance(synopsis.facts, JsonFacts)
    return synopsis.facts


def broken(text: str, mime_type: str | None = None) -> Broken:
    found = synopsis_of(text, mime_type).broken
    assert found is not None
    return found


def details(found: Broken) -> dict[str, tuple[int | None, list[str]]]:
    return {detail.name: (detail.count, detail.values) for detail in found.read}


@pytest.mark.parametrize(
    "text",
    [
        "[1] Smith, 1999\n[2] Jones, 2001\n",
        "[INFO] started\n[INFO] stopped\n",
        "[ 12.345] usb 1-1: new device\n[ 12.350] usb 1-1: found\n",
        "[2024-01-01 10:00:00] GET /\n",
        "{% if x %}\n{{ y }}\n{% endif %}\n",
        "[section]\nkey = 1\n",
        '[[tool.x]]\nname = "a"\n',
        "[ -f /etc/passwd ] && echo yes\n",
        "1\n2\n3\n",
        "{} apples\n",
        '    {"name": "a"},\n    {"name": "b"}\n  ]\n}\n',
        "{}{}{}",
        "{",
        "[",
    ],
)
def test_what_only_begins_like_json_is_none(text: str) -> None:
    assert synopsis_of(text).kind != "json"


def test_python_s_numbers_that_are_none_are_read_and_told() -> None:
    facts = json_facts('{"a": NaN, "b": -Infinity, "c": Infinity, "d": "NaN"}')
    assert facts.not_strict
    assert [example.value for example in facts.examples] == ["NaN", "-Infinity", "Infinity", '"NaN"']
    assert {member.type for member in facts.members} == {"number", "string"}


def test_a_string_that_speaks_of_such_numbers_is_shown_as_it_stands() -> None:
    facts = json_facts('{"a": "x: NaN, -Infinity, 0E0x", "b": NaN}')
    assert facts.examples[0] == Example(path="a", value='"x: NaN, -Infinity, 0E0x"')


def test_half_a_surrogate_pair_is_told() -> None:
    assert json_facts('["\\ud800", "\\ud83d\\ude00"]').not_strict


def test_strict_json_is_not_called_otherwise() -> None:
    assert not json_facts('{"a": "NaN and \\ud83d\\ude00", "b": 1}').not_strict


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"a": 1, "a": 2, "b": 3}', 1),
        ('{"a": {"x": 1, "x": 2}, "b": 3}', 0),
        ('{"a\\"": 1, "b": "\\"", "c": "a\\": "}', 0),
        ("{" + ", ".join(f'"k{i % 50}": {i}' for i in range(100)) + "}", 50),
    ],
)
def test_keys_that_stand_twice_are_counted(text: str, count: int) -> None:
    facts = json_facts(text)
    assert (facts.repeated_keys, facts.length) == (count, len(json.loads(text)))


def test_the_last_value_of_a_key_counts() -> None:
    assert json_facts('{"a": 1, "a": 2}').examples == [Example(path="a", value="2")]


@pytest.mark.parametrize("between", ["", " ", "\n\n", "\r\n", "\n  "])
def test_documents_one_after_another_are_counted_with_all_their_fields(between: str) -> None:
    documents = [json.dumps({**RECORD, f"k{i % 3}": i}, indent=2) for i in range(500)]
    facts = json_facts(between.join(documents), "json-concatenated")
    assert (facts.length, facts.member_count, facts.item_types) == (500, 6, ["object"])


def test_records_behind_record_separators_are_a_sequence() -> None:
    facts = json_facts("".join(f'\x1e{{"a": {i}}}\n' for i in range(9)), "json-seq")
    assert (facts.length, facts.member_count) == (9, 1)


@pytest.mark.parametrize(
    "text",
    [
        '// c\n{"strict": true, /* x */ "paths": {"@/*": ["./src/*"]},}\n',
        '{\n  // url\n  "strict": "http://x", // end\n  "paths": {"a": [1, 2,]}\n}\n',
        '/* c */ {"strict": true, "paths": {},\n}',
    ],
)
def test_settings_with_comments_or_last_commas_are_json(text: str) -> None:
    facts = json_facts(text, "jsonc")
    assert [member.name for member in facts.members] == ["strict", "paths"]


def test_a_fields_union_is_of_all_records() -> None:
    rows: list[dict[str, Any]] = [{"a": i} for i in range(50_000)]
    rows[33_333]["late"] = [1]
    facts = json_facts("\n".join(map(json.dumps, rows)), "ndjson")
    assert facts.length == 50_000
    assert [(member.name, member.type) for member in facts.members] == [("a", "number"), ("late", "array")]


def test_records_of_arrays_are_counted() -> None:
    facts = json_facts("[1, 2]\n[3]\n[]\n", "ndjson")
    assert (facts.length, facts.item_types) == (3, ["array"])


def test_ndjson_shows_its_last_record_too() -> None:
    facts = json_facts("\n".join(f'{{"t": {i}, "x": {{"y": {i}}}}}' for i in range(5)), "ndjson")
    assert facts.examples[-2:] == [Example(path="[4].t", value="4"), Example(path="[4].x.y", value="4")]


def test_a_few_bad_lines_among_many_records_are_counted_and_located() -> None:
    lines = [json.dumps(RECORD)] * 1000
    for place in (17, 500, 501):
        lines[place] = "oops"
    facts = json_facts("\n".join(lines), "ndjson")
    assert (facts.length, facts.bad_records, facts.bad_lines) == (997, 3, [17, 500, 501])


@pytest.mark.parametrize("share", [2, 5])
def test_a_log_with_some_lines_of_json_is_text(share: int) -> None:
    lines = ['{"a": 1}' if i % share == 0 else f"12:00:{i % 60:02d} INFO done {i}" for i in range(200)]
    assert synopsis_of("\n".join(lines)).kind == "text"


def test_a_cut_last_record_is_told_of() -> None:
    synopsis = synopsis_of('{"a": 1}\n{"a": 2}\n{"a": "x')
    assert (synopsis.kind, synopsis.format) == ("json", "ndjson")
    assert isinstance(synopsis.facts, JsonFacts)
    assert (synopsis.facts.length, synopsis.facts.trailing_chars_after_first_json_value) == (2, 8)
    assert synopsis.broken == Broken(
        of="ndjson",
        offset=18,
        line=2,
        reason="the last record ends inside a string",
        read=[Detail(name="records", count=2), Detail(name="then inside", values=["a"])],
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": [1, {"b": "x', "ends inside a string"),
        ('{"a": 1, "b": 2,', "ends behind a comma"),
        ('{"a": 1, "b": 2', "ends inside a number"),
        ('{"a": 1, "b": tru', "ends inside a word"),
        ('{"a": 1, "b"', "ends behind a key"),
        ('{"a": 1, "b":', "ends behind a key"),
        ('{"a": 1, "b', "ends inside a string"),
        ('{"a": {"b": [{}, {}', "ends inside an array"),
        ('{"a": {"b": [{}, {}]', "ends inside an object"),
        ('[{"a": 1}, {"a": 2}', "ends inside an array"),
    ],
)
def test_cut_json_says_how_it_ends(text: str, reason: str) -> None:
    found = broken(text)
    assert (found.of, found.offset, found.line, found.reason) == ("json", len(text), 0, reason)
    assert synopsis_of(text).format == "json-truncated"


def test_cut_json_says_what_could_be_read() -> None:
    text = json.dumps({"total": 900, "items": [RECORD] * 900}, indent=1)
    end = text.rindex('"name"') + 3
    found = details(broken(text[:end]))
    assert found == {"keys": (2, ["total: number", "items: array[899]"]), "then inside": (None, ["items[899]"])}


def test_a_cut_array_tells_its_whole_items_and_their_fields() -> None:
    text = json.dumps([RECORD] * 5000)
    found = details(broken(text[:-10]))
    assert found["whole items"] == (4999, [])
    assert found["fields of the first"] == (3, ["id: number", "name: string", "tags: array[2]"])
    assert found["then inside"] == (None, ["[4999].tags[0]"])


def test_a_stray_token_far_inside_is_located_in_what_stays_text() -> None:
    rows = [json.dumps(RECORD, ensure_ascii=False).replace("x", "é")] * 20_000
    rows[18_000] = "oops"
    text = "[" + ",\n".join(rows) + "]"
    synopsis = synopsis_of(text)
    assert synopsis.kind == "text"
    assert synopsis.broken is not None
    assert (synopsis.broken.offset, synopsis.broken.line) == (text.index("oops"), 18_000)
    assert "oops" in synopsis.broken.reason
    assert details(synopsis.broken)["whole items"] == (18_000, [])


def test_declared_json_that_is_wrong_says_where() -> None:
    found = synopsis_of('{"a": 1, "b": 2, "c": nope}', "application/json")
    assert (found.kind, found.format) == ("unknown", None)
    assert found.broken is not None
    assert found.broken.offset == 22


def test_the_place_is_that_in_the_original() -> None:
    text = '\ufeff{"é": 1,\n"b": 2, x}'
    assert (broken(text).offset, broken(text).line) == (text.index("x"), 1)


@pytest.mark.parametrize("levels", [500, 5000, 100_000])
def test_a_deep_document_has_its_top_described(levels: int) -> None:
    facts = json_facts('{"top": ' + "[" * levels + "]" * levels + ', "n": 1}')
    assert [(member.name, member.type, member.length) for member in facts.members] == [
        ("top", "array", 1),
        ("n", "number", None),
    ]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        (b"[" + b"1," * 700_000 + b"1]", 700_001),
        (b"[" + b"[1]," * 100_000 + b"[1]]", 100_001),
        (b"[" + b'{"id":1,"c":[{"id":2},{"id":3}]},' * 30_000 + b"1]", 30_001),
        (b"[" + b'"}, {\\"id\\"",' * 60_000 + b"1]", 60_001),
        (b"[" + b" " * 700_000 + b"1]", 1),
        (b'["' + b"\\\\" * 400_000 + b'"]', 1),
        (b'{"a": "' + b"\\ud83d\\ude00" * 50_000 + b'", "b": 1}', 2),
        (b'{"' + b"k" * 700_000 + b'": 1}', 1),
    ],
)
def test_items_of_a_long_text_are_counted(text: bytes, length: int) -> None:
    assert json_facts(text).length == length


def test_a_text_behind_a_value_leaves_it_a_text() -> None:
    assert synopsis_of('{"status": "ok"}\n' + "a line of prose\n" * 400).kind == "text"


@pytest.mark.parametrize("steps", [1, 5, 30])
def test_it_can_be_ended_between_two_parts(steps: int) -> None:
    left = steps

    def step() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfTime

    data = json.dumps({"items": [RECORD] * 100_000}).encode()
    facts = synopsize(data, step=step).facts
    assert getattr(facts, "why", None) == "time_limit"
