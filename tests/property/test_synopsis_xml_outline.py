"""XML read in blocks says what ElementTree says of the whole, wherever a block ends and a document is cut."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from xml.parsers import expat

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.effort import unhurried
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.xml import finding, outline, runs, tags, verdict
from coatcheck_core.synopsis.xml.prolog import read_prolog
from coatcheck_core.synopsis.xml.reading import Xml, read_xml
from coatcheck_core.synopsis.xml.verdict import find_fault
from coatcheck_schemas.synopsis import TagCount, XmlFacts

NAMES = st.sampled_from(["a", "b", "item", "items", "x:a", "é", "a-b.c"])
TEXTS = st.sampled_from(["", " ", "text", "a > b", "&amp; &#65;", "]] >", "世界\n", "\t"])
VALUES = st.sampled_from(["", "1", "a > b", "/>", "x/y", "'", "&lt;a&gt;", "é"])
CONSTRUCTS = st.sampled_from(
    ["<!-- <a> -->", "<!---->", "<![CDATA[</a><a/> ]] ]]>", "<![CDATA[]]>", "<?go <a> ?>", "<?x?>", "<!-- > ' \" -->"]
)


def start_tag(name: str, values: list[str], space: str) -> str:
    return "<" + name + "".join(f'{space}n{at}="{value}"' for at, value in enumerate(values))


def joined(name: str, values: list[str], space: str, content: list[str] | None) -> str:
    start = start_tag(name, values, space)
    return f"{start}{space}/>" if content is None else f"{start}>{''.join(content)}</{name}{space if values else ''}>"


ELEMENTS = st.recursive(
    st.builds(joined, NAMES, st.lists(VALUES, max_size=2), st.sampled_from([" ", "\n"]), st.none()),
    lambda inner: st.builds(
        joined,
        NAMES,
        st.lists(VALUES, max_size=2),
        st.just(" "),
        st.lists(st.one_of(inner, inner, TEXTS, CONSTRUCTS), max_size=7),
    ),
    max_leaves=12,
)
REPEATED = st.builds(
    lambda element, space, count: [element + space] * count, ELEMENTS, st.sampled_from(["", "\n  "]), st.integers(5, 40)
)
"""Siblings all alike, as lists of records are."""
PARTS = st.one_of(ELEMENTS, REPEATED, REPEATED, TEXTS, CONSTRUCTS).map(lambda part: "".join(part))
DOCUMENTS = st.builds(
    lambda head, before, content, after: f'{head}{before}<r xmlns:x="u" k=">">{"".join(content)}</r>{after}',
    st.sampled_from(
        ["", '<?xml version="1.0" encoding="UTF-16"?>\n', "<?xml version='1.1'?><!DOCTYPE r [<!-- ' -->]>"]
    ),
    st.sampled_from(["", "\n", "<!-- <no/> -->", "<?xml-stylesheet href='a'?>"]),
    st.lists(PARTS, max_size=6),
    st.sampled_from(["", "\n", "<!-- end <a/> -->\n"]),
)


@pytest.fixture(params=[32, 256 * 1024], ids=lambda size: f"blocks of {size}")
def in_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "BLOCK_BYTES", request.param)
    monkeypatch.setattr(finding, "FOUND_BYTES", request.param)
    monkeypatch.setattr(tags, "TAGS_BYTES", request.param)
    monkeypatch.setattr(runs, "BLOCK_BYTES", request.param)
    monkeypatch.setattr(runs, "FIRST_WINDOW_BYTES", request.param)


def read(text: str) -> Xml:
    return read_xml(Seen(text.encode()))


def facts_of(text: str) -> XmlFacts:
    synopsis = read(text).synopsis
    assert synopsis is not None
    assert isinstance(synopsis.facts, XmlFacts)
    return synopsis.facts


def parsed(text: str) -> ElementTree.Element:
    """By the obvious implementation, which takes no declaration but that of the text's own encoding."""
    return ElementTree.fromstring(re.sub(r"^<\?xml.*?\?>", "", text))


def counts(elements: ElementTree.Element) -> dict[str, int]:
    return dict(Counter(child.tag.replace("{u}", "x:") for child in elements))


def shown(children: list[TagCount]) -> dict[str, int]:
    return {child.tag: child.count for child in children}


def firsts(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """The first child of each tag."""
    met = set()
    for child in root:
        if child.tag not in met:
            met.add(child.tag)
            yield child


@pytest.mark.usefixtures("in_blocks")
class TestInBlocks:
    @given(DOCUMENTS)
    @settings(max_examples=30, deadline=None)
    def test_a_document_is_counted_as_element_tree_does(self, text: str) -> None:
        facts, root = facts_of(text), parsed(text)
        assert (facts.root, facts.attributes, facts.namespace_count) == ("r", 1, 1)
        assert facts.elements == sum(1 for _ in root.iter())
        assert shown(facts.children) == counts(root)
        assert facts.child_tags == len(facts.children)

    @given(DOCUMENTS)
    @settings(max_examples=30, deadline=None)
    def test_the_first_of_each_tag_has_the_children_and_attributes_that_element_tree_finds(self, text: str) -> None:
        for child, element in zip(facts_of(text).children, firsts(parsed(text)), strict=True):
            assert child.attribute_count == len(element.attrib)
            assert child.child_tags == len(counts(element))
            assert shown(child.children) == dict(list(counts(element).items())[:8])
            if len(element) == 0:
                assert (child.text or "") == " ".join("".join(element.itertext()).split())

    @given(DOCUMENTS, st.data())
    @settings(max_examples=30, deadline=None)
    def test_a_cut_document_tells_what_was_whole_before_the_cut(self, text: str, data: st.DataObject) -> None:
        cut = text[: data.draw(st.integers(text.index("<r") + 1, text.rindex("</r>")))]
        broken = read(cut).broken
        started = starts(cut)
        if broken is None:
            assert len(started) < 3
            return
        details = {detail.name: detail for detail in broken.read}
        assert details["elements"].count == len(started)
        level = Counter(tag for depth, tag in started if depth == 1)
        assert details["children"].values == [f"{tag}: {count}" for tag, count in list(level.items())[:8]]
        assert cut.startswith(text[: broken.offset])
        assert broken.line == cut.count("\n", 0, broken.offset)

    @given(DOCUMENTS, st.data())
    @settings(max_examples=30, deadline=None)
    def test_a_text_is_well_formed_where_expat_takes_it(self, text: str, data: st.DataObject) -> None:
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        changed = (
            text[:first]
            + data.draw(
                st.sampled_from(
                    ["", "<", ">", "</a>", "&e;", '"', "]]>", "--", "<b>", "<![CDATA[", "<!--", "?>", "\x01", "\uffff"]
                )
            )
            + text[last:]
        )
        prolog = read_prolog(changed.encode(), 0, unhurried)
        if prolog is None or prolog.doctype is not None:
            return
        assert (find_fault(changed.encode(), prolog, unhurried) is None) == expat_takes(changed.encode()[prolog.body :])


PIECES = [
    *("<a/>", "<a x='1'/>", "<a>t</a>", "<a>\n</a>", "<a><a/></a>", "<a><b/></a>", "<a><ab/></a>", "<b/>", "<ab/>"),
    *("<a>/></a>", "<a>/><a/></a>", "<a x='>'/>", "<a x='/>'></a>", "<a ></a >", "<a>t</a >", "</p><p>", "<ab>t</ab>"),
    *("<b><a/></b>", "<b><a>t</a></b>", "<!-- <a/> -->", "<!-- </a><a> -->", "<![CDATA[</a>\n<a>]]>", "text"),
]
ROWS = st.lists(
    st.tuples(st.lists(st.sampled_from(PIECES), min_size=1, max_size=2), st.integers(1, 12)), min_size=1, max_size=5
)


@given(
    st.sampled_from(["p", "a"]), ROWS, st.sampled_from(["", "\n"]), st.integers(0, 2), st.sampled_from([8, 64, 1024])
)
@example("a", [(["<a/>"], 1), (["<a>t</a>", "<a/>"], 1)], "", 0, 1024)
@example("p", [(["<a/>"], 2), (["<a>/><a>/><a>/></a></a></a>"], 1)], "", 0, 1024)
@settings(max_examples=120, deadline=None)
def test_siblings_alike_are_counted_as_one_by_one(
    parent: str, rows: list[tuple[list[str], int]], space: str, deep: int, size: int
) -> None:
    """Whatever stands between them, in them, or around them, and however often."""
    inside = "".join((piece + space) * count for pieces, count in rows for piece in ["".join(pieces)])
    inside = inside.replace("</p><p>", f"</{parent}><{parent}>")
    text = f"<r>{'<a>' * deep}<{parent}>{inside}</{parent}>{'</a>' * deep}<a/></r>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "LEAST_ALIKE", 1)
        patch.setattr(runs, "FIRST_WINDOW_BYTES", 8)
        patch.setattr(tags, "TAGS_BYTES", size)
        facts, root = facts_of(text), parsed(text)
    assert shown(facts.children) == counts(root)
    assert [shown(child.children) for child in facts.children] == [counts(element) for element in firsts(root)]
    assert facts.elements == sum(1 for _ in root.iter())


def starts(text: str) -> list[tuple[int, str]]:
    """Depth and tag of each element whose start tag expat has read."""
    found: list[tuple[int, str]] = []
    depth = 0

    def start(tag: str, _: object) -> None:
        nonlocal depth
        found.append((depth, tag))
        depth += 1

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(re.sub(r"^<\?xml.*?\?>", "", text).encode())
    return found


def expat_takes(data: bytes) -> bool:
    try:
        expat.ParserCreate("utf-8").Parse(data, True)
    except expat.ExpatError:
        return False
    return True
