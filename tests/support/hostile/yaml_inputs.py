"""YAML that refers to itself, nests, opens without closing, or has a million documents."""

from .making import Maker, beside, filled, nested, numbered, once


def alias_bomb(levels: int, wide: int = 9) -> str:
    rows = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * wide)}]\n" for i in range(1, levels))
    return f"a0: &a0 [x, x]\n{rows}"


def _stairs(size: int, step: str) -> bytes:
    """A key in a key: the indentation alone makes it quadratic, so that some thousands are all that fit."""
    lines: list[str] = []
    left = size
    while left > 0 and len(lines) < 20_000:
        lines.append(" " * len(lines) + step)
        left -= len(lines) + len(step)
    return ("\n".join(lines) + "\n").encode()


YAML: dict[str, Maker] = {
    "alias bomb": once(alias_bomb(25)),
    "alias bomb, wide": once(alias_bomb(10, 3000)),
    "alias to itself": once("a: &a [*a, *a]\nb: 1\n"),
    "aliases of nothing": filled("*a "),
    "aliases of nothing in a sequence": filled("- *a\n"),
    "many anchors": numbered("k{i}: &a x\n", "z: 1\n"),
    "many distinct anchors": numbered("- &a{i} x\n"),
    "aliases of one anchor": filled("- *a\n", "- &a {x: 1}\n"),
    "an anchor name": filled("a", "k: &", " v\n"),
    "merge keys": filled("- <<: *a\n  c: 1\n", "- &a {x: 1}\n"),
    "merge keys in one mapping": filled("<<: *a\n", "a: &a {x: 1}\n"),
    "deep mapping": lambda size: _stairs(size, "k:"),
    "deep sequence": lambda size: _stairs(size, "-"),
    "deep flow sequence": filled("[", "a: "),
    "deep flow sequence, 100,000 levels": lambda size: b"a: " + nested("[", "]", levels=100_000)(size) + b"\n",
    "deep flow sequence, 1,000 levels": lambda size: b"a: " + nested("[", "]", levels=1_000)(size) + b"\nb: 1\n",
    "deep flow mapping": filled("{a: ", "a: "),
    "deep flow mapping, 100,000 levels": lambda size: b"a: " + nested("{a: ", "}", levels=100_000)(size) + b"\n",
    "deep flow, mixed": filled("[{a: ", "- "),
    "braces in flow": filled("{", "a: "),
    "dashes in a line": filled("- "),
    "dashes in a line below a key": filled("- ", "a:\n  "),
    "question marks in a line": filled("? "),
    "question marks and dashes": filled("? - "),
    "colons in a line": filled(": "),
    "colons and dashes": filled(": - "),
    "keys in a line": filled("a: "),
    "keys without value": filled("a:\n"),
    "distinct keys": numbered("k{i}: v\n"),
    "distinct keys of mappings": numbered("k{i}:\n  a: 1\n  b: [1, 2]\n"),
    "the same key": filled("a: 1\n"),
    "a key": lambda size: b"k" * size + b": 1\nz: 2\n",
    "a quoted key": lambda size: b'"' + b"k" * size + b'": 1\nz: 2\n',
    "an explicit key": lambda size: b"? " + b"k" * size + b"\n: 1\n",
    "keys as long as a simple one may be": filled("k" * 1020 + ": 1\n"),
    "documents": filled("---\n"),
    "documents of a scalar": filled("---\na\n"),
    "documents of a key": filled("---\na: 1\n"),
    "document ends": filled("...\n"),
    "document starts and ends": filled("---\na: 1\n...\n"),
    "documents like those of Kubernetes": numbered(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{i}\n  namespace: x\ndata:\n  a: b\n---\n"
    ),
    "directives": filled("%YAML 1.2\n"),
    "directives and documents": filled("%YAML 1.1\n---\na: 1\n...\n"),
    "tag directives": numbered("%TAG !e{i}! tag:x,2000:\n", "", "---\na: 1\n"),
    "tags": filled("- !!python/object/apply:os.system ['true']\n"),
    "tags one after another": filled("!!a "),
    "a tag": filled("a", "k: !", " v\n"),
    "a verbatim tag without end": filled("a", "k: !<"),
    "a plain scalar": filled("x ", "a: "),
    "a plain scalar of lines": filled("  words words\n", "a: words\n", "b: 1\n"),
    "a literal block": filled("  words: words\n", "a: |\n", "b: 1\n"),
    "a folded block": filled("  - words\n\n", "a: >-\n", "b: 1\n"),
    "a literal block of blank lines": filled("\n", "a: |\n", "b: 1\n"),
    "literal blocks": filled("- |\n  x\n"),
    "an indentation indicator": filled(" x\n", "a: |9\n"),
    "a single quote without end": filled("x ", "a: '"),
    "a double quote without end": filled("x\n", 'a: "'),
    "quotes": filled('"a": "b"\n'),
    "escapes": filled("\\U0001F600", 'a: "', '"\nb: 1\n'),
    "wrong escapes": filled("\\q", 'a: "', '"\nb: 1\n'),
    "comments": filled("# c\n", "a: 1\n"),
    "comments before": filled("# c\n", "", "a: 1\nb: {c: 1}\n"),
    "comment signs in a line": filled(" #", "a: 1"),
    "tabs as indentation": filled("a:\n\t- b\n"),
    "items": filled("- a\n"),
    "items of mappings": filled("- name: x\n  value: 1\n  tags: [a, b]\n"),
    "nested items": filled("- a:\n    - b:\n        c: 1\n"),
    "items in flow": filled("x, ", "a: [", "x]\nb: 1\n"),
    "pairs in flow": filled("x: 1, ", "a: {", "x: 1}\nb: 1\n"),
    "distinct pairs in flow": numbered("x{i}: 1, ", "a: {", "x: 1}\nb: 1\n"),
    "items in flow, not closed": filled("x, ", "a: ["),
    "line separators": filled("a: 1\u2028b: 2\u2029", "c: 1\n"),
    "NEL as a line end": filled("a: 1\x85"),
    "byte order marks inside": filled("\ufeffa: 1\n"),
    "carriage returns": filled("a: 1\r"),
    "Helm templates": filled("a: {{ .Values.x | quote }}\n{{- if .Values.y }}\nb: 1\n{{- end }}\n"),
    "key: value prose": filled("Note: this is a sentence, and it has words.\n"),
    "front matter": filled("# Title\n\nwords\n\n", "---\ntitle: x\n---\n"),
    "YAML then JSON": beside(filled("a: 1\n"), filled('{"a": 1}\n')),
    "numbers like times": filled("- 1:2:3:4:5\n- 0x_\n- 1e\n"),
    "a number of digits": filled("1", "a: ", "\nb: {c: 1}\n"),
    "numbers of underscores": filled("_", "a: 1", "\nb: {c: 1}\n"),
    "a ladder of dots": filled(".", "a: 1", "\nb: {c: 1}\n"),
}
