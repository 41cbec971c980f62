"""Whether a part of a document is YAML, and whether its entries begin where its lines say.

libyaml's parser runs over the text without an object for any event: it only counts them. It nests at most 1,000 deep
and is linear; a call holds the interpreter's lock, so a long document is parsed in slices between two entries.
"""

import msgspec
import yaml
from yaml._yaml import CParser

from coatcheck_core.synopsis.effort import Step

from .borders import LONG, Entries, children

SLICE_BYTES = 64 * 1024
_PARENT = b"~:\n"


class NotYaml(Exception):
    """`line` is the one, from 0, at which the text given can't be read on; `context` where what it is in begins."""

    def __init__(self, line: int, context: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.context = context
        self.reason = reason


class _Border(msgspec.Struct, frozen=True):
    """`parent` is what stands above the entry in a slice that begins there."""

    start: int
    of: Entries
    parent: bytes


def count_events(text: bytes) -> int:
    """Raises NotYaml."""
    try:
        return int(CParser(text).raw_parse())
    except yaml.MarkedYAMLError as error:
        line = context = error.problem_mark.line if error.problem_mark else 0
        # A block's own start says nothing; that of a quoted text or a bracket does.
        within = error.context or ""
        if error.context_mark and ("scanning" in within or "flow" in within):
            context = min(error.context_mark.line, line)
        raise NotYaml(line, context, str(error.problem or error.context or "")) from None
    except (yaml.YAMLError, ValueError) as error:  # a character that YAML does not have
        raise NotYaml(0, 0, getattr(error, "reason", "")) from None


def check(text: bytes, top: Entries | None, step: Step) -> bool:
    """Whether the entries begin where their lines say; raises NotYaml where the whole can't be read."""
    if top is not None and len(text) > SLICE_BYTES:
        try:
            return _check_slices(text, top, step)
        except NotYaml:
            pass  # no border where a slice began, or no YAML: the whole tells
    step()
    events = count_events(text)
    if top is None or not top.is_complete:
        return False
    step()
    borders = _borders(text, top)
    return _hold(text, 0, len(text), borders, b"", events)


def _hold(text: bytes, start: int, end: int, borders: list[_Border], parent: bytes, events: int) -> bool:
    """Whether one more entry at each border makes as many more events."""
    try:
        changed = count_events(_with_extra(text, start, end, borders, parent))
    except NotYaml:
        return False
    return changed - events == sum(border.of.extra_events for border in borders)


def _check_slices(text: bytes, top: Entries, step: Step) -> bool:
    borders = _borders(text, top)
    first = 0
    start = 0
    parent = b""
    is_true = top.is_complete
    for at, border in enumerate([*borders, None]):
        end = len(text) if border is None else border.start
        if border is not None and end - start < SLICE_BYTES:
            continue
        step()
        inside = borders[first:at]
        events = count_events(parent + text[start:end])
        is_true = is_true and _hold(text, start, end, inside, parent, events)
        if border is not None:
            first, start, parent = at, end, border.parent
    return is_true


def _with_extra(text: bytes, start: int, end: int, borders: list[_Border], parent: bytes) -> bytes:
    pieces = [parent]
    for border in borders:
        pieces += (text[start : border.start], border.of.extra)
        start = border.start
    return b"".join([*pieces, text[start:end]])


def _borders(text: bytes, top: Entries) -> list[_Border]:
    """Those of the document's entries, and of the entries of each that is long."""
    found = []
    for at, entry_start in enumerate(top.starts):
        found.append(_Border(entry_start, top, b""))
        start, end = top.extent(at)
        if end - start > LONG and (inner := children(text, top, at)) is not None and inner.is_complete:
            found += [_Border(inner_start, inner, _PARENT) for inner_start in inner.starts]
    return found
