"""What follows the root element of a document: more documents, or a few words of who printed it."""

from collections.abc import Iterator

from coatcheck_core.synopsis.effort import Step
from coatcheck_core.synopsis.seen import Seen

from .finding import OPEN, find
from .formats import HTML_ROOTS
from .grammar import DECLARATION, PLAIN_DOCTYPE
from .outline import Root, read_content
from .prolog import Prolog
from .verdict import are_elements

_TRAILING_BYTES = 4000
_LEAST_ELEMENTS = 3


def count_further(seen: Seen, root: Root) -> int:
    """How many documents follow, each with a declaration or the first one's root tag; 0 for anything else."""
    data, at = seen.data, root.end
    if not data[at : at + 1000].lstrip().startswith(b"<") or not are_elements(
        data, at, _heads(data, at, seen.step), seen.step
    ):
        return 0
    others = read_content(data, at, len(data), seen.step).level
    count = sum(others.counts.values())
    same = list(others.counts) == [root.tag] and root.tag.decode().lower() not in HTML_ROOTS
    return count if same or count == sum(1 for _ in _heads(data, at, seen.step)) else 0


def _heads(data: bytes, at: int, step: Step) -> Iterator[tuple[int, int]]:
    """From where to where each further document has its declaration and DOCTYPE."""
    while (at := find(data, b"<?xml", at, len(data), step)) != OPEN:
        head = DECLARATION.match(data, at, at + _HEAD_BYTES)
        if head is None:
            at += 1
            continue
        doctype = PLAIN_DOCTYPE.match(data, head.end(), head.end() + _HEAD_BYTES)
        behind = head.end() if doctype is None else doctype.end()
        yield at, behind
        at = behind


_HEAD_BYTES = 1000


def trailing_text(seen: Seen, prolog: Prolog, root: Root) -> str | None:
    """What stands on the lines below the root element; None where it is more than a few words, or no XML before it."""
    rest = len(seen.data) - root.end
    if rest > _TRAILING_BYTES or rest > root.end - prolog.root:
        return None
    if not prolog.declared and (root.elements < _LEAST_ELEMENTS or root.tag.decode().lower() in HTML_ROOTS):
        return None
    text = seen.data[root.end :].decode()
    trailing = text.strip()
    return trailing if "\n" in text[: len(text) - len(text.lstrip())] else None
