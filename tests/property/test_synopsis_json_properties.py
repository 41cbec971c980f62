"""JSON read in parts tells the same as JSON read whole, wherever the parts end."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.json import documents, leaping, reading, records, strings, walking
from coatcheck_core.synopsis.json.reading import Json, read_json
from coatcheck_core.synopsis.json.skimming import skim
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import JsonFacts

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ['"', "\\", '}, {"', "],[", "}{", "}\n{", ",", "\\ud800", "a" * 40, "NaN", ": NaN, ", "[-Infinity]", "// x"]
)
SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=8
)
RECORDS = st.lists(st.fixed_dictionaries({"id": st.integers(0, 99), "v": VALUES}), min_size=1, max_size=20)
ROOTS = (
    RECORDS
    | st.lists(VALUES, max_size=20)
    | st.dictionaries(TEXTS, VALUES, max_size=16)
    | st.fixed_dictionaries(
        {"meta": VALUES, "items": RECORDS, "more": st.integers(0, 300).map(lambda count: [1] * count)}
    )
)
LAYOUTS = st.sampled_from(
    [
        {},
        {"separators": (",", ":")},
        {"indent": 2},
        {"indent": 1, "ensure_ascii": False},
        {"indent": 0, "separators": (" ,", " : ")},
    ]
)
TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a text of a few hundred bytes is read in many."""
    monkeypatch.setattr(leaping, "BLOCK_BYTES", 160)
    monkeypatch.setattr(leaping, "_LEAST_ITEMS", 3)
    monkeypatch.setattr(documents, "BLOCK_BYTES", 160)
    monkeypatch.setattr(records, "BLOCK_BYTES", 160)
    monkeypatch.setattr(walking, "PART_BYTES", 48)
    monkeypatch.setattr(strings, "PART_BYTES", 48)
    monkeypatch.setattr(reading, "_WHOLE_BYTES", 0)


def read(text: str, *, scalars: bool = False) -> Json:
    return read_json(Seen(text.encode()), scalars=scalars)


def facts_of(found: Json) -> JsonFacts:
    assert found.synopsis is not None
    assert isinstance(found.synopsis.facts, JsonFacts)
    return found.synopsis.facts


def type_of(value: Any) -> str:
    return TYPES.get(type(value), "null")


def check_members(facts: JsonFacts, shown: dict[str, Any]) -> None:
    assert facts.member_count == len(shown)
    assert [member.type for member in facts.members] == [type_of(value) for value in list(shown.values())[:10]]
    for member, value in zip(facts.members, shown.values(), strict=False):
        assert member.length == (len(value) if isinstance(value, dict | list) else None)
        if isinstance(value, list):
            assert member.item_types == list(dict.fromkeys(map(type_of, value[:100])))


def together(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Their fields in the order met, each as where it is first not null."""
    names = dict.fromkeys(name for one in objects for name in one)
    return {name: next((one[name] for one in objects if one.get(name) is not None), None) for name in names}


def shows(facts: JsonFacts, fields: dict[str, Any]) -> bool:
    try:
        check_members(facts, fields)
    except AssertionError:
        return False
    return True


SLOW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW
@given(ROOTS, LAYOUTS)
def test_a_document_read_in_parts_has_its_counts_and_types(root: Any, layout: dict[str, Any]) -> None:
    found = read(json.dumps(root, **layout))
    facts = facts_of(found)
    assert (facts.type, facts.length, facts.repeated_keys) == (type_of(root), len(root), 0)
    assert facts.trailing_chars_after_first_json_value == 0
    if isinstance(root, dict):
        check_members(facts, root)
    else:
        assert facts.item_types == list(dict.fromkeys(map(type_of, root[:100])))
        objects = [item for item in root[:100] if isinstance(item, dict)]
        # Of objects that are long, or read in parts, only the first are looked at.
        assert any(shows(facts, together(objects[:count])) for count in range(1, len(objects) + 1)) or not objects


@SLOW
@given(st.lists(st.tuples(TEXTS, VALUES), max_size=16), LAYOUTS)
def test_keys_that_come_again_are_told(members: list[tuple[str, Any]], layout: dict[str, Any]) -> None:
    body = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, **layout)}" for key, value in members)
    facts = facts_of(read(f"{{{body}}}"))
    distinct = dict(members)
    assert (facts.length, facts.repeated_keys) == (len(distinct), len(members) - len(distinct))
    check_members(facts, distinct)


@SLOW
@given(ROOTS, LAYOUTS, st.data())
def test_every_prefix_is_cut_and_counts_what_is_whole(root: Any, layout: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(root, **layout)
    end = data.draw(st.integers(0, max(len(text) - 1, 0)))
    found = read(text[:end])
    assert found.synopsis is None or found.synopsis.format == "ndjson"
    assert found.wrong is None
    if found.broken is not None:
        assert found.broken.offset == end
        assert found.broken.line == text[:end].count("\n")


@SLOW
@given(ROOTS, LAYOUTS, st.data(), st.sampled_from([";", "x", "]", "}", '"', ",", ":", "\x01", "'"]))
def test_what_the_standard_parser_refuses_is_no_json(
    root: Any, layout: dict[str, Any], data: st.DataObject, sign: str
) -> None:
    text = json.dumps(root, **layout)
    place = data.draw(st.integers(1, len(text)))
    text = text[:place] + sign + text[place:]
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    found = read(text)
    strict = found.synopsis is not None and found.synopsis.format is None
    if strict and facts_of(found).trailing_chars_after_first_json_value == 0:
        assert expected is not None
    elif expected is not None:
        pytest.fail(f"refused: {text!r}")


@SLOW
@given(st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=5) | st.just({}), min_size=2, max_size=16))
def test_records_are_counted_and_their_fields_joined(rows: list[dict[str, Any]]) -> None:
    found = read("\n".join(map(json.dumps, rows)) + "\n")
    facts = facts_of(found)
    assert found.synopsis is not None
    assert found.synopsis.format == "ndjson"
    merged: dict[str, Any] = {}
    for row in rows:
        for key, value in row.items():
            merged.setdefault(key, value)
    assert (facts.length, facts.bad_records) == (len(rows), 0)
    check_members(facts, merged)


@SLOW
@given(
    st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4), min_size=2, max_size=16),
    LAYOUTS,
    st.sampled_from(["", "\n", " ", "\n\n"]),
)
def test_documents_one_after_another_are_counted(
    rows: list[dict[str, Any]], layout: dict[str, Any], between: str
) -> None:
    found = read(between.join(json.dumps(row, **layout) for row in rows))
    assert found.synopsis is not None
    assert found.synopsis.format in ("ndjson", "json-concatenated")
    assert facts_of(found).length == len(rows)
    assert facts_of(found).member_count == len(set().union(*rows))


@SLOW
@given(
    st.recursive(st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)),
    LAYOUTS,
    st.data(),
)
def test_skimming_ends_where_the_value_ends(root: Any, layout: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps([root], **layout).encode()
    assert skim(text + b" ] }", 0, lambda: None) == len(text)
    end = data.draw(st.integers(1, max(len(text) - 1, 1)))
    if end < len(text):
        assert not isinstance(skim(text[:end], 0, lambda: None), int)
