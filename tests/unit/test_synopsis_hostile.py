"""Input made to hurt: the synopsis is small, comes back from its JSON, and expands or fetches nothing."""

import json
from collections.abc import Callable

import msgspec
import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, JsonFacts, Synopsis, TableFacts, XmlFacts, YamlFacts

MEGA = 1_000_000


def _entities(levels: int) -> str:
    rows = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, levels))
    return f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY e0 "lol">{rows}]>'


HOSTILE: dict[str, tuple[str, Callable[[], str]]] = {
    "blank lines": ("text", lambda: "\n" * MEGA),
    "blanks": ("text", lambda: " " * MEGA),
    "one long line": ("text", lambda: "x" * MEGA),
    "open brackets": ("text", lambda: "[" * 100_000),
    "nested arrays": ("text", lambda: "[" * 100_000 + "]" * 100_000),
    "nested objects": ("text", lambda: '{"a":' * 100_000),
    "nested below a key": ("text", lambda: '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    "nested elements": ("xml", lambda: "<a>" * 100_000 + "</a>" * 100_000),
    "entity bomb": ("xml", lambda: _entities(10) + "<l>&e9;</l>"),
    "entity bomb in an attribute": ("xml", lambda: _entities(10) + '<l x="&e9;"/>'),
    "external entity": ("xml", lambda: '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/hostname">]><l>&x;</l>'),
    "parameter entity": ("xml", lambda: '<!DOCTYPE l [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]><l/>'),
    "external doctype": ("xml", lambda: '<!DOCTYPE l SYSTEM "http://127.0.0.1:1/l.dtd"><l/>'),
    "doctype without end": ("text", lambda: "<!DOCTYPE a [" + "<!-- " * 200_000),
    "doctypes without end": ("text", lambda: "<!DOCTYPE" * 100_000),
    "doctypes of open quotes": ("text", lambda: "<!DOCTYPE a '" * 70_000),
    "doctype of quotes": ("text", lambda: "<!DOCTYPE " + "\"'" * 200_000),
    "many attributes": ("xml", lambda: "<a " + " ".join(f'a{i}="1"' for i in range(50_000)) + "/>"),
    "long attribute": ("xml", lambda: f'<a x="{"y" * MEGA}"/>'),
    "many tags": ("xml", lambda: "<r>" + "".join(f"<t{i}/>" for i in range(50_000)) + "</r>"),
    "alias bomb": (
        "yaml",
        lambda: "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 25)),
    ),
    "aliases of nothing": ("text", lambda: "*a " * 300_000),
    "one alias": ("text", lambda: "*a"),
    "deep YAML": ("yaml", lambda: "\n".join(" " * i + "k:" for i in range(1100)) + "\nx: [\n"),
    "deep flow YAML": ("text", lambda: "a: " + "[" * 100_000),
    "integer of 5000 digits": ("json", lambda: f'{{"a": {"9" * 5000}, "b": [{"9" * 5000}]}}'),
    "not a number": ("text", lambda: '{"a": NaN}'),
    "duplicate keys": ("json", lambda: '{"a": 1, "a": 2}'),
    "half surrogates": ("json", lambda: "[" + '"\\ud800",' * 50_000 + "1]"),
    "long keys": ("json", lambda: json.dumps({"k" * MEGA: 1, "z": {"y" * MEGA: [1]}})),
    "many items": ("json", lambda: "[" + "1," * 500_000 + "1]"),
    "many records": ("json", lambda: "\n".join(f'{{"k{i}": 1}}' for i in range(50_000))),
    "NUL": ("unknown", lambda: "abc\0def"),
    "controls": ("unknown", lambda: "\x01" * 200_000),
    "CSV field over the module's limit": ("csv", lambda: "a,b\n" + '"' + "x" * 200_000 + '",2\n'),
    "plain CSV field over the module's limit": ("csv", lambda: "a,b\n" + "x" * 200_000 + ",2\n"),
    "10,000 columns": ("csv", lambda: ",".join(f"c{i}" for i in range(10_000)) + "\n" + "," * 9_999 + "\n"),
    "quotes": ("text", lambda: '"' * MEGA),
    "open quotes": ("text", lambda: ',"' * 500_000),
    "escape codes without end": ("text", lambda: "\x1b[" * 200_000),
    "titles without end": ("text", lambda: "\x1b]" * 200_000),
    "long escape code": ("text", lambda: "\x1b[" + "0" * MEGA),
    "bidirectional controls": ("text", lambda: "\u202e" * 300_000),
    "brackets of links": ("text", lambda: "[a](" * 250_000),
    "rules of a table": ("text", lambda: ("-" * 399 + "x\n") * 2500),
    "keywords of a language": ("text", lambda: ("static " * 40 + "\n") * 3000),
    "telling words": ("text", lambda: ("make error exit " * 18 + "\n") * 3000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_has_its_kind_and_a_small_synopsis(name: str) -> None:
    kind, make = HOSTILE[name]
    synopsis = synopsize(make().encode())
    assert synopsis.kind == kind
    encoded = msgspec.json.encode(synopsis)
    assert len(encoded) < MAX_SYNOPSIS_BYTES
    assert msgspec.json.decode(encoded, type=Synopsis) == synopsis


def test_no_entity_is_expanded() -> None:
    facts = synopsize((_entities(3) + '<l a="&e2;">&e2;<b/></l>').encode()).facts
    assert facts == XmlFacts(root="l", attributes=1, elements=2, children=facts.children, child_tags=1)  # type: ignore[union-attr]


def test_an_alias_is_counted_and_not_followed() -> None:
    facts = synopsize(b"base: &b\n  x: 1\nuse: *b\nmore: &m [*b, *b]\n").facts
    assert isinstance(facts, YamlFacts)
    assert [(key.name, key.type, key.length) for key in facts.keys] == [
        ("base", "mapping", 1),
        ("use", "alias", None),
        ("more", "sequence", 2),
    ]


def test_many_columns_are_clipped_and_counted() -> None:
    facts = synopsize(HOSTILE["10,000 columns"][1]().encode()).facts
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
