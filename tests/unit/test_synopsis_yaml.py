"""Exact facts of YAML, and what has colons and dashes and is none."""

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import Field, YamlFacts

ITEM = "- name: item{0}\n  value: {0}\n  tags: [a, b]\n  text: 'x\n\n    y'\n"


def yaml_facts(text: str) -> YamlFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "yaml"
    assert isinstance(synopsis.facts, YamlFacts)
    return synopsis.facts


def test_a_mapping_shows_its_keys_with_types_names_and_values() -> None:
    text = (
        "# made\nname: x\nreplicas: 3\nlive: true\nnone:\nat: 2024-01-31\nspec:\n  a: 1\n  b: 2\nports:\n- 80\n- 443\n"
    )
    assert yaml_facts(text) == YamlFacts(
        type="mapping",
        length=7,
        keys=[
            Field(name="name", type="string", value="x"),
            Field(name="replicas", type="number", value="3"),
            Field(name="live", type="boolean", value="true"),
            Field(name="none", type="null"),
            Field(name="at", type="timestamp", value="2024-01-31"),
            Field(name="spec", type="mapping", length=2, names=["a", "b"]),
            Field(name="ports", type="sequence", length=2),
        ],
        key_count=7,
    )


def test_a_long_sequence_under_a_key_is_counted_whole() -> None:
    facts = yaml_facts("kind: List\nitems:\n" + "".join(ITEM.format(i) for i in range(4000)) + "more: 1\n")
    assert facts.parsed_chars is None
    assert [(key.name, key.type, key.length) for key in facts.keys] == [
        ("kind", "string", None),
        ("items", "sequence", 4000),
        ("more", "number", None),
    ]


def test_a_long_mapping_is_counted_whole_and_its_children_named() -> None:
    entries = "".join(f"  /path{i}:\n    get: {{a: 1}}\n    post:\n      x: [1]\n" for i in range(2000))
    facts = yaml_facts(f"openapi: 3.0.0\npaths:\n{entries}")
    paths = facts.keys[1]
    assert (paths.type, paths.length, paths.names[:2]) == ("mapping", 2000, ["/path0", "/path1"])


def test_a_long_top_level_is_counted_whole() -> None:
    facts = yaml_facts("".join(f"k{i}:\n  a: {i}\n  b: [1, 2]\n" for i in range(5000)))
    assert (facts.length, facts.key_count, len(facts.keys), facts.parsed_chars) == (5000, 5000, 30, None)


def test_a_long_top_level_sequence_is_counted_whole() -> None:
    facts = yaml_facts("".join(ITEM.format(i) for i in range(3000)))
    assert (facts.type, facts.length, [key.name for key in facts.keys]) == (
        "sequence",
        3000,
        ["name", "value", "tags", "text"],
    )


def test_lines_inside_a_quoted_text_that_look_like_entries_are_not_counted() -> None:
    text = "".join(f'k{i}: "one\nfake: x\nother: y"\n' for i in range(2500))
    assert yaml_facts(text).length == 2500


def test_lines_inside_a_block_of_text_are_not_counted() -> None:
    script = "".join(f"    step{i}: x\n    - {i}\n" for i in range(5000))
    facts = yaml_facts(f"data:\n  run: |\n{script}  other: 1\nkind: ConfigMap\n")
    assert [(key.name, key.type, key.length) for key in facts.keys] == [
        ("data", "mapping", 2),
        ("kind", "string", None),
    ]


def test_what_is_longer_than_a_megabyte_is_read_in_part_and_said() -> None:
    text = "kind: List\nitems:\n" + "".join(ITEM.format(i) for i in range(25_000))
    facts = yaml_facts(text)
    assert facts.parsed_chars is not None
    assert 900_000 < facts.parsed_chars < len(text)
    items = facts.keys[1].length
    assert items is not None
    assert 15_000 < items < 25_000


def test_documents_name_themselves() -> None:
    facts = yaml_facts(
        "apiVersion: v1\nkind: Service\nmetadata:\n  labels:\n    name: no\n  name: web\n---\n"
        "kind: Deployment\nmetadata:\n  name: 'api'\nspec: {}\n---\n# empty\n---\nfoo: 1\n"
    )
    assert (facts.documents, facts.document_names) == (3, ["Service/web", "Deployment/api"])


@pytest.mark.parametrize(
    ("end", "line"),
    [('  text: "not closed\n    at all\n', 9), ("  tags: [a, b,\n", 9), ("  na", 9), ("  x: {\n    a: 1,\n", 9)],
)
def test_a_cut_at_the_end_is_said(end: str, line: int) -> None:
    text = "# é\n" + "".join(f"- name: n{i}\n  value: {i}\n" for i in range(4)) + end
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "yaml"
    assert synopsis.broken is not None
    assert (synopsis.broken.of, synopsis.broken.line) == ("yaml", line)
    assert synopsis.broken.offset == len("\n".join(text.split("\n")[:line])) + 1


def test_a_cut_at_the_start_is_said() -> None:
    text = "age: x\n      env:\n      - a: 1\n  other:\n    b: 2\nkind: Pod\nspec:\n  c: 3\nstatus:\n  d: 4\n  e: 5\n"
    facts = yaml_facts(text)
    assert (facts.skipped_lines, [key.name for key in facts.keys]) == (5, ["kind", "spec", "status"])


def test_a_cut_inside_a_block_of_text_is_said() -> None:
    prose = "".join(f"      and so the words of line {i} go on, and on.\n" for i in range(8))
    facts = yaml_facts(f"of it.\n{prose}  other:\n    b: 2\n" + "".join(f"k{i}:\n  c: {i}\n" for i in range(12)))
    assert (facts.skipped_lines, facts.length) == (11, 12)


def test_the_end_that_a_tool_added_is_no_yaml() -> None:
    synopsis = synopsize(b"a:\n  b: 1\nc:\n  d: 2\n\n(exit code 1)\n")
    assert synopsis.kind == "yaml"
    assert synopsis.outcome == ["(exit code 1)"]


@pytest.mark.parametrize(
    "text",
    [
        "%YAML 1.1\n---\na: &x {b: 1}\nc: *x\n",
        "a: 1\r\nb:\r\n  - c\r\n",
        "on: [push]\njobs:\n  x:\n    steps:\n    - run: |\n        Some words, and more.\n        - not: [an item\n",
        "- hosts: all\n  tasks:\n  - name: Install it now, and do it well.\n    apt: {name: x}\n",
        "# how it is set\nlive: true\n",
        "<<: *base\nkey:\n  a: 1\n",
        "data:\n  run.py: |\n" + "    import os, sys\n    def f(): return 1\n" * 50 + "kind: ConfigMap\n",
    ],
)
def test_what_a_person_calls_yaml_is_yaml(text: str) -> None:
    assert yaml_facts(text).type in ("mapping", "sequence")


NO_YAML = {
    "mail": "From: a@b.org\nTo: c@d.org\nSubject: About it\nMessage-Id: <1@b.org>\n\nHello, there.\n",
    "HTTP headers": "Content-Type: text/html\nContent-Length: 12\nServer: nginx\nX-Frame-Options: DENY\n",
    "control file": "Package: bash\nVersion: 5.2\nInstalled-Size: 7164\nMaintainer: A B <a@b.org>\n",
    "pip show": "Name: msgspec\nVersion: 0.19\nHome-page: https://x.org\nLicense: BSD\nRequires:\nRequired-by: y\n",
    "kubectl describe": "Name:         web\nNamespace:    default\nPriority:     0\nNode:         n1/10.0.0.1\n",
    "/proc/meminfo": "MemTotal:       16384 kB\nMemFree:         1024 kB\nBuffers:          100 kB\n",
    "prose": "Note: this is a long sentence, with words.\nAlso: another sentence follows here, with more.\n",
    "long log": "info: started\nwarning: slow\n" * 3000,
    "log": "info: started the server now\ninfo: listening on port 80\nerror: it failed\n",
    "front matter": "---\ntitle: x\ndate: 2024-01-01\n---\n# Heading\n\nSome text.\n",
    "template": "a:\n{{- if .Values.x }}\n  b: {{ .Values.y }}\n{{- end }}\n",
    "objects of JavaScript": "{\n  target: {\n    flags: [],\n    name: 'Release'\n  }\n}\n",
    "inside of a Python dict": " 'HAVE_A': 1,\n 'HAVE_B': 0,\n 'HAVE_C': 'x',\n 'HAVE_D': 1,\n" * 5,
    "Python dict": "{'a': 1, 'b': {'c': 2}}\n",
    "properties": "a.b=1\nc.d=x y\n",
    "tasks": "- [ ] one thing to do\n- [x] another thing\n",
    "wordy list": "- the first of all the things here\n- the second of all the things here\n",
    "search paths": "install: /usr/lib/\nprograms: =/usr/lib:/usr/bin\nlibraries: =/lib:/usr/lib\n",
    "certificate": "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial No:\n            8b\n    x y\n",
}


@pytest.mark.parametrize("name", NO_YAML)
def test_what_only_looks_like_yaml_is_none(name: str) -> None:
    assert synopsize(NO_YAML[name].encode()).kind != "yaml"


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "a:\n- " + "- " * 100_000,
        "a: &a [x]\n" + "".join(f"a{i}: &a{i} [{'*a,' * 9}*a]\n" for i in range(2000)),
        "".join(" " * i + "k:\n" for i in range(1400)),
        "k: " + "'" * 200_001,
        "a: 1\n" * 1 + "\tb: 2\n",
        "k" * 1_000_000 + ": 1\nb: 2\n",
        "---\n" * 50_000 + "a: 1\n",
        "a: 1\nb:\n- a" + " " * 1_000_000 + "\n",
        "a: 1\nb: 2\nc" + ":x" * 500_000 + ": 1\n",
    ],
)
def test_hostile_yaml_has_a_synopsis(text: str) -> None:
    assert synopsize(text.encode()).facts is not None


@pytest.mark.parametrize(
    "text",
    [
        'schema: "x"\n\ntitle: an export of it\ndescription: what it would do wi',
        "- tracks: [A, B]\n\n  help:\n    brief: One.\n    examples: |\n      Run:\n\n        $ x y\n\n  re",
        "host_type:\n  api_field: app.hostType\n  arg_name: host-ty",
    ],
)
def test_a_short_document_above_a_truncation_mark_is_yaml_that_is_cut(text: str) -> None:
    synopsis = synopsize(f"{text}\n... [truncated]".encode())
    assert synopsis.kind == "yaml"
    assert synopsis.broken is not None
    assert (synopsis.broken.of, synopsis.broken.reason) == ("yaml", "ends in a truncation mark")


def test_the_dots_that_end_a_document_are_no_truncation_mark() -> None:
    synopsis = synopsize(b"a: 1\nb:\n  c: 2\n...\n")
    assert (synopsis.kind, synopsis.broken) == ("yaml", None)
