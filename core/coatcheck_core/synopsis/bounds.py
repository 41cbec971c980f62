"""Keep a synopsis small, whatever it was made of."""

from typing import Any

import msgspec

from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, Synopsis

NAME_CHARS = 200
CUT_MARK = "…"

_TIGHTER_CHARS = (100, 50, 25, 8)


def clip(text: str, limit: int = NAME_CHARS) -> str:
    """The text, or its start with a mark that it was cut; never over `limit` chars."""
    return text if len(text) <= limit else text[: limit - 1] + CUT_MARK


def fold(text: str, limit: int) -> str:
    """White space runs as one blank, then clipped."""
    return clip(" ".join(text.split()), limit)


def bounded(synopsis: Synopsis) -> Synopsis:
    """The synopsis, its texts clipped further where its JSON would be over the limit."""
    if len(msgspec.json.encode(synopsis)) < MAX_SYNOPSIS_BYTES:
        return synopsis
    tree = msgspec.to_builtins(synopsis)
    for limit in _TIGHTER_CHARS:
        tree = _clip_all(tree, limit)
        if len(msgspec.json.encode(tree)) < MAX_SYNOPSIS_BYTES:
            break
    return msgspec.convert(tree, Synopsis)


def _clip_all(node: Any, limit: int) -> Any:
    """Every text clipped but those that are one of a few fixed words, which the struct would not take back cut."""
    if isinstance(node, dict):
        return {key: value if key in _FIXED else _clip_all(value, limit) for key, value in node.items()}
    if isinstance(node, list):
        return [_clip_all(value, limit) for value in node]
    return clip(node, limit) if isinstance(node, str) else node


_FIXED = frozenset({"kind", "format", "about", "type", "item_types", "why", "delimiter"})
