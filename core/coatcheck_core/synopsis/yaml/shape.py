"""What a checked document holds: by events where it is short, else by its borders, and by events at each."""

import msgspec
import yaml

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.effort import Step
from coatcheck_schemas.synopsis import Field, YamlType

from .borders import LONG, Entries, children, name_at
from .outline import MAX_KEYS, MAX_NAMES, Outline, outline_of

SHORT = 32 * 1024
"""Bytes that the parser's events tell of in about ten milliseconds."""
_MOST_BY_EVENTS = 256 * 1024
_NAME_CHARS = 60
_PROBED_ENTRIES = 200


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """`read_bytes` is set where only so much of the document was looked at."""

    type: YamlType
    length: int
    fields: list[Field]
    key_count: int
    is_flat_with_duplicates: bool = False
    read_bytes: int | None = None


def shape_of(text: bytes, top: Entries | None, step: Step, *, borders_hold: bool) -> Shape | None:
    """Of a document that the parser has read; None where its root is a scalar."""
    if len(text) > SHORT and top is not None and borders_hold:
        return _by_borders(text, top, step)
    part = text if len(text) <= _MOST_BY_EVENTS else text[: text.rfind(b"\n", 0, SHORT) + 1 or SHORT]
    try:
        outline = outline_of(part, step, tolerant=len(part) < len(text))
    except yaml.YAMLError:
        return None
    if outline.first is None:
        return None
    return Shape(
        type=outline.first,
        length=outline.length,
        fields=outline.fields(),
        key_count=outline.key_count,
        is_flat_with_duplicates=outline.duplicates and not outline.nested,
        read_bytes=len(part) if len(part) < len(text) else None,
    )


def _by_borders(text: bytes, top: Entries, step: Step) -> Shape:
    length = len(top.starts)
    if not top.is_mapping:
        item = _outline_at(text, top, 0, step)
        return Shape(type="sequence", length=length, fields=item.fields(), key_count=item.key_count)
    fields = [_field(text, top, at, step) for at in range(min(length, MAX_KEYS))]
    return Shape(
        type="mapping",
        length=length,
        fields=fields,
        key_count=length,
        is_flat_with_duplicates=_is_flat_with_duplicates(text, top),
    )


def _is_flat_with_duplicates(text: bytes, top: Entries) -> bool:
    """As far as its first entries tell: a line each, some of them with the same key, as in a log."""
    first = range(min(len(top.starts), _PROBED_ENTRIES))
    names = {name_at(text, top.starts[at], top.indent) for at in first}
    return len(names) < len(first) and all(text.count(b"\n", *top.extent(at)) <= 1 for at in first)


def _field(text: bytes, top: Entries, at: int, step: Step) -> Field:
    start, end = top.extent(at)
    if end - start > LONG and (inner := children(text, top, at)) is not None and inner.is_complete:
        names = [name_at(text, begin, inner.indent) for begin in inner.starts[:MAX_NAMES]] if inner.is_mapping else []
        return Field(
            name=clip(name_at(text, start, top.indent) or "?"),
            type="mapping" if inner.is_mapping else "sequence",
            length=len(inner.starts),
            names=[clip(name or "?", _NAME_CHARS) for name in names],
        )
    fields = _outline_at(text, top, at, step).fields()
    if not fields:
        return Field(name=clip(name_at(text, start, top.indent) or "?"), type="string")
    is_part = end - start > LONG and fields[0].type in ("mapping", "sequence")
    return msgspec.structs.replace(fields[0], length=None) if is_part else fields[0]


def _outline_at(text: bytes, top: Entries, at: int, step: Step) -> Outline:
    """Of one entry: whole, or its first lines where it is long."""
    start, end = top.extent(at)
    limit = LONG if top.is_mapping else SHORT
    if end - start > limit:
        end = text.rfind(b"\n", start, start + limit) + 1 or start + limit
    return outline_of(text[start:end], step, tolerant=True)
