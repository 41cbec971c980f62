"""Entries are counted as the parser composes them, by whichever way."""

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.effort import unhurried
from coatcheck_core.synopsis.yaml import checking
from coatcheck_core.synopsis.yaml.borders import entries
from coatcheck_core.synopsis.yaml.documents import split_documents

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.sampled_from("ab: -#'\"\n|é[{"), max_size=12)
KEYS = st.text(st.sampled_from("abc:-# '\"é0"), min_size=1, max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
ROOTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=8) | st.lists(VALUES, min_size=1, max_size=8)
STYLES = st.sampled_from([None, False])
LINES = st.lists(
    st.sampled_from(
        [
            "a: 1\n",
            "b:\n",
            "  c: 2\n",
            "- d\n",
            "  - e\n",
            "f: |\n",
            "    g: h\n",
            'i: "j\n',
            'k: l"\n',
            "m: [\n",
            "]\n",
            "# n\n",
            "\n",
        ]
    ),
    max_size=12,
).map("".join)


@given(ROOTS, STYLES)
@settings(max_examples=120, deadline=None)
def test_entries_that_are_found_true_are_those_composed(root: Any, style: bool | None) -> None:
    text = yaml.dump(root, Dumper=yaml.CSafeDumper, default_flow_style=style, allow_unicode=True).encode()
    top = entries(text, 0, len(text))
    if top is not None and checking.check(text, top, unhurried):
        assert (len(top.starts), top.is_mapping) == (len(root), isinstance(root, dict))


@given(LINES)
@settings(max_examples=200, deadline=None)
def test_lines_that_hold_for_entries_are_entries(text: str) -> None:
    data = text.encode()
    top = entries(data, 0, len(data))
    try:
        is_true = checking.check(data, top, unhurried)
    except checking.NotYaml:
        return
    if top is not None and is_true:
        node = yaml.compose(data, Loader=yaml.CSafeLoader)
        assert node is not None
        assert len(node.value) == len(top.starts)


@given(st.lists(ROOTS, min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_documents_are_those_of_the_parser(roots: list[Any]) -> None:
    text = yaml.dump_all(roots, Dumper=yaml.CSafeDumper, explicit_start=True).encode()
    assert len(split_documents(text)) == len(roots)
