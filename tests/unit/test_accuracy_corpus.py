"""The pieces that the labelled corpus is built of."""

import json
from pathlib import Path

import pytest
from accuracy.checks import checked
from accuracy.commands.running import Command, command_sources
from accuracy.converted import converted_sources
from accuracy.corpus import build, load
from accuracy.cuts import cuts_of, part_label
from accuracy.files import file_sources
from accuracy.prefixes import EVERY_LENGTH, develop_prefixes, failures, prefix_lengths
from accuracy.rendered import rendered_sources
from accuracy.rules import RULES, rule_of
from accuracy.texts import GRADED, Label, Source, half_of


def source(label: str, data: bytes) -> Source:
    return Source(name="x", label=Label.parse(label), data=data, key=data)


def test_the_first_rule_that_matches_a_name_gives_its_label() -> None:
    labels = {name: rule_of(name) for name in ("a.py", "b.tar.gz", "Makefile", "x.json", "package.json", "c.unheard")}
    shown = {name: str(rule.label) if rule else None for name, rule in labels.items()}
    assert shown == {
        "a.py": "code/python",
        "b.tar.gz": "unknown/*",
        "Makefile": "code/*",
        "x.json": "json/-",
        "package.json": "json/-",
        "c.unheard": None,
    }


def test_every_rule_takes_some_files() -> None:
    assert all(rule.quota > 0 for rule in RULES)


@pytest.mark.parametrize("written", ["prose", "text/fortran77", "code/python|cobol"])
def test_a_label_of_no_known_kind_or_format_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="no such"):
        Label.parse(written)


def test_the_first_format_of_a_label_is_the_one_that_is_graded() -> None:
    assert [Label.parse(written).graded for written in ("code/c|cpp", "text/-|ini", "text/*", "json")] == [
        "c",
        None,
        None,
        None,
    ]


def test_all_cuts_of_a_source_are_in_one_half(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"m{number}.py").write_text(f"import os\n\nNUMBER = {number}\n" * 60)
    build(tmp_path / "corpus", [tmp_path])
    halves: dict[str, set[str]] = {}
    for text in load(tmp_path / "corpus").texts:
        halves.setdefault(text.name, set()).add(text.half)
    assert len(halves) > 1
    assert all(len(found) == 1 for found in halves.values())


def test_the_halves_are_about_as_large() -> None:
    develop = sum(half_of(str(number).encode()) == "develop" for number in range(1000))
    assert 400 < develop < 600


def test_the_same_trees_give_the_same_texts(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.md").write_text(f"# Title {number}\n\nSome words, and more of them.\n" * 9)
    assert list(file_sources([tmp_path])) == list(file_sources([tmp_path]))


def test_at_most_some_files_of_one_folder_are_taken(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.sql").write_text(f"SELECT {number} FROM t;\n" * 30)
    assert len(list(file_sources([tmp_path]))) == 3


@pytest.mark.parametrize(
    ("label", "name", "text", "right"),
    [
        ("text/ini|-", "a.conf", "<?xml version='1.0'?><fonts><dir>x</dir></fonts>", "xml/*"),
        ("text/ini|-", "a.cfg", "[a]\nb = 1\n", "text/ini"),
        ("text/ini|-", "a.conf", "listen 80;\n", "text/-"),
        ("text/html", "a.html", "<html><body><p>one<p>two</body></html>", "text/html"),
        ("text/html", "a.html", "<html><body><p>one&nbsp;</p></body></html>", "xml/html|-"),
        ("text/markdown", "LICENSE.md", "You may copy this.\n", "text/-|markdown"),
        ("json", "a.json", "{'a': 1}", None),
        ("csv", "a.csv", "a,b,c\n1,2\n3\n4,5\n6\n", "text/*"),
        ("csv", "a.csv", "a;b\n1;x,y,z\n2;x\n", "csv/-"),
        ("text/*", "INSTALL", "#!/usr/bin/env python3\nprint(1)\n", "code/python"),
        ("yaml", "a.yml", "just a sentence\n", None),
        ("text/*", "a.txt", "\0", "unknown/*"),
    ],
)
def test_content_goes_before_the_name(label: str, name: str, text: str, right: str | None) -> None:
    found = checked(Label.parse(label), name, text.encode())
    assert (str(found) if found else None) == right


def test_a_cut_document_is_truncated_text_and_its_rest_is_just_text() -> None:
    whole = json.dumps([{"name": f"item {n}", "n": n} for n in range(400)], indent=1)
    assert part_label(Label.parse("json"), whole[:5000], is_start=True) == Label.parse("text/json-truncated")
    assert part_label(Label.parse("json"), whole[5000:], is_start=False) == Label.parse("text/*")


def test_whole_elements_side_by_side_are_xml() -> None:
    part = '  <item n="1">one item of many</item>\n' * 9
    assert part_label(Label.parse("xml/*"), part, is_start=False) == Label.parse("xml/*")
    assert part_label(Label.parse("xml/*"), part + "</list>", is_start=False) == Label.parse("text/*")


def test_cut_records_stay_records() -> None:
    lines = "".join(f'{{"n": {n}, "name": "item"}}\n' for n in range(400))
    assert part_label(Label.parse("json/ndjson"), lines[:5005], is_start=True) == Label.parse("json/ndjson")


def test_part_of_a_code_file_that_is_all_numbers_has_no_label() -> None:
    assert part_label(Label.parse("code/perl"), "12345\n" * 90, is_start=False) is None


def test_each_source_comes_whole_and_cut_or_dressed() -> None:
    text = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(200)).encode()
    cuts = [name for name, _, _ in cuts_of(source("code/python", text))]
    assert cuts[0] == "whole"
    assert len(cuts) > 1


def test_converted_tables_are_of_every_kind_that_files_are_rare_of() -> None:
    kinds = {converted.label.kind for converted in converted_sources()}
    assert kinds == {"json", "csv", "tsv", "yaml", "xml", "text"}


def test_rendered_texts_are_the_same_at_each_build() -> None:
    assert list(rendered_sources()) == list(rendered_sources())


def test_what_a_command_prints_is_keyed_by_its_line(tmp_path: Path) -> None:
    commands = [
        Command("echo", "echo $RANDOM some words that are long enough to be kept", "text/*"),
        Command("unheard-of-program", "unheard-of-program", "text/*"),
    ]
    sources, missing = command_sources(commands, tmp_path)
    assert [(printed.key, printed.command) for printed in sources] == [(commands[0].line.encode(), "echo")]
    assert missing == ["unheard-of-program (not installed)"]


def test_a_command_sees_none_of_the_callers_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "value")
    ((printed,), _) = command_sources([Command("env", "env; echo padding padding padding padding", "text/*")], tmp_path)
    assert b"SECRET_OF_MINE" not in printed.data


def test_prefixes_are_all_short_ones_and_some_long_ones_up_to_the_whole() -> None:
    assert list(prefix_lengths(5)) == [0, 1, 2, 3, 4, 5]
    lengths = list(prefix_lengths(1_000_000))
    assert lengths[: EVERY_LENGTH + 1] == list(range(EVERY_LENGTH + 1))
    assert lengths[-1] == 1_000_000
    assert len(lengths) < EVERY_LENGTH + 100


def test_every_prefix_of_the_develop_half_comes_and_does_no_harm(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.json").write_text(json.dumps({"name": "über", "items": [number] * 40}))
    build(tmp_path / "corpus", [tmp_path])
    prefixes = [(text, data) for text, data in develop_prefixes(tmp_path / "corpus") if text.cut == "whole"]
    assert {len(data) for _, data in prefixes} == set(range(max(text.bytes for text, _ in prefixes) + 1))
    assert list(failures(prefixes[:200], 60)) == []


def test_graded_formats_are_those_of_text_code_and_records() -> None:
    assert {"ndjson", "html", "markdown", "diff", "log", "traceback", "table", "ini", "toml"} < GRADED
