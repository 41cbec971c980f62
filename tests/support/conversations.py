"""One conversation, written in each of the shapes that messages come in."""

import json
from collections.abc import Callable
from typing import Any, Literal

import msgspec
from pydantic import BaseModel

IMAGE = "aW1hZ2U="


class Ask(msgspec.Struct, frozen=True):
    """A call. Its arguments are one text, `{"a":"..."}` as JSON."""

    call_id: str | None
    tool: str
    argument: str = ""


class Say(msgspec.Struct, frozen=True):
    """What a user or an assistant says; only the latter calls."""

    who: Literal["user", "assistant"]
    text: str = ""
    calls: tuple[Ask, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """A result: text parts, and an image if so."""

    call_id: str | None
    texts: tuple[str, ...]
    has_image: bool = False


Step = Say | Answer
Conversation = list[Step]


def arguments_of(ask: Ask) -> dict[str, str]:
    return {"a": ask.argument}


def arguments_json(ask: Ask) -> str:
    return json.dumps(arguments_of(ask), separators=(",", ":"), ensure_ascii=False)


def _named(name: str, call_id: str | None) -> dict[str, str]:
    return {} if call_id is None else {name: call_id}


def _content(answer: Answer, text: str, image: dict[str, Any]) -> Any:
    """A string where one text is all, else a list."""
    if len(answer.texts) == 1 and not answer.has_image:
        return answer.texts[0]
    parts = [{"type": text, "text": one} for one in answer.texts]
    return [*parts[:1], image, *parts[1:]] if answer.has_image else parts


def chat(conversation: Conversation) -> list[Any]:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}}
    messages: list[Any] = []
    for step in conversation:
        if isinstance(step, Answer):
            content = _content(step, "text", image)
            messages.append({"role": "tool", **_named("tool_call_id", step.call_id), "content": content})
            continue
        calls = [
            {
                **_named("id", ask.call_id),
                "type": "function",
                "function": {"name": ask.tool, "arguments": arguments_json(ask)},
            }
            for ask in step.calls
        ]
        messages.append({"role": step.who, "content": step.text, **({"tool_calls": calls} if calls else {})})
    return messages


def responses(conversation: Conversation) -> list[Any]:
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}"}
    items: list[Any] = []
    for step in conversation:
        if isinstance(step, Answer):
            output = _content(step, "input_text", image)
            items.append({"type": "function_call_output", **_named("call_id", step.call_id), "output": output})
            continue
        if step.text or not step.calls:
            kind = "output_text" if step.who == "assistant" else "input_text"
            items.append({"type": "message", "role": step.who, "content": [{"type": kind, "text": step.text}]})
        items += [
            {
                "type": "function_call",
                **_named("call_id", ask.call_id),
                "name": ask.tool,
                "arguments": arguments_json(ask),
            }
            for ask in step.calls
        ]
    return items


def anthropic(conversation: Conversation) -> list[Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}}
    messages: list[Any] = []
    for step in conversation:
        if isinstance(step, Answer):
            content = _content(step, "text", image)
            block = {"type": "tool_result", **_named("tool_use_id", step.call_id), "content": content}
            messages.append({"role": "user", "content": [block]})
            continue
        blocks: list[Any] = [{"type": "text", "text": step.text}] if step.text or not step.calls else []
        blocks += [
            {"type": "tool_use", **_named("id", ask.call_id), "name": ask.tool, "input": arguments_of(ask)}
            for ask in step.calls
        ]
        messages.append({"role": step.who, "content": blocks})
    return messages


def anthropic_grouped(conversation: Conversation) -> list[Any]:
    """As a provider wants it: results that follow each other are blocks of one message."""
    grouped: list[Any] = []
    for step, message in zip(conversation, anthropic(conversation), strict=True):
        if isinstance(step, Answer) and grouped and grouped[-1]["content"][0].get("type") == "tool_result":
            grouped[-1]["content"] += message["content"]
        else:
            grouped.append(message)
    return grouped


def langchain_flat(conversation: Conversation) -> list[Any]:
    image = {"type": "image", "base64": IMAGE, "mime_type": "image/png"}
    messages: list[Any] = []
    for step in conversation:
        if isinstance(step, Answer):
            content = _content(step, "text", image)
            messages.append({"type": "tool", "content": content, "tool_call_id": step.call_id, "name": None})
            continue
        calls = [
            {"name": ask.tool, "args": arguments_of(ask), "id": ask.call_id, "type": "tool_call"} for ask in step.calls
        ]
        kind = "human" if step.who == "user" else "ai"
        messages.append({"type": kind, "content": step.text, **({"tool_calls": calls} if calls else {})})
    return messages


def langchain_data(conversation: Conversation) -> list[Any]:
    return [{"type": flat["type"], "data": flat} for flat in langchain_flat(conversation)]


def langchain_dumped(conversation: Conversation) -> list[Any]:
    names = {"tool": "ToolMessage", "human": "HumanMessage", "ai": "AIMessage"}
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", names[flat["type"]]],
            "kwargs": flat,
        }
        for flat in langchain_flat(conversation)
    ]


class LangChainMessage(BaseModel):
    """Has the fields that LangChain's classes have."""

    type: str
    content: Any
    tool_call_id: str | None = None
    name: str | None = None
    tool_calls: list[dict[str, Any]] = []


def langchain_objects(conversation: Conversation) -> list[Any]:
    return [LangChainMessage.model_validate(flat) for flat in langchain_flat(conversation)]


def light(conversation: Conversation) -> list[Any]:
    messages: list[Any] = []
    for step in conversation:
        if isinstance(step, Answer):
            tokens = quarter(*step.texts)
            messages.append({"role": "tool", **_named("tool_call_id", step.call_id), "tokens": tokens})
            continue
        calls = [
            {**_named("id", ask.call_id), "name": ask.tool, "tokens": quarter(arguments_json(ask))}
            for ask in step.calls
        ]
        message = {"role": step.who, "tokens": quarter(step.text)}
        messages.append({**message, "tool_calls": calls} if calls else message)
    return messages


def quarter(*texts: str) -> int:
    return -(-sum(map(len, texts)) // 4)


Written = Callable[[Conversation], list[Any]]
SHAPES: dict[str, Written] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "langchain_flat": langchain_flat,
    "langchain_data": langchain_data,
    "langchain_dumped": langchain_dumped,
    "langchain_objects": langchain_objects,
    "light": light,
}
"""Those in which each result is a message of its own."""


def rounds(count: int, *, size: int = 400, tool: str = "bash", argument: str = "ls") -> Conversation:
    """A question, and so many calls of one tool, each with its result of so many chars."""
    conversation: Conversation = [Say("user", "look into it")]
    for number in range(count):
        conversation.append(Say("assistant", "", (Ask(f"call_{number}", tool, argument),)))
        conversation.append(Answer(f"call_{number}", (f"{number:04d}" * (size // 4),)))
    return conversation
