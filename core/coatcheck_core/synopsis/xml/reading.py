"""XML, as a stream of events. A DOCTYPE is cut out beforehand, so nothing is ever declared, expanded or fetched."""

import re
from xml.parsers import expat

import msgspec

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Synopsis, TagCount, XmlFacts

MAX_TAGS = 30

_START = re.compile(r"<[A-Za-z_:?!]")
_DOCTYPE = re.compile(
    r"<!DOCTYPE(?:[^\[\]>\"']|\"[^\"]*\"|'[^']*')*+(?:\[(?:[^\]\"']|\"[^\"]*\"|'[^']*')*+\]\s*+)?>", re.IGNORECASE
)
_DOCTYPE_START = re.compile("<!DOCTYPE", re.IGNORECASE)
_PROLOGUE_CHARS = 10_000
_NAMED_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?=[A-Za-z_:][\w.:-]{0,200};)")
_FORMATS = {"html": "html", "svg": "svg", "rss": "rss", "feed": "atom", "testsuites": "junit", "testsuite": "junit"}
_CUT = frozenset(
    {
        expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
    }
)
_LEAST_ELEMENTS_OF_A_CUT_DOCUMENT = 3


class Xml(msgspec.Struct, frozen=True):
    """What a text is: XML, or XML up to a place, or neither."""

    synopsis: Synopsis | None = None
    broken: Broken | None = None


def read_xml(seen: Seen) -> Xml:
    """Facts where the whole text is one well-formed document."""
    start = seen.text.lstrip()
    if not _START.match(start):
        return Xml()
    if (first := _DOCTYPE_START.search(start, 0, _PROLOGUE_CHARS)) is not None:
        # At the first alone: to look for one that ends among thousands that do not would be quadratic.
        doctype = _DOCTYPE.match(start, first.start())
        if doctype is None:
            return Xml()
        start = _NAMED_ENTITY.sub("&amp;", start[: doctype.start()] + start[doctype.end() :])
    outline = _Outline()
    try:
        outline.parser.Parse(start, True)
    except expat.ExpatError as error:
        is_cut = error.code in _CUT and outline.elements >= _LEAST_ELEMENTS_OF_A_CUT_DOCUMENT
        return Xml(broken=Broken(of="xml", offset=len(seen.text), line=0, reason="cut off") if is_cut else None)
    except (_Declared, ValueError, UnicodeError):
        return Xml()
    finer = _FORMATS.get(outline.root.lower().rpartition(":")[2])
    return Xml(Synopsis(kind="xml", format=finer, facts=outline.facts()))


class _Declared(Exception):
    """The document declares something after all."""


class _Outline:
    """Counts what the parser meets."""

    def __init__(self) -> None:
        self.root = ""
        self.elements = 0
        self._attributes = 0
        self._depth = 0
        self._children: dict[str, int] = {}
        self.parser = expat.ParserCreate()
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def facts(self) -> XmlFacts:
        shown = list(self._children.items())[:MAX_TAGS]
        return XmlFacts(
            root=clip(self.root),
            attributes=self._attributes,
            elements=self.elements,
            children=[TagCount(tag=clip(tag), count=count) for tag, count in shown],
            child_tags=len(self._children),
        )

    def _start(self, tag: str, attributes: list[str]) -> None:
        self.elements += 1
        if self._depth == 0:
            self.root, self._attributes = tag, len(attributes) // 2
        elif self._depth == 1:
            self._children[tag] = self._children.get(tag, 0) + 1
        self._depth += 1

    def _end(self, _tag: str) -> None:
        self._depth -= 1

    def _refuse(self, *_declaration: object) -> None:
        raise _Declared
