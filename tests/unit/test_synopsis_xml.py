"""What is XML and what only begins like it, what is said of it, and where a broken one breaks."""

import socket

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.xml.html import html_details
from coatcheck_core.synopsis.xml.reading import read_xml
from coatcheck_schemas.synopsis import Attribute, Broken, Detail, TagCount, XmlFacts


def facts_of(text: str) -> XmlFacts:
    synopsis = synopsize(text.encode())
    assert synopsis.kind == "xml"
    assert isinstance(synopsis.facts, XmlFacts)
    return synopsis.facts


def broken_of(text: str) -> Broken:
    xml = read_xml(Seen(text.encode()))
    assert xml.synopsis is None
    assert xml.broken is not None
    return xml.broken


def test_namespaces_are_told_apart_from_attributes() -> None:
    facts = facts_of('<x:r xmlns="urn:d" xmlns:x="urn:x" a="1&amp;2" x:b=\'"\'/>')
    assert (facts.root, facts.attributes, facts.namespace_count) == ("x:r", 2, 2)
    assert facts.namespaces == [Attribute(name="xmlns", value="urn:d"), Attribute(name="xmlns:x", value="urn:x")]
    assert facts.root_attributes == [Attribute(name="a", value="1&2"), Attribute(name="x:b", value='"')]


def test_the_first_of_each_tag_shows_what_is_in_it() -> None:
    facts = facts_of('<r><i id="1"><n>x</n><n/></i><i id="2"><other/></i><t>some <![CDATA[<b>]]> text</t></r>')
    first = TagCount(tag="n", count=2, text="x")
    assert facts.children == [
        TagCount(
            tag="i",
            count=2,
            attributes=[Attribute(name="id", value="1")],
            attribute_count=1,
            children=[first],
            child_tags=1,
        ),
        TagCount(tag="t", count=1, text="some <b> text"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<a:b><c:d/></a:b>",
        '<?xml version="1.0" encoding="UTF-16"?><r/>',
        '<?xml version="1.1" standalone="yes"?>\r\n<r/>',
        '\ufeff<?xml version="1.0"?><r/>',
        " \n<r/>",
        '<!DOCTYPE r [<!-- don\'t "> ]> --><?go ]> ?><!ENTITY a "]>">]><r>&a;</r>',
        '<?xml version="1.0"?><!DOCTYPE r PUBLIC "-//X//Y>" "http://127.0.0.1:1/x.dtd"><r>&nbsp;</r>',
        "<r a='>' b=\"/>\">]] ></r><!-- after --> <?pi?>\n",
        "<é>世界</é>",
    ],
)
def test_a_well_formed_text_is_xml_whatever_it_declares(text: str) -> None:
    assert synopsize(text.encode()).kind == "xml"


@pytest.mark.parametrize(
    "text",
    [
        "<?php echo 1; ?><html><body/></html>",
        "<?= $x ?><a/>",
        "<% if x %><p>y</p>",
        "<template>\n<div/>\n</template>\n<script>\nif (a && b < c) {}\n</script>\n",
        "<div className={x}>\n{items.map(i => <Item key={i}/>)}\n</div>",
        "<ul>{% for i in x %}<li>{{ i }}<li>{% endfor %}</ul>",
        "<expr> ::= <term> | <expr> + <term>\n<term> ::= <factor>\n",
        "<ann> hello\n<bob> hi\n<ann> bye\n",
        "<me@example.org> wrote:\n> x\n",
        '<p align="center"><img src="x"/></p>\n\n# Title\n\nA long text follows here, and it is prose.\n',
        "<!DOCTYPE html><html><body><br><p>x</body></html>",
        "<a><b></a></b>",
        "<r>&undeclared;</r>",
        "<r a='1' a='2'/>",
        "<!-- only a comment -->",
        "<?xml version='1.0'?>",
        "<!DOCTYPE a><!DOCTYPE b [<!ENTITY e 'x'>]><b>&e;</b>",
        "<",
        "<r>\x01</r>",
    ],
)
def test_what_is_not_well_formed_is_no_xml(text: str) -> None:
    assert read_xml(Seen(text.encode())).synopsis is None


def test_a_declared_entity_is_neither_expanded_nor_missed() -> None:
    text = '<!DOCTYPE r [<!ENTITY e "<x/><x/>"><!ENTITY f SYSTEM "file:///etc/hostname">]><r a="&e;">&e;&f;<b/></r>'
    facts = facts_of(text)
    assert (facts.elements, facts.children) == (2, [TagCount(tag="b", count=1)])
    assert facts.root_attributes == [Attribute(name="a", value="&e;")]


@pytest.mark.parametrize("other", ['<?xml version="1.0"?>\n<log/>', "<log><entry/></log>", '<?xml version="1.0"?><x/>'])
def test_documents_one_after_the_other_are_counted(other: str) -> None:
    facts = facts_of(f'<?xml version="1.0"?>\n<log><entry/></log>\n{other}\n{other}\n')
    assert (facts.root, facts.further_documents) == ("log", 2)
    assert facts.elements == 2 + 2 * other.count("<log") + 2 * other.count("<entry") + 2 * other.count("<x/")
    assert facts.children == [TagCount(tag="entry", count=1)]


def test_a_few_words_below_the_root_are_counted_and_tell_how_it_went() -> None:
    synopsis = synopsize(b'<?xml version="1.0"?>\n<log><entry n="1"/><entry n="2"/></log>\nexit code 2\n')
    assert synopsis.kind == "xml"
    assert isinstance(synopsis.facts, XmlFacts)
    assert (synopsis.facts.trailing_chars, synopsis.outcome) == (11, ["exit code 2"])


@pytest.mark.parametrize(
    ("text", "reason", "offset", "line"),
    [
        ("<r>\n<i>1</i>\n<i>2</i>\n<i", "ends inside a tag in <r>", 22, 3),
        ('<r>\n<i>1</i>\n<i>2</i>\n<i a="<', "not well-formed (invalid token) inside <r>", 28, 3),
        ("<r>\n<i>1</i>\n<i>2", "ends inside <i>", 17, 2),
        ("<r>\n<i/>\n<i/>\n<!-- <i>", "ends inside a comment in <r>", 14, 3),
        ("<r>\n<i/>\n<i/>\n<![CDATA[<i>", "ends inside a CDATA section in <r>", 26, 3),
        ("<r><i/><j><é>x", "ends inside <é>", 14, 0),
        ("<?xml version='1.0'?>\n<!-- a --><!-- Licensed", "ends inside a comment before the root element", 32, 1),
    ],
)
def test_a_cut_document_says_where_and_inside_what(text: str, reason: str, offset: int, line: int) -> None:
    declared = text.replace("<r>", "<r xmlns='u'>")
    broken = broken_of(declared)
    assert (broken.reason, broken.offset - len(declared) + len(text), broken.line) == (reason, offset, line)


def test_a_cut_document_says_what_could_be_read() -> None:
    broken = broken_of("<rss><channel><title>t</title><item><x/></item><item><x>")
    assert broken.read == [
        Detail(name="root", values=["rss"]),
        Detail(name="elements", count=7),
        Detail(name="children", count=1, values=["channel: 1"]),
        Detail(name="open", count=4, values=["rss", "channel", "item", "x"]),
        Detail(name="children of channel", count=2, values=["title: 1", "item: 2"]),
    ]


def test_a_document_wrong_in_the_middle_says_where_if_it_is_declared() -> None:
    text = '<?xml version="1.0"?>\n<r>\n<i/>\n<i></j>\n<i/>\n</r>\n'
    broken = broken_of(text)
    assert (broken.reason, broken.line) == ("mismatched tag inside <i>", 3)
    assert text[broken.offset :].startswith("j>")
    undeclared = text.replace('<?xml version="1.0"?>', "").replace("</r>", "<i/>" * 60 + "</r>")
    assert read_xml(Seen(undeclared.encode())).broken is None


@pytest.mark.parametrize(
    "text", ['<?xml version="1.0"?><r>', "<r xmlns='u'>\n<i", "<r><i/><i/>\n<i a=\n... [truncated]"]
)
def test_little_of_a_cut_document_is_enough_where_it_says_what_it_is(text: str) -> None:
    assert broken_of(text).of == "xml"


@pytest.mark.parametrize(
    "text", ["<r><i>", "<html xmlns='u'><body><p>", "<div><p>one</p><p>two</p><p>th", "<?xml version='1.0'?><"]
)
def test_what_may_be_anything_is_no_cut_document(text: str) -> None:
    assert read_xml(Seen(text.encode())).broken is None


@pytest.mark.parametrize("prefix", ["\ufeff", "\x1b[32m", "\ufeff\x1b[1m"])
def test_the_place_of_a_break_is_one_in_the_original(prefix: str) -> None:
    text = prefix + "<r>\n<é/>\n<i/>\n<i"
    broken = broken_of(text)
    assert text[broken.offset :] == "<i"
    assert broken.line == 3


@pytest.mark.parametrize(
    ("text", "finer"),
    [
        ('<project xmlns="http://maven.apache.org/POM/4.0.0"><a/></project>', "maven"),
        ('<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup/></Project>', "msbuild"),
        ('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>', "xsd"),
        ('<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>', "soap"),
        ('<feed xmlns="http://www.w3.org/2005/Atom"/>', "atom"),
        ('<svg xmlns="http://www.w3.org/2000/svg"/>', "svg"),
        ('<!DOCTYPE plist PUBLIC "x" "y"><plist version="1.0"><dict/></plist>', "plist"),
        ("<html><body>hi</body></html>", "html"),
        ("<project><a/></project>", None),
        ("<schema/>", None),
    ],
)
def test_a_known_vocabulary_is_named(text: str, finer: str | None) -> None:
    assert synopsize(text.encode()).format == finer


def test_a_junit_report_counts_its_tests_and_names_what_failed() -> None:
    text = (
        '<testsuite tests="9"><testcase classname="m.A" name="ok"/>'
        '<testcase classname="m.A" name="bad"><failure message="1 &lt; 2">x</failure><error/></testcase>'
        '<testcase name="worse"><error/><system-out><![CDATA[<testcase><failure/>]]></system-out></testcase>'
        '<testcase name="off"><skipped/></testcase></testsuite>'
    )
    assert facts_of(text).details == [
        Detail(name="test cases", count=4),
        Detail(name="failed", count=2, values=["m.A.bad: 1 < 2", "worse"]),
        Detail(name="skipped", count=1),
    ]


def test_html_tells_its_title_headings_and_counts() -> None:
    page = (
        "<!DOCTYPE html><HTML><head><title>A &amp;\n B</title><script>'<h1>no</h1>'</script></head><body>"
        "<!-- <h1>no</h1> --><h1 class='x'>One <b>bold</b></h1><H2>Two</H2><h3>Three<p><br>"
        "<a href='x'>y</a><a name='z'><table><tr><td><img src=q></table><form></form>"
    )
    assert html_details(Seen(page.encode())) == [
        Detail(name="title", values=["A & B"]),
        Detail(name="headings", count=3, values=["h1 One bold", "h2 Two", "h3 Three"]),
        Detail(name="links", count=1),
        Detail(name="tables", count=1),
        Detail(name="forms", count=1),
        Detail(name="images", count=1),
        Detail(name="scripts", count=1),
    ]


@pytest.mark.parametrize("text", ["<title>", "<h1", "<script><h1>x</h1>", "<!-- <h1>x</h1>", "<a href='<a href='"])
def test_what_is_open_in_html_ends_with_it(text: str) -> None:
    assert not any(detail.values for detail in html_details(Seen(text.encode())) if detail.name == "title")


def test_nothing_that_a_document_names_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        for doctype in (
            f'<!DOCTYPE r SYSTEM "{url}">',
            f'<!DOCTYPE r PUBLIC "-//X" "{url}">',
            f'<!DOCTYPE r [<!ENTITY e SYSTEM "{url}">]>',
            f'<!DOCTYPE r [<!ENTITY % p SYSTEM "{url}"> %p;]>',
            f'<?xml-stylesheet href="{url}"?><?xml-model href="{url}"?>',
        ):
            include = f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="{url}"/>'
            entity = "&e;" if "!DOCTYPE" in doctype else ""
            text = f'{doctype}<r xmlns:s="s" s:schemaLocation="{url} {url}">{entity}{include}</r>'
            assert (synopsize(text.encode()).kind, facts_of(text).elements) == ("xml", 2)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("place", ['<r a="{}"/>', "<r>{}</r>"])
def test_entities_of_entities_cost_and_say_no_more_than_their_names(place: str) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 6))
    text = f'<!DOCTYPE r [<!ENTITY e0 "{"lol" * 1000}">{entities}]>{place.format("&e5;")}'
    facts = facts_of(text)
    assert (facts.elements, facts.children) == (1, [])
    assert [attribute.value for attribute in facts.root_attributes] in ([], ["&e5;"])


def test_an_attribute_of_a_megabyte_is_clipped() -> None:
    (attribute,) = facts_of(f'<r a="{"x" * 1_000_000}"/>').root_attributes
    assert attribute.value == "x" * 119 + "…"
