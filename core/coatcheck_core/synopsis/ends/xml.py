"""XML of which the start and the end are in hand: the start is read as if all that is open there were closed."""

import msgspec

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.xml.broken import read_broken, read_cut_prolog
from coatcheck_core.synopsis.xml.formats import HTML_ROOTS
from coatcheck_core.synopsis.xml.grammar import START_TAG
from coatcheck_core.synopsis.xml.outline import last_whole, name_of, open_tags
from coatcheck_core.synopsis.xml.prolog import Prolog, read_prolog
from coatcheck_core.synopsis.xml.reading import read_xml
from coatcheck_core.synopsis.xml.verdict import find_fault
from coatcheck_schemas.synopsis import Synopsis, XmlFacts

from .closing import Closing, xml_closing
from .document import Document, not_closed
from .halves import Halves

_DEEPEST_PAGE = 40
_DEEPEST = 1000


def read_xml_ends(halves: Halves) -> Document:
    """Of a text that begins with `<`."""
    head = halves.head
    if not head.data.startswith(b"<", head.start):
        return Document()
    prolog = read_prolog(head.data, head.start, head.step)
    if prolog is None:
        return Document(cut=read_cut_prolog(head))
    start = START_TAG.match(head.data, prolog.root)
    fault = find_fault(head.data, prolog, head.step)
    if fault is not None and not (fault.cut or fault.more):
        return Document(wrong=read_broken(head, prolog, fault))
    if start is None:
        return Document()
    closing = xml_closing(halves.tail.data, start[1])
    if closing is not None:
        closed = _closed(head, prolog)
        found = None if closed is None else read_xml(closed).synopsis
        return Document(None if found is None else _with_end(found, closing))
    broken = None if fault is None else read_broken(head, prolog, fault)
    return Document(cut=None if broken is None else not_closed(broken))


def _closed(head: Seen, prolog: Prolog) -> Seen | None:
    """The start with an end tag for each element that is open; without the text in the last, which may be cut.

    None where so much is open that it is no document: most of a page's may never be closed, as HTML allows.
    """
    data = head.data
    whole = last_whole(data, prolog.root, len(data), head.step)
    whole = data.rfind(b">", 0, whole) + 1
    opened = open_tags(data, prolog.root, whole, head.step)
    is_page = bool(opened) and name_of(opened[0]).lower().decode() in HTML_ROOTS
    if len(opened) > (_DEEPEST_PAGE if is_page else _DEEPEST):
        return None
    ends = b"".join(b"</" + name_of(piece) + b">" for piece in reversed(opened))
    return Seen(data[:whole] + ends, head.step, is_plain=True)


def _with_end(found: Synopsis, closing: Closing) -> Synopsis:
    facts = found.facts
    if isinstance(facts, XmlFacts):
        facts = msgspec.structs.replace(facts, trailing_chars=len(closing.trailing))
    return msgspec.structs.replace(found, facts=facts, outcome=closing.outcome)
