"""The text in a content: a string, a list of parts or blocks, or what else somebody puts there."""

import json
from typing import Any

import msgspec

from .access import field, has_fields, items_of, replaced, word

_TEXT_TYPES = frozenset([None, "text", "input_text", "output_text"])
_TEXT_FIELDS = ("text", "thinking", "refusal")
_NESTED_FIELDS = ("content", "summary", "output")
_MOST_DEPTH = 8
_PARTS_OF_A_TEXT = ("annotations", "citations", "logprobs")
"""They point into the text of their block, and go with it."""


def is_text_block(block: Any) -> bool:
    """A part that is text and nothing else: a bare string in a list, too."""
    if isinstance(block, str):
        return True
    return has_fields(block) and word(block, "type") in _TEXT_TYPES and isinstance(field(block, "text"), str)


def block_text(block: Any) -> str:
    text = block if isinstance(block, str) else field(block, "text")
    return text if isinstance(text, str) else ""


def result_pieces(content: Any) -> tuple[str, ...]:
    """What of a result's content clearing replaces: its text, not its media. What is no text nor list is JSON."""
    if isinstance(content, str):
        return (content,) if content else ()
    if content is None:
        return ()
    if isinstance(content, list | tuple):
        return tuple(block_text(block) for block in content if is_text_block(block))
    return (json_text(content),)


def media_text(content: Any) -> tuple[str, ...]:
    """The text in the parts of a result that stay."""
    if not isinstance(content, list | tuple):
        return ()
    return all_text([block for block in content if not is_text_block(block)])


def cleared_content(content: Any, placeholder: str) -> Any:
    """The content with the placeholder for its text: a list stays a list, and keeps all that is not text."""
    if not isinstance(content, list | tuple):
        return placeholder
    texts = [block for block in content if is_text_block(block)]
    first = next(index for index, block in enumerate(content) if is_text_block(block))
    blocks = [block for block in content[first + 1 :] if not is_text_block(block)]
    return [*content[:first], _placed(texts, placeholder), *blocks]


def _placed(texts: list[Any], placeholder: str) -> Any:
    """The first of the text blocks with another text; a cache's mark, on whichever it was, stays."""
    if isinstance(texts[0], str):
        return placeholder
    gone = [name for name in _PARTS_OF_A_TEXT if field(texts[0], name)]
    marks = [mark for block in texts if has_fields(block) and (mark := field(block, "cache_control"))]
    marked = {"cache_control": marks[-1]} if marks else {}
    return replaced(texts[0], text=placeholder, **{name: [] for name in gone}, **marked)


def all_text(content: Any) -> tuple[str, ...]:
    """Every text in a content of any shape, in order; bytes of media have none. What lies too deep is not looked at."""
    if isinstance(content, str):
        return (content,) if content else ()
    found: list[str] = []
    pending = [(content, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, str):
            found.append(value)
        elif depth >= _MOST_DEPTH:
            continue
        elif isinstance(value, list | tuple):
            pending += [(item, depth + 1) for item in reversed(value)]
        elif has_fields(value):
            texts = [field(value, name) for name in _TEXT_FIELDS]
            found += [text for text in texts if isinstance(text, str)]
            nested = [field(value, name) for name in _NESTED_FIELDS]
            pending += [(inner, depth + 1) for inner in reversed(nested) if isinstance(inner, str | list | tuple)]
    return tuple(found)


def json_text(value: Any) -> str:
    """Compact, for counting and for keeping: what JSON does not have is told as text, and what has no end is not."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass  # lone surrogates, keys that are no text, other people's objects
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return ""


def arguments_pieces(arguments: Any) -> tuple[str, ...]:
    """A text as it is, an object as JSON."""
    if arguments is None or arguments == "":
        return ()
    return (arguments,) if isinstance(arguments, str) else (json_text(arguments),)


def without(blocks: Any, types: frozenset[str]) -> list[Any]:
    """The blocks that are of none of these types."""
    return [block for block in items_of(blocks) if not (has_fields(block) and word(block, "type") in types)]
