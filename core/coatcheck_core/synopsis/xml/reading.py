"""XML: what stands where in a well-formed text, or how far another is one."""

import msgspec

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.outcome import outcome_of
from coatcheck_schemas.synopsis import Broken, Synopsis

from .broken import read_broken, read_cut_prolog
from .describing import describe
from .following import count_further, trailing_text
from .outline import count_elements, read_root
from .prolog import Prolog, read_prolog
from .verdict import Fault, find_fault


class Xml(msgspec.Struct, frozen=True):
    """What a text is: XML, or XML up to a place (`cut`: where it just ends), or neither."""

    synopsis: Synopsis | None = None
    broken: Broken | None = None
    cut: bool = False


def read_xml(seen: Seen) -> Xml:
    """Facts where the whole text is well-formed: a document, several one after the other, or one and a few words.

    libxml2 gets the text block by block, so that no call into it takes more than some milliseconds, but for one token
    of many megabytes.
    """
    if not seen.data.startswith(b"<", seen.start):
        return Xml()
    prolog = read_prolog(seen.data, seen.start, seen.step)
    if prolog is None:
        return Xml(broken=read_cut_prolog(seen), cut=True)
    fault = find_fault(seen.data, prolog, seen.step)
    if fault is None:
        return Xml(describe(seen, read_root(seen.data, prolog.root, len(seen.data), seen.step)))
    return _followed(seen, prolog, fault) if fault.more else Xml(broken=read_broken(seen, prolog, fault), cut=fault.cut)


def _followed(seen: Seen, prolog: Prolog, fault: Fault) -> Xml:
    """A document, and then something else."""
    root = read_root(seen.data, prolog.root, fault.at, seen.step)
    further = count_further(seen, root)
    if further:
        elements = count_elements(seen.data, prolog.root, len(seen.data), seen.step)
        root = msgspec.structs.replace(root, elements=elements)
        return Xml(describe(seen, root, further=further))
    trailing = trailing_text(seen, prolog, root)
    if trailing is None:
        return Xml()
    synopsis = describe(seen, root, trailing=len(trailing))
    return Xml(msgspec.structs.replace(synopsis, outcome=outcome_of(trailing)))
