"""What tools print that is too long to be read whole, made small: a list of names and texts of `count` records each."""

import csv
import io
import json
import random
from collections.abc import Iterator
from typing import Any

import yaml

WORDS = ["alpha", "beta", "gamma", "delta", "error", "warning", "über", "日本", "node", "server", "request", "timeout"]


def record(number: int, chosen: random.Random) -> dict[str, Any]:
    return {
        "id": number,
        "name": chosen.choice(WORDS),
        "tags": [chosen.choice(WORDS) for _ in range(number % 4)],
        "ok": number % 3 == 0,
        "price": number * 1.5,
        "note": None,
        "address": {"city": chosen.choice(WORDS), "zip": str(10000 + number)},
        "said": 'she said: "hi", {ok]\n' * (number % 2),
    }


def large_files(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    chosen = random.Random(seed)
    records = [record(number, chosen) for number in range(count)]
    yield from _json(records)
    yield from _tables(records)
    yield from _markup(records)
    yield from _yaml(records[:200])
    yield from _code(count)
    yield from _texts(count, chosen)


def _json(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    count = len(records)
    lines = "".join(json.dumps(each) + "\n" for each in records)
    yield "json: array on one line", json.dumps(records)
    yield "json: array, indented", json.dumps(records, indent=2)
    yield "json: Chinese", json.dumps(records, indent=1, ensure_ascii=False)
    yield "json: object with a long member", json.dumps({"v": {"n": 1}, "items": records, "total": count}, indent=1)
    yield "json: object on one line", json.dumps({"v": {"n": 1}, "items": records}, separators=(",", ":"))
    yield "json: many keys", json.dumps({f"key{number}": each for number, each in enumerate(records)})
    yield "json: numbers", json.dumps(list(range(20 * count)))
    yield "json: one long string", json.dumps({"a": 1, "data": "QUJD" * 30 * count, "z": 2})
    yield "json: one long item", json.dumps([{"rows": records, "n": 1}])
    yield "json: not strict", json.dumps([{"x": float("nan"), "y": number} for number in range(count)])
    yield "json: with an exit code", json.dumps(records, indent=2) + "\nexit code: 1\n"
    yield "json: cut", json.dumps(records, indent=2)[:-200]
    yield "json: cut behind a bracket", json.dumps({"items": records})[:-2]
    yield "json: NDJSON", lines
    yield "json: NDJSON, cut", lines[:-30]
    yield "json: NDJSON with words below", lines + "3 records failed\n"
    yield "json: documents", "".join(json.dumps(each, indent=1) + "\n" for each in records)


def _tables(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for name, delimiter in (("csv: commas", ","), ("csv: semicolons", ";"), ("tsv", "\t")):
        for manner, note in (("", "x"), (", quoted", f"a {delimiter} b"), (", quoted newlines", f"a {delimiter}\nb ")):
            written = io.StringIO()
            rows = csv.writer(written, delimiter=delimiter, lineterminator="\n")
            rows.writerow(["id", "name", "note", "when"])
            rows.writerows([each["id"], each["name"], note, f"2026-01-{each['id'] % 28 + 1:02d}"] for each in records)
            yield name + manner, written.getvalue()
    yield "csv: with a count", "a,b\n" + "".join(f"{each['id']},x\n" for each in records) + "(300 rows)"


def _markup(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    items = "".join(f"<item id='{each['id']}'><name>{each['name']}</name><v>1</v></item>" for each in records)
    entries = "".join(
        f"  <entry>\n    <t>{each['name']}</t>\n    <![CDATA[ x < y ]]>\n  </entry>\n" for each in records
    )
    failed = ("<failure message='bad'/>" if each["ok"] else "" for each in records)
    cases = "".join(f"<testcase name='t' classname='c'>{result}</testcase>\n" for result in failed)
    yield "xml", f"<?xml version='1.0'?><items>{items}</items>"
    yield "xml: indented", f"<feed xmlns='http://a'>\n{entries}</feed>\n"
    yield "xml: cut", f"<?xml version='1.0'?><items>{items}"
    yield "xml: with words below", f"<?xml version='1.0'?>\n<items>{items}</items>\nDone in 3s\n"
    yield "xml: junit", f"<testsuite name='a' tests='3'>{cases}</testsuite>"
    yield "xml: documents", "".join(f"<?xml version='1.0'?>\n<r><a>{each['id']}</a></r>\n" for each in records)
    paragraphs = "".join(f"<p>{each['name']}<br><a href='x'>l</a>\n" for each in records)
    yield "html", f"<!DOCTYPE html><html><head><title>A</title></head><body>{paragraphs}</body></html>"


def _yaml(records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    yield "yaml: sequence", yaml.dump(records, allow_unicode=True)
    yield "yaml: mapping", yaml.dump({f"key{each['id']}": each for each in records})
    pod = "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p{}\nspec:\n  x: 1\n"
    yield "yaml: documents", "".join(pod.format(each["id"]) for each in records)
    yield "yaml: one key", "items:\n" + "".join(f"- name: a{each['id']}\n  v: 1\n  w: [1, 2]\n" for each in records)


def _code(count: int) -> Iterator[tuple[str, str]]:
    python = "def f{}(a, b=None):\n    '''Doc.'''\n    if a > 1:\n        return [x for x in b]\n    return None\n\n\n"
    script = "function f{}(x) {{\n  const y = x.map(z => z + 1);\n  return y;\n}}\n\n"
    yield "code: python", "import os\nimport sys\n\n" + "".join(map(python.format, range(count)))
    yield "code: javascript", "const a = require('a');\n" + "".join(map(script.format, range(count)))


def _texts(count: int, chosen: random.Random) -> Iterator[tuple[str, str]]:
    stamps = (f"2026-01-01T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z" for number in range(count))
    log = (f"{stamp} {chosen.choice(['INFO', 'WARN', 'ERROR'])} [worker] {chosen.choice(WORDS)}\n" for stamp in stamps)
    yield "text: log", "".join(log)
    yield "text: prose", "The quick brown fox jumps over the lazy dog. It was late, and rain fell. " * count
    section = "## Section {}\n\nSome text and more words to read.\n\n- a\n- b\n\n"
    yield "text: markdown", "# Title\n\n" + "".join(map(section.format, range(count)))
    passed = "".join(f"tests/test_a.py::test_{number} PASSED [ 50%]\n" for number in range(count))
    yield "text: tests", f"===== test session starts =====\n{passed}===== 1 failed, {count} passed in 3.2s =====\n"
    change = "diff --git a/f{0}.py b/f{0}.py\n--- a/f{0}.py\n+++ b/f{0}.py\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"
    yield "text: diff", "".join(map(change.format, range(count)))
