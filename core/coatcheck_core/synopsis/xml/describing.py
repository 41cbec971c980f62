"""The facts of a document, from where its elements stand."""

import re

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail, Synopsis, TagCount, XmlFacts

from .attributes import Attributes, read_attributes, shown_name, shown_text
from .finding import next_tag
from .formats import xml_format
from .grammar import CONSTRUCT, START_TAG, is_empty
from .html import html_details
from .junit import junit_details
from .outline import First, Level, Root

MAX_ATTRIBUTES = 12
MAX_NAMESPACES = 6
MAX_CHILDREN = 30
_MEMBER_ATTRIBUTES = 6
_MEMBER_CHILDREN = 8
_TEXT_CHARS = 80
_TEXT_BYTES = 2000
_CDATA = re.compile(rb"<!\[CDATA\[([^\]]*+(?:\](?!\]>)[^\]]*+)*+)(?:\]\]>|\Z)|<" + CONSTRUCT)


def describe(seen: Seen, root: Root, *, further: int = 0, trailing: int = 0) -> Synopsis:
    """Of the document with that root."""
    tag, attributes = shown_name(root.tag), read_attributes(seen.data, root.at, MAX_ATTRIBUTES)
    level = root.level
    children = [] if level is None else [_child(seen, *child) for child in _shown(level, MAX_CHILDREN)]
    finer = xml_format(tag, attributes.namespaces, [child.tag for child in children])
    facts = XmlFacts(
        root=tag,
        attributes=attributes.count,
        elements=root.elements,
        children=children,
        child_tags=0 if level is None else len(level.counts),
        root_attributes=attributes.shown,
        namespaces=attributes.namespaces[:MAX_NAMESPACES],
        namespace_count=attributes.namespace_count,
        further_documents=further,
        trailing_chars=trailing,
        details=_details(seen, root, finer),
    )
    return Synopsis(kind="xml", format=finer, facts=facts)


def _details(seen: Seen, root: Root, finer: str | None) -> list[Detail]:
    if finer == "junit":
        return junit_details(seen.data, root.at, root.end, seen.step)
    return html_details(seen) if finer == "html" else []


def _shown(level: Level, limit: int) -> list[tuple[bytes, int, First | None]]:
    pairs = zip(level.counts.items(), range(limit), strict=False)
    return [(tag, count, level.firsts.get(tag)) for (tag, count), _ in pairs]


def _child(seen: Seen, tag: bytes, count: int, first: First | None, *, top: bool = True) -> TagCount:
    """With its first element's attributes and children where it is at the `top`, else with its text alone."""
    attributes = read_attributes(seen.data, first.at, _MEMBER_ATTRIBUTES) if first is not None and top else Attributes()
    level = None if first is None else first.level
    return TagCount(
        tag=shown_name(tag),
        count=count,
        attributes=attributes.shown,
        attribute_count=attributes.count,
        children=[]
        if level is None
        else [_child(seen, *child, top=False) for child in _shown(level, _MEMBER_CHILDREN)],
        child_tags=0 if level is None else len(level.counts),
        text=None if first is None or (level is not None and level.counts) else _text(seen, first.at),
    )


def _text(seen: Seen, at: int) -> str | None:
    """What the element there says; None where that is nothing, or it has elements."""
    data = seen.data
    start = START_TAG.match(data, at)
    if start is None or is_empty(start):
        return None
    end = next_tag(data, start.end(), len(data), seen.step)
    if not data.startswith(b"</", end):
        return None
    inside = data[start.end() : min(end, start.end() + _TEXT_BYTES)]
    return shown_text(_CDATA.sub(rb"\1", inside), _TEXT_CHARS) or None
