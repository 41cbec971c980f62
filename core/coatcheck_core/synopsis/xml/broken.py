"""Where a document that is XML up to a place ends or goes wrong, and what could be read until there."""

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Detail

from .attributes import shown_name
from .finding import OPEN
from .formats import HTML_ROOTS
from .grammar import START_TAG
from .outline import Level, Outline, last_whole
from .places import place
from .prolog import Prolog
from .verdict import Fault

_LEAST_ELEMENTS = 3
"""Fewer may be anything that begins with `<`."""
_SHOWN = 8
_INSIDE = ((b"<!--", "a comment"), (b"<![CDATA[", "a CDATA section"), (b"<?", "a processing instruction"))


def read_broken(seen: Seen, prolog: Prolog, fault: Fault) -> Broken | None:
    """None where what could be read is not clearly XML: a page, a template, a mail address in brackets."""
    data, step = seen.data, seen.step
    whole = last_whole(data, prolog.root, fault.at, step)
    start = START_TAG.match(data, prolog.root, whole)
    if start is None or not _is_clear(prolog, fault, start[1], start[2]):
        return None
    outline = Outline(data, prolog.root, whole, step)
    elements = outline.count_elements(whole)
    if elements < _LEAST_ELEMENTS:
        return None
    level = outline.read_level(start.end(), (start[1],), deeper=True)
    path = [start[1], *_open_below(data, level, outline)]
    offset, line = place(seen, fault.at)
    return Broken(
        of="xml", offset=offset, line=line, reason=_reason(data, whole, path, fault), read=_read(level, path, elements)
    )


def _is_clear(prolog: Prolog, fault: Fault, root: bytes, attributes: bytes) -> bool:
    if prolog.declared or b"xmlns" in attributes:
        return root.lower() != b"html"
    return fault.cut and root.lower().decode(errors="replace") not in HTML_ROOTS


def _open_below(data: bytes, level: Level, outline: Outline) -> list[bytes]:
    if level.open_at == OPEN:
        return []
    last = next((first for first in level.firsts.values() if first.at == level.open_at), None)
    if last is None or last.level is None or last.level.open_at == OPEN:
        return outline.open_tags(level.open_at)
    start = START_TAG.match(data, last.at)
    return [*([start[1]] if start else []), *outline.open_tags(last.level.open_at)]


def _reason(data: bytes, whole: int, path: list[bytes], fault: Fault) -> str:
    inside = f"<{shown_name(path[-1])}>"
    if not fault.cut:
        return f"{fault.reason} inside {inside}"
    if whole == len(data) or not data.startswith(b"<", whole):
        return f"ends inside {inside}"
    return "ends inside " + next((name for opening, name in _INSIDE if data.startswith(opening, whole)), "a tag")


def _read(level: Level, path: list[bytes], elements: int) -> list[Detail]:
    shown = list(level.counts.items())[:_SHOWN]
    return [
        Detail(name="root", values=[shown_name(path[0])]),
        Detail(name="elements", count=elements),
        Detail(name="children", count=len(level.counts), values=[f"{shown_name(tag)}: {n}" for tag, n in shown]),
        Detail(name="open", count=len(path), values=[shown_name(tag) for tag in path[:_SHOWN]]),
    ]
