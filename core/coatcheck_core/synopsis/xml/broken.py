"""Where a document that is XML up to a place ends or goes wrong, and what could be read until there."""

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Detail

from .attributes import shown_name
from .formats import HTML_ROOTS
from .grammar import DECLARATION, START_TAG
from .outline import Content, Level, last_whole, name_of, open_tags, read_content
from .prolog import Prolog
from .verdict import Fault

_LEAST_ELEMENTS = 3
"""Where nothing else says that it is XML: fewer may be anything that begins with `<`."""
_NEAR_THE_END_BYTES = 200
"""What is wrong there may be the words of a tool that has cut the text."""
_SHOWN = 8
_INSIDE = ((b"<!--", "a comment"), (b"<![CDATA[", "a CDATA section"), (b"<?", "a processing instruction"))


def read_broken(seen: Seen, prolog: Prolog, fault: Fault) -> Broken | None:
    """None where what could be read is not clearly XML: a page, a template, a mail address in brackets."""
    data, step = seen.data, seen.step
    whole = last_whole(data, prolog.root, fault.at, step)
    start = START_TAG.match(data, prolog.root, whole)
    if start is None or start[1].lower() == b"html":
        return None
    content = read_content(data, start.end(), whole, step, start[1])
    elements = content.elements + 1
    if not (prolog.declared or b"xmlns" in start[2]):
        is_at_end = fault.cut or len(data) - fault.at < _NEAR_THE_END_BYTES
        if not is_at_end or elements < _LEAST_ELEMENTS or start[1].lower().decode() in HTML_ROOTS:
            return None
    path = [start[1] + b">", *open_tags(data, start.end(), whole, step)]
    offset, line = seen.place(fault.at)
    return Broken(
        of="xml", offset=offset, line=line, reason=_reason(data, whole, path, fault), read=_read(content, path)
    )


def read_cut_prolog(seen: Seen) -> Broken | None:
    """Of a text with an XML declaration that ends in a comment, such as a licence, before there is a root element."""
    at = seen.data.rfind(b"<!--")
    if at < 0 or seen.data.find(b"-->", at) >= 0 or not DECLARATION.match(seen.data, seen.start):
        return None
    offset, line = seen.place(at)
    return Broken(of="xml", offset=offset, line=line, reason="ends inside a comment before the root element")


def _reason(data: bytes, whole: int, path: list[bytes], fault: Fault) -> str:
    inside = f"<{shown_name(name_of(path[-1]))}>"
    if not fault.cut:
        return f"{fault.reason} inside {inside}"
    if whole == len(data) or not data.startswith(b"<", whole):
        return f"ends inside {inside}"
    what = next((name for opening, name in _INSIDE if data.startswith(opening, whole)), "a tag")
    return f"ends inside {what} in {inside}"


def _read(content: Content, path: list[bytes]) -> list[Detail]:
    details = [
        Detail(name="root", values=[shown_name(name_of(path[0]))]),
        Detail(name="elements", count=content.elements + 1),
        _children("children", content.level),
        Detail(name="open", count=len(path), values=[shown_name(name_of(tag)) for tag in path[:_SHOWN]]),
    ]
    last = content.open_level
    return details if last is None else [*details, _children(f"children of {shown_name(name_of(path[1]))}", last)]


def _children(name: str, level: Level) -> Detail:
    shown = list(level.counts.items())[:_SHOWN]
    return Detail(name=name, count=len(level.counts), values=[f"{shown_name(tag)}: {count}" for tag, count in shown])
