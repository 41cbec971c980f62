"""Several JSON values one after another, wherever their lines end: what `jq` prints, or `{}{}`."""

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .faults import Fault
from .merging import Merged, value_of
from .nodes import Container, Span
from .parsing import Stopped
from .walking import Walker

_OPENING = (b"{", b"[")
_LEAST_SINGLE = 2
_MOST_PATIENCE = 4096


class Documents(msgspec.Struct):
    """`end` is behind the last whole one; `fault` where one more begins and stops."""

    merged: Merged
    end: int
    fault: Fault | None = None


def read_documents(data: bytes, start: int, step: Step) -> Documents:
    """Objects and arrays from `start` on, as many as there are.

    Between the first two stand the same few characters, most likely, as between the others: what is before such a
    place is taken at once, and where that is not whole documents, one by one.
    """
    documents = Documents(merged=Merged(), end=start)
    between = b""
    patience = until_leap = _LEAST_SINGLE
    at = start
    while data.startswith(_OPENING, at):
        step()
        if until_leap <= 0 and between:
            end = data.rfind(between, at, at + BLOCK_BYTES) + 1
            if end > at and _take(documents.merged, data[at:end]):
                documents.end = end
                at = Walker(data, step).blanks_end(end)
                continue
            patience = until_leap = min(patience * 2, _MOST_PATIENCE)
        walker = Walker(data, step)
        node, end = walker.value(at)
        if walker.fault is not None:
            documents.fault = walker.fault
            break
        end = at + len(data[at:end].rstrip()) if isinstance(node, Span) else end
        _add(documents.merged, data, node)
        documents.end = end
        at = walker.blanks_end(end)
        between = data[end - 1 : at + 1]
        until_leap -= 1
    return documents


def _take(merged: Merged, text: bytes) -> bool:
    try:
        return merged.add_all(text) > 0
    except Stopped:
        return False


def _add(merged: Merged, data: bytes, node: object) -> None:
    if isinstance(node, Span):
        try:
            merged.add(value_of(data[node.start : node.end]))
            return
        except Stopped:  # too deep, or longer than the parser takes at once
            node, _ = Walker(data[node.start : node.end], lambda: None).value(0)
    if isinstance(node, Container):
        merged.add_long(node)
    else:
        merged.count += 1
