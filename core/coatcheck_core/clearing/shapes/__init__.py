"""The shapes in which messages come, each in a file of its own; a message says by itself which it has.

A list may mix them: a conversation that was carried from one provider to another does. What has none of the shapes is
counted by its text and passes untouched.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from . import anthropic, chat, langchain, light, responses
from .access import field, has_fields
from .reading import Call, Changes, Reading, Result, Sized
from .texts import all_text

__all__ = ["LIGHT", "Call", "Changes", "Reading", "Result", "Shape", "Sized", "shape_of"]


class Shape(msgspec.Struct, frozen=True):
    """`read` raises ValueError where a message of the shape is broken; `write` gives another message, or the same."""

    name: str
    read: Callable[[Any], Reading]
    write: Callable[[Any, Changes], Any]


def _read_other(message: Any) -> Reading:
    return Reading(
        other=Sized(pieces=all_text(message if isinstance(message, str) else [message])),
        is_user=has_fields(message) and field(message, "role") == "user",
    )


def _untouched(message: Any, _: Changes) -> Any:
    return message


LANGCHAIN = Shape("langchain", langchain.read, langchain.write)
RESPONSES = Shape("openai responses", responses.read, responses.write)
LIGHT = Shape("light", light.read, light.write)
CHAT = Shape("openai chat", chat.read, chat.write)
ANTHROPIC = Shape("anthropic", anthropic.read, anthropic.write)
OTHER = Shape("other", _read_other, _untouched)

_SHAPES = (
    (langchain.is_langchain, LANGCHAIN),
    (responses.is_item, RESPONSES),
    (light.is_light, LIGHT),
    (chat.is_chat, CHAT),
    (anthropic.has_tool_blocks, ANTHROPIC),
)
"""The first that takes a message has it: light ones have calls as those of a chat do, a content with blocks is looked
through last."""


def shape_of(message: Any) -> Shape:
    if not has_fields(message):
        return OTHER
    for takes, shape in _SHAPES:
        if takes(message):
            return shape
    return OTHER
