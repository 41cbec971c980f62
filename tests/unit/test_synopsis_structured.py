"""Exact facts of clear JSON, tables, YAML and XML."""

import json

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import (
    Attribute,
    Example,
    Field,
    JsonFacts,
    Member,
    TableFacts,
    TagCount,
    XmlFacts,
    YamlFacts,
)


def json_facts(text: str, mime_type: str | None = None) -> JsonFacts:
    synopsis = synopsize(text.encode(), mime_type)
    assert synopsis.kind == "json"
    assert isinstance(synopsis.facts, JsonFacts)
    return synopsis.facts


def table_facts(text: str, kind: str = "csv") -> TableFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == kind
    assert isinstance(synopsis.facts, TableFacts)
    return synopsis.facts


def yaml_facts(text: str) -> YamlFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "yaml"
    assert isinstance(synopsis.facts, YamlFacts)
    return synopsis.facts


def xml_facts(text: str) -> XmlFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "xml"
    assert isinstance(synopsis.facts, XmlFacts)
    return synopsis.facts


def test_json_object_shows_members_two_levels_deep_and_examples_from_the_top_first() -> None:
    facts = json_facts('{"meta": {"ok": true, "tags": [1]}, "items": [{"id": 7, "sub": {"a": 1}}, null], "total": 2}')
    assert facts == JsonFacts(
        type="object",
        length=3,
        members=[
            Member(
                name="meta",
                type="object",
                length=2,
                fields=[Field(name="ok", type="boolean"), Field(name="tags", type="array", length=1)],
                field_count=2,
            ),
            Member(
                name="items",
                type="array",
                length=2,
                item_types=["object", "null"],
                fields=[Field(name="id", type="number"), Field(name="sub", type="object", length=1)],
                field_count=2,
            ),
            Member(name="total", type="number"),
        ],
        member_count=3,
        examples=[
            Example(path="total", value="2"),
            Example(path="meta.ok", value="true"),
            Example(path="meta.tags[0]", value="1"),
            Example(path="items[0].id", value="7"),
            Example(path="items[0].sub.a", value="1"),
        ],
    )


def test_json_array_shows_its_first_objects_fields() -> None:
    facts = json_facts('[{"id": 1, "name": "x"}, {"id": 2}]')
    assert (facts.type, facts.length, facts.item_types) == ("array", 2, ["object"])
    assert [(member.name, member.type) for member in facts.members] == [("id", "number"), ("name", "string")]
    assert facts.examples == [Example(path="[0].id", value="1"), Example(path="[0].name", value='"x"')]


def test_json_shows_ten_keys_and_counts_all() -> None:
    facts = json_facts(json.dumps({f"k{i}": i for i in range(25)}))
    assert [member.name for member in facts.members] == [f"k{i}" for i in range(10)]
    assert (facts.length, facts.member_count, len(facts.examples)) == (25, 25, 5)


def test_json_path_quotes_what_is_no_plain_name() -> None:
    assert json_facts('{"a.b": {"c d": 1}}').examples == [Example(path='["a.b"]["c d"]', value="1")]


@pytest.mark.parametrize(
    ("text", "trailing", "outcome"),
    [
        ('{"a": 1}\n', 0, []),
        ('{"a": 1} words', 5, []),
        ('{"a": 1}\n\n[exit code 2]\n', 13, ["[exit code 2]"]),
        ("[1, 2]\nné\n", 2, []),
    ],
)
def test_json_counts_what_trails_the_first_value(text: str, trailing: int, outcome: list[str]) -> None:
    assert json_facts(text).trailing_chars_after_first_json_value == trailing
    assert synopsize(text.encode()).outcome == outcome


def test_ndjson_counts_records_and_joins_their_fields() -> None:
    synopsis = synopsize(b'{"a": 1}\r\n\n{"a": 2, "b": [1]}\n[3]\n')
    assert (synopsis.kind, synopsis.format) == ("json", "ndjson")
    assert isinstance(synopsis.facts, JsonFacts)
    assert (synopsis.facts.length, synopsis.facts.item_types) == (3, ["object", "array"])
    assert [(member.name, member.type) for member in synopsis.facts.members] == [("a", "number"), ("b", "array")]


def test_ndjson_counts_a_last_line_that_is_no_record() -> None:
    facts = json_facts('{"a": 1}\n{"a": 2}\nexit code 1\n')
    assert (facts.length, facts.trailing_chars_after_first_json_value) == (2, 11)


@pytest.mark.parametrize(
    "text", ["1\n2\n3\n", "42", '"a"', "[1] Smith, 1999\n[2] Jones\n", "{} apples\n", "[INFO] x\n"]
)
def test_a_text_that_only_begins_like_json_is_text(text: str) -> None:
    assert synopsize(text.encode()).kind == "text"


@pytest.mark.parametrize("mime_type", ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"])
def test_a_declared_json_type_lets_a_scalar_be_json(mime_type: str) -> None:
    assert json_facts("42", mime_type) == JsonFacts(type="number", examples=[Example(path="$", value="42")])


@pytest.mark.parametrize(
    ("text", "mime_type", "kind"),
    [
        ('{"a": nope}', "application/json", "unknown"),
        ("a,b\n1,2\n", "text/json", "unknown"),
        ("<a><b></a>", "application/xml", "unknown"),
        ('{"a": 1}', "text/xml", "json"),
        ("<a/>", "application/json", "xml"),
        ("plain", "text/plain", "text"),
        ('{"a": 1}', "text/plain", "json"),
    ],
)
def test_content_decides_over_a_declared_type_and_neither_is_unknown(text: str, mime_type: str, kind: str) -> None:
    assert synopsize(text.encode(), mime_type).kind == kind


def test_a_cut_json_document_is_text_of_that_format() -> None:
    synopsis = synopsize(b'{"items": [{"id": 1, "name": "x"}, {"id": 2, "na')
    assert (synopsis.kind, synopsis.format) == ("text", "json-truncated")


def test_json_with_half_a_surrogate_pair_is_json() -> None:
    facts = json_facts('{"a": "x\\ud800y", "\\udc00bcdefgh": "\\ud83d\\ude00"}')
    assert facts.examples[0] == Example(path="a", value='"x\ufffdy"')
    assert facts.length == 2


@pytest.mark.parametrize("prefix", ["\ufeff", "\x1b[32m", "\x1b]0;title\x07", "\ufeff\x1b[1;31m", " \n"])
def test_a_mark_or_terminal_code_before_the_text_is_looked_through(prefix: str) -> None:
    assert json_facts(prefix + '{"a": 1}\x1b[0m').length == 1


def test_csv_field_with_line_breaks_and_quotes_is_one_field() -> None:
    facts = table_facts('"a","b ""c"""\n"x\ny, z",2\n3,4\n')
    assert (facts.rows, facts.columns, facts.names) == (2, 2, ["a", 'b "c"'])


def test_csv_first_row_is_cut_at_180_chars() -> None:
    facts = table_facts("a,b\n" + "x" * 500 + ",1\n")
    assert facts.first_row is not None
    assert (len(facts.first_row), facts.first_row[-1]) == (180, "…")


def test_csv_with_semicolons_says_so() -> None:
    assert table_facts("id;price\n1;2,50\n2;3,10\n").delimiter == ";"


def test_tsv_is_told_from_csv() -> None:
    facts = table_facts("id\tname, first\n1\tx\n", "tsv")
    assert (facts.rows, facts.names, facts.delimiter, facts.first_row) == (1, ["id", "name, first"], "\t", "1\tx")


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2,3\n",
        "Dear John, thanks\nBest wishes, Jane\n",
        "2024-01-01 12:00:00,123 INFO a\n2024-01-01 12:00:01,456 INFO b\n",
        '{"a":1,"b":2\n{"a":1,"b":3\n',
        "     1\tfoo\n     2\tbar\n",
    ],
)
def test_lines_that_only_share_a_delimiter_are_no_table(text: str) -> None:
    assert synopsize(text.encode()).kind == "text"


def test_yaml_sequence_shows_its_first_mappings_keys() -> None:
    facts = yaml_facts("- name: a\n  value: 1\n- name: b\n")
    assert (facts.type, facts.length, [key.name for key in facts.keys]) == ("sequence", 2, ["name", "value"])


def test_yaml_documents_are_counted() -> None:
    assert yaml_facts("---\na: 1\n---\nb: 2\n---\nc: 3\n").documents == 3


def test_yaml_shows_thirty_keys_and_counts_all() -> None:
    facts = yaml_facts("".join(f"k{i}: {i}\n" for i in range(50)))
    assert (len(facts.keys), facts.key_count, facts.length) == (30, 50, 50)


@pytest.mark.parametrize("text", ["skips:\n- B603  # why it is skipped here\n- B607\n", "a:\n  - x\n", "- a\n- b\n"])
def test_a_short_list_is_yaml(text: str) -> None:
    assert yaml_facts(text).documents == 1


def test_tsv_may_have_a_wordy_header() -> None:
    assert table_facts("name of the module (all that are served)\tage\nx\t1\n", "tsv").columns == 2


@pytest.mark.parametrize(
    "text",
    [
        "key: value\n",
        "Note: this is a thing.\nWarning: another thing here.\n",
        "Alice: hello\nBob: hi\nAlice: bye\n",
        "HTTP/1.1 200 OK\nContent-Type: text/html\nServer: x\n",
        "From: a@example.org\nTo: d@example.org\nSubject: hi there\n\nHello you,\nbye\n",
        "---\ntitle: x\n---\n# Heading\nsome prose\n",
        "- buy some milk today\n- call mother tonight\n",
        "- [ ] one\n- [x] two\n",
        "12:00:01 INFO: started\n12:00:02 INFO: stopped\n",
    ],
)
def test_prose_headers_and_logs_with_colons_are_text(text: str) -> None:
    assert synopsize(text.encode()).kind == "text"


def test_xml_shows_root_attributes_and_children_with_counts() -> None:
    text = "<?xml version='1.0'?>\n<!-- c --><r x='1' y='2'><item/><item><deep/></item><other/></r>\n"
    assert xml_facts(text) == XmlFacts(
        root="r",
        attributes=2,
        elements=5,
        children=[TagCount(tag="item", count=2), TagCount(tag="other", count=1)],
        child_tags=2,
        root_attributes=[Attribute(name="x", value="1"), Attribute(name="y", value="2")],
    )


def test_xml_shows_thirty_tags_and_counts_all() -> None:
    facts = xml_facts("<r>" + "".join(f"<t{i}/>" for i in range(40)) + "</r>")
    assert (len(facts.children), facts.child_tags) == (30, 40)


def test_xml_in_another_declared_encoding_is_read_as_the_text_it_is() -> None:
    assert xml_facts('<?xml version="1.0" encoding="latin-1"?><r a="é"/>').attributes == 1


@pytest.mark.parametrize(
    ("text", "kind", "finer"),
    [
        ("<html><body>hi</body></html>", "xml", "html"),
        ("<!DOCTYPE html><html><body><br>hi</body></html>", "text", "html"),
        ("<a><b/><c/><d", "text", "xml-truncated"),
        ("<b>bold</b> words", "text", None),
        ("<unclosed> words", "text", None),
    ],
)
def test_markup_that_is_no_document_falls_through(text: str, kind: str, finer: str | None) -> None:
    synopsis = synopsize(text.encode())
    assert (synopsis.kind, synopsis.format) == (kind, finer)
