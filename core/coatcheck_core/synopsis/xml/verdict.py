"""Whether a text is well-formed, by parsers that hear of no DTD: nothing is declared, expanded or fetched.

libxml2 says whether; where it says no, expat, which is slower, has the last word and tells the place.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from xml.parsers import expat

import msgspec
from lxml import etree

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .finding import OPEN, construct_end, find
from .grammar import CDATA_SECTIONS, NAMED_ENTITY, constructs_in
from .prolog import Prolog

_LONGEST_ENTITY = 203
_CDATA = b"<![CDATA["
_FORBIDDEN = tuple(bytes([byte]) for byte in range(0x20) if byte not in b"\t\n\r")
_FORBIDDEN_WIDE = ("\ufffe".encode(), "\uffff".encode())
"""Characters that no document has. To look for each is ten times as fast as to look for one of a set."""
_CUT = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)
_MORE = frozenset(
    expat.errors.codes[message]
    for message in (expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT, expat.errors.XML_ERROR_MISPLACED_XML_PI)
)


class Fault(msgspec.Struct, frozen=True):
    """`at` is where the token stands, in bytes, that could not be read; all before it could.

    `cut` is set where the text just ends too early, `more` where something follows the root element.
    """

    at: int
    reason: str
    cut: bool = False
    more: bool = False


def find_fault(data: bytes, prolog: Prolog, step: Step) -> Fault | None:
    """None where the text is one well-formed document."""
    left_out = [] if prolog.doctype is None else [prolog.doctype]
    is_bare = bool(left_out) or find(data, _CDATA, prolog.root, len(data), step) == OPEN
    pieces = _pieces(data, prolog.body, left_out) if is_bare else _without_quoted(data, prolog.body, step)
    if _is_accepted(pieces, step):
        return None
    return _locate(data, prolog, left_out, step)


def are_elements(data: bytes, at: int, left_out: Iterable[tuple[int, int]], step: Step) -> bool:
    """Whether all from `at` on, without what is left out, could stand in an element."""
    return _is_accepted(chain([b"<_>"], _pieces(data, at, left_out), [b"</_>"]), step)


def _pieces(data: bytes, at: int, left_out: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Blocks of the text. Behind a DOCTYPE, which may have declared them, entities are plain text of their length."""
    declared = False
    for first, behind in left_out:
        yield from _cut(data, at, first, declared)
        at, declared = behind, True
    yield from _cut(data, at, len(data), declared)


def _without_quoted(data: bytes, at: int, step: Step) -> Iterator[bytes]:
    """Blocks of the text, with nothing in its CDATA sections: libxml2 takes longer for these than for anything else.

    Any character may stand in one that may stand in a text: where a block has another, it is left as it is.
    """
    while at < len(data):
        block = data[at : at + BLOCK_BYTES]
        block = block[:-1] if block.endswith(b"<") and len(block) > 1 else block
        constructs = constructs_in(block)
        if constructs is None:
            yield block
            at += len(block)
            continue
        parts, size = _emptied(block, constructs)
        if size:
            yield block[:size] if _has_forbidden(block) else b"".join(parts)
            at += size
            continue
        behind = construct_end(data, at, len(data), step)
        behind = len(data) if behind == OPEN else behind
        yield from _cut(data, at, behind, declared=False)
        at = behind


def _emptied(block: bytes, constructs: re.Pattern[bytes]) -> tuple[list[bytes], int]:
    """What stands before the construct that the block cuts, if any, and how long that was."""
    between = CDATA_SECTIONS.split(block)
    other = between[-2] if len(between) > 1 else None
    if b"<?" not in block and (other is None or other.startswith(_CDATA[2:])):
        emptied = (_CDATA + b"]]>").join(between[::2] if other is None else between[:-2:2])
        return [emptied], len(block) if other is None else len(block) - len(other) - 2
    parts: list[bytes] = []
    behind = 0
    for match in constructs.finditer(block):
        if match[1] is not None:
            return [*parts, block[behind : match.start()]], match.start()
        if block.startswith(_CDATA, match.start()):
            parts.append(block[behind : match.start() + len(_CDATA)])
            behind = match.end() - len(b"]]>")
    return [*parts, block[behind:]], len(block)


def _has_forbidden(block: bytes) -> bool:
    return any(map(block.__contains__, _FORBIDDEN)) or (
        not block.isascii() and any(map(block.__contains__, _FORBIDDEN_WIDE))
    )


def _cut(data: bytes, at: int, end: int, declared: bool) -> Iterator[bytes]:
    while at < end:
        piece = data[at : min(at + BLOCK_BYTES, end)]
        opened = piece.rfind(b"&", max(len(piece) - _LONGEST_ENTITY, 1)) if declared else -1
        if opened > 0 and at + len(piece) < end and b";" not in piece[opened:]:
            piece = piece[:opened]
        at += len(piece)
        yield NAMED_ENTITY.sub(_as_text, piece) if declared else piece


def _as_text(entity: re.Match[bytes]) -> bytes:
    return b"x" * len(entity[0])


class _Nobody:
    """Who hears of no element, so that none is made."""

    def close(self) -> None:
        return None


def _is_accepted(pieces: Iterable[bytes], step: Step) -> bool:
    """By libxml2. What it merely logs, such as an unbound prefix, makes it deaf to the rest: that is no yes either."""
    parser = etree.XMLParser(
        target=_Nobody(), encoding="utf-8", resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True
    )
    try:
        for piece in pieces:
            step()
            parser.feed(piece)
            if len(parser.feed_error_log):
                return False
        parser.close()
    except etree.XMLSyntaxError:
        return False
    return not len(parser.feed_error_log)


def _locate(data: bytes, prolog: Prolog, left_out: list[tuple[int, int]], step: Step) -> Fault | None:
    """By expat. It reads an unfinished token anew with each piece, so pieces grow with the token."""
    parser = expat.ParserCreate("utf-8")
    waiting, size, fed = bytearray(), 0, 0
    try:
        for piece in _pieces(data, prolog.body, left_out):
            step()
            waiting += piece
            if len(waiting) >= size:
                parser.Parse(bytes(waiting))
                fed += len(waiting)
                waiting.clear()
                size = fed - max(parser.CurrentByteIndex, 0)
        parser.Parse(bytes(waiting), True)
    except expat.ExpatError as error:
        at = prolog.body + parser.ErrorByteIndex
        if prolog.doctype is not None and at >= prolog.doctype[0]:
            at += prolog.doctype[1] - prolog.doctype[0]
        return Fault(at, expat.ErrorString(error.code), cut=error.code in _CUT, more=error.code in _MORE)
    return None
