"""Input made to hurt costs bounded work; it has its kind, a small synopsis, and stubs that forge nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.support.hostile import HOSTILE
from tests.support.hostile.child import Child
from tests.support.hostile.soundness import assert_sound
from tests.support.hostile.xml_inputs import entities

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, JsonFacts, TableFacts, XmlFacts, YamlFacts

MEGA = 1_000_000
MANY_BYTES = 100_000
FEW_BYTES = 700

KINDS = {
    "json: integers of 5000 digits": "json",
    "json: half surrogates": "json",
    "json: keys of a megabyte": "json",
    "json: many keys": "json",
    "json: the same key over and over": "json",
    "json: ones": "json",
    "json: records of distinct keys": "json",
    "json: blanks before": "json",
    "json: newlines behind": "json",
    "json: one string": "json",
    "json: a footnote, not JSON": "text",
    "json: log lines in brackets": "text",
    "xml: entity bomb": "xml",
    "xml: entity bomb in an attribute": "xml",
    "xml: external entity": "xml",
    "xml: parameter entity": "xml",
    "xml: external doctype": "xml",
    "xml: an inclusion": "xml",
    "xml: long attribute": "xml",
    "xml: many attributes": "xml",
    "xml: many tags": "xml",
    "xml: comments": "xml",
    "xml: CDATAs": "xml",
    "yaml: alias bomb": "yaml",
    "yaml: merge keys": "yaml",
    "yaml: items of mappings": "yaml",
    "yaml: key: value prose": "text",
    "table: a field": "csv",
    "table: a quoted field": "csv",
    "table: a quoted field of newlines": "csv",
    "table: 10,000 columns": "csv",
    "table: rows": "csv",
    "table: rows, quoted": "csv",
    "table: rows of tabs": "tsv",
    "table: prose with commas": "text",
    "terminal: NUL": "unknown",
    "terminal: controls": "unknown",
    "terminal: no UTF-8, late": "unknown",
    "terminal: UTF-16": "text",
    "terminal: surrogates in UTF-8": "unknown",
    "terminal: coloured rows": "csv",
    "text: blank lines": "text",
    "text: blank lines of a blank": "text",
    "text: one long line": "text",
    "text: logs": "text",
    "text: diffs": "text",
    "text: tracebacks": "text",
    "text: bidirectional controls": "text",
    "code: functions of Python": "code",
}
"""Where the contract leaves no doubt."""


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child() as child:
        yield child


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_sound_within_bounded_work(name: str, child: Child) -> None:
    child.sound(name, MANY_BYTES)


def test_hostile_input_of_few_bytes_is_sound() -> None:
    for name, make in HOSTILE.items():
        for size in (FEW_BYTES, 1):
            data = make(size)
            if len(data) > 10 * FEW_BYTES:  # some are never small
                continue
            try:
                assert_sound(data)
            except Exception as error:
                raise AssertionError(f"{name}, {size} bytes") from error


@pytest.mark.parametrize("name", KINDS)
def test_hostile_input_has_the_kind_that_it_is_of(name: str) -> None:
    assert synopsize(HOSTILE[name](MANY_BYTES)).kind == KINDS[name]


def test_no_entity_is_expanded() -> None:
    facts = synopsize((entities(3) + '<l a="&e2;">&e2;<b/></l>').encode()).facts
    assert isinstance(facts, XmlFacts)
    assert (facts.root, facts.attributes, facts.elements, facts.child_tags) == ("l", 1, 2, 1)


def test_an_external_entity_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("<b>the secret</b>")
    document = f'<!DOCTYPE l [<!ENTITY x SYSTEM "{secret.as_uri()}">]><l>&x;</l>'
    synopsis = synopsize(document.encode())
    assert isinstance(synopsis.facts, XmlFacts)
    assert synopsis.facts.elements == 1
    assert b"the secret" not in msgspec.json.encode(synopsis)


def test_an_alias_is_counted_and_not_followed() -> None:
    facts = synopsize(b"base: &b\n  x: 1\nuse: *b\nmore: &m [*b, *b]\n").facts
    assert isinstance(facts, YamlFacts)
    assert [(key.name, key.type, key.length) for key in facts.keys] == [
        ("base", "mapping", 1),
        ("use", "alias", None),
        ("more", "sequence", 2),
    ]


def test_many_columns_are_clipped_and_counted() -> None:
    facts = synopsize(HOSTILE["table: 10,000 columns"](FEW_BYTES)).facts
    assert isinstance(facts, TableFacts)
    assert (facts.columns, facts.names) == (10_000, [f"c{i}" for i in range(40)])


def test_long_names_are_clipped_with_a_mark() -> None:
    facts = synopsize(json.dumps({"k" * 5000: 1}).encode()).facts
    assert isinstance(facts, JsonFacts)
    assert facts.members[0].name == "k" * 99 + "…"


@pytest.mark.parametrize("char", ["\x01", "\u202e", "😀", '"', "\\", "漢"])
def test_names_of_any_char_stay_under_the_limit(char: str) -> None:
    names = [f"{char * 300}{i}" for i in range(60)]
    document = {name: {below: [1] for below in names} for name in names}
    for data in (
        json.dumps(document).encode(),
        json.dumps(document, ensure_ascii=False).encode(),
        "\n".join(f"## {name}\n\n" for name in names).encode(),
        ("\t".join(names) + "\n" + "\t".join(names)).encode(),
    ):
        assert len(msgspec.json.encode(synopsize(data))) < MAX_SYNOPSIS_BYTES


@pytest.mark.parametrize("mime_type", ["", ";", "a" * MEGA, "application/json\n", "text/xml;;;", "\0"])
def test_any_mime_type_is_taken(mime_type: str) -> None:
    assert synopsize(b'{"a": 1}', mime_type).kind == "json"
