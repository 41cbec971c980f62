"""The synopsis of an original that is too large to be read whole, by its first and its last bytes."""

import msgspec

from coatcheck_core.synopsis.binary import is_controls, is_undecodable, magic_format
from coatcheck_core.synopsis.bounds import bounded
from coatcheck_core.synopsis.detection import synopsize
from coatcheck_core.synopsis.effort import OutOfTime, Step, unhurried
from coatcheck_core.synopsis.mime import declared
from coatcheck_core.synopsis.text.outcome import read_outcome
from coatcheck_schemas.synopsis import Extent, Synopsis, UnknownFacts

from .document import Document
from .halves import Halves
from .json import read_json_ends
from .loose import Counted, describe_text_ends, read_loose_ends
from .xml import read_xml_ends


def synopsize_ends(
    head: bytes,
    tail: bytes,
    size: int,
    mime_type: str | None = None,
    *,
    chars: int | None,
    lines: int | None,
    encoding: str | None = "utf-8",
    step: Step = unhurried,
) -> Synopsis:
    """The synopsis of `size` bytes of which the first and the last are in hand; pure, and never raises.

    The kind is that of the whole, as far as its ends tell: a document that its end closes is no cut one. Counts are of
    what was read (`Extent`), but `chars` and `lines`, which the caller has counted of the whole in its `encoding`; they
    are None where the whole is no text. Where the two ends are all of it, this is `synopsize`. Costs what the ends
    cost; `step` is as there.
    """
    missing = size - len(head)
    if missing <= len(tail):
        return synopsize(head + tail[len(tail) - missing :] if missing > 0 else head, mime_type, step=step)
    read = Extent(bytes=len(head), end_bytes=len(tail), of=size, lines=lines)
    if encoding is None or chars is None or lines is None:
        return _unread(read, UnknownFacts(why="binary", bytes=size), magic_format(head))
    try:
        halves = Halves(head, tail, encoding, step)
        found = _synopsize(halves, mime_type, Counted(chars, lines), size)
        return bounded(msgspec.structs.replace(found, read=read))
    except UnicodeDecodeError:
        return _unread(read, UnknownFacts(why="binary", bytes=size), magic_format(head))
    except OutOfTime:
        return _unread(read, UnknownFacts(why="time_limit", bytes=size))


def _unread(read: Extent, facts: UnknownFacts, finer: str | None = None) -> Synopsis:
    return Synopsis(kind="unknown", format=finer, facts=facts, read=read)


def _synopsize(halves: Halves, mime_type: str | None, counted: Counted, size: int) -> Synopsis:
    joined, step = halves.joined, halves.step
    if is_undecodable(joined.data, step):
        return _binary(halves, counted, size)
    json = read_json_ends(halves)
    if json.synopsis is not None:
        return _with_broken_end(json, halves, counted)
    if is_controls(joined.data, step):
        return _binary(halves, counted, size)
    xml = read_xml_ends(halves)
    if xml.synopsis is not None:
        return xml.synopsis
    cut, wrong = json.cut or xml.cut, json.wrong or xml.wrong
    hint = declared(mime_type)
    if hint in ("json", "ndjson", "xml"):
        facts = UnknownFacts(why="declared_type", bytes=size, chars=counted.chars)
        finer = None if cut is None else f"{cut.of}-truncated"
        return Synopsis(kind="unknown", format=finer, facts=facts, outcome=read_outcome(joined), broken=cut or wrong)
    if cut is not None:
        return describe_text_ends(halves, f"{cut.of}-truncated", counted, cut)
    found = read_loose_ends(halves, hint, counted)
    return found if found.kind != "text" else msgspec.structs.replace(found, broken=wrong)


def _binary(halves: Halves, counted: Counted, size: int) -> Synopsis:
    facts = UnknownFacts(why="binary", bytes=size, chars=counted.chars)
    return Synopsis(kind="unknown", format=magic_format(halves.head.original), facts=facts)


def _with_broken_end(document: Document, halves: Halves, counted: Counted) -> Synopsis:
    """Where the last record is cut, its place in the whole text."""
    synopsis, broken = document.synopsis or Synopsis(kind="json"), document.broken_at_end
    end = halves.tail_lines
    if broken is None or len(halves.tail.data) != len(halves.tail.original):
        return synopsis
    moved = msgspec.structs.replace(
        broken,
        offset=counted.chars - (end.measures.chars - broken.offset),
        line=counted.lines - (end.measures.lines - broken.line),
        read=[detail for detail in broken.read if detail.count is None],
    )
    return msgspec.structs.replace(synopsis, broken=moved)
