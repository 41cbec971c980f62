"""Documents of every kind as tools give them, of any size: harmless, with something of everything in them."""

from .making import Maker, filled, numbered

_RECORD = '{"id": 1, "name": "é\\ud83d\\ude00", "tags": ["a", "b"], "spec": {"on": true, "n": 1.5e3, "none": null}}'

DOCUMENTS: dict[str, Maker] = {
    "json array": filled(f"  {_RECORD},\n", "[\n", f"  {_RECORD}\n]\n"),
    "json object": numbered('"k{i}": {"a": [1, {"b": 2}], "c": "d"},\n', '{"items": [1, 2], ', '"z": null}'),
    "json and an exit code": filled(f"{_RECORD}, ", '{"items": [', f"{_RECORD}]}}\n[exit code 1]\n"),
    "json, cut": filled(f"{_RECORD}, ", '{"items": ['),
    "ndjson": filled(f"{_RECORD}\n"),
    "ndjson, cut": filled(f"{_RECORD}\n", after='{"id": 2, "na'),
    "csv": numbered("{i},some words,2.5\n", "id,name,value\n"),
    "csv, quoted": numbered('{i},"a ""word"" of\nmany, words",2\r\n', 'id,"the ""name""",value\r\n'),
    "tsv": numbered("{i}\tsome words\t2.5\n", "id\tname\tvalue\n"),
    "yaml": numbered(
        "- name: n{i}\n  spec: &s\n    - a: 1\n      b: [1, {c: d}]\n    - *s\n  text: |\n    lines\n    more\n"
    ),
    "yaml documents": numbered(
        "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: n{i}\nspec:\n  ports:\n    - port: 80\n"
    ),
    "xml": numbered(
        '  <item id="{i}"><name>é</name><!-- c --><![CDATA[<x>]]><b/></item>\n',
        "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'x'>]>\n<r a='1' xmlns:n='u'>\n",
        "</r>\n",
    ),
    "xml, cut": numbered('  <item id="{i}"><name>é</name></item>\n', "<r a='1'>\n", "  <item"),
    "html": numbered(
        '<h2>Part {i}</h2>\n<p>words <a href="x">y</a></p>\n',
        "<!DOCTYPE html>\n<html><head><title>A title</title></head><body>\n",
        "</body></html>\n",
    ),
    "python": numbered(
        'def f{i}(a: int) -> int:\n    """Words."""\n    return a\n\n\n', "import os\nfrom a import (\n    b,\n)\n\n\n"
    ),
    "go": numbered(
        "// F is.\nfunc (s *S) F{i}(a int) error {\n\treturn nil\n}\n\n",
        'package x\n\nimport (\n\t"fmt"\n\ta "b/c"\n)\n\n',
    ),
    "javascript": numbered(
        "export function f{i}(a) {\n  return a;\n}\n\n", "import a from 'a';\nconst b = require('b');\n\n"
    ),
    "java": numbered(
        "    public int f{i}(int a) {\n        return a;\n    }\n\n",
        "package a.b;\n\nimport c.D;\n\npublic class E {\n",
        "}\n",
    ),
    "sql": numbered("CREATE TABLE t{i} (\n  id INTEGER PRIMARY KEY,\n  name TEXT\n);\n"),
    "shell": numbered('f{i}() {\n  echo "$1"\n}\n', "#!/bin/bash\nset -e\n. ./lib.sh\n"),
    "markdown": numbered("## Part {i}\n\nSome *words* and [a link](b).\n\n```\ncode\n```\n\n", "# Title\n\n"),
    "prose": filled("It was the best of times, it was the worst of times.\nOr so they say.\n\n"),
    "Chinese prose": filled("第一行汉字，没有空格。\n第二行也是如此。\n\n", "第一章 开始\n\n"),
    "log": numbered("2024-01-01 12:00:00,123 INFO [a.b] request {i} done\n", after="ERROR failed\nexit code 2\n"),
    "coloured log": numbered("\x1b[32m2024-01-01 12:00:00\x1b[0m \x1b[1mWARN\x1b[0m request {i}\n"),
    "diff": numbered("diff --git a/x{i} b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"),
    "traceback": numbered(
        '  File "/x.py", line {i}, in f\n    f()\n', "words\nTraceback (most recent call last):\n", "ValueError: bad\n"
    ),
    "test report": numbered(
        "tests/test_x.py::test_{i} PASSED\n",
        "=== test session starts ===\n",
        "FAILED tests/test_x.py::test_y - assert 1\n=== 1 failed, 9 passed in 2.00s ===\n",
    ),
    "table": numbered("web-{i}     1/1     Running   0          2d\n", "NAME      READY   STATUS    RESTARTS   AGE\n"),
    "ini": numbered("[section {i}]\nkey = value\nother: 1\n\n", "; words\n"),
    "toml": numbered('[[items]]\nname = "n{i}"\nsizes = [1, 2]\n\n', 'title = "x"\n\n[owner]\nname = "y"\n\n'),
    "commits": numbered(
        "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b.c>\nDate:   Mon Jan 1 00:00:00 2024 +0000\n\n"
        "    Change number {i}\n\n"
    ),
    "hits": numbered("src/a/b.py:{i}:    def words(self):\n"),
    "paths": numbered("./src/a/file{i}.py\n"),
    "progress": numbered("Downloading  {i}% [=====>    ]\rDownloading [======>   ]\r\n"),
}
