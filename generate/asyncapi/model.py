"""The parts of the document before they are put together."""

from typing import Any, Literal

import msgspec

Schema = dict[str, Any]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """`examples` as AsyncAPI has them: `{name, payload, headers}`."""

    name: str
    title: str
    summary: str
    payload: Schema
    content_type: str = "application/json"
    headers: Schema | None = None
    examples: tuple[dict[str, Any], ...] = ()


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """A subject, its parameters in braces; None where only the asker knows it. `stream` is the one that keeps it."""

    name: str
    address: str | None
    title: str
    description: str
    messages: tuple[Message, ...]
    stream: str | None = None


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What the workers do on a channel; `answers` are what they reply, each to the asker's inbox."""

    name: str
    action: Literal["receive", "send"]
    channel: Channel
    summary: str
    answers: tuple[Message, ...] = ()
    queue: str | None = None
    tag: str


def schema_ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def first_paragraph(struct: type[msgspec.Struct]) -> str:
    """Of its docstring, in one line."""
    return " ".join((struct.__doc__ or "").partition("\n\n")[0].split())
