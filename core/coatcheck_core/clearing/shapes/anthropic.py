"""Anthropic messages: `tool_use` blocks of the assistant, `tool_result` blocks of the user, several in a message."""

from typing import Any

from .access import field, has_fields, id_of, name_of, replaced, word
from .reading import Call, Changes, Reading, Result, Sized, cleared_arguments
from .texts import all_text, arguments_pieces, cleared_content, media_text, result_pieces, without

_OURS = frozenset(["tool_use", "tool_result"])


def has_tool_blocks(message: Any) -> bool:
    content = field(message, "content")
    if not isinstance(content, list | tuple):
        return False
    return any(has_fields(block) and word(block, "type") in _OURS for block in content)


def read(message: Any) -> Reading:
    content = field(message, "content")
    results = _blocks(content, "tool_result")
    media = [text for block in results for text in media_text(field(block, "content"))]
    return Reading(
        other=Sized(pieces=(*all_text(without(content, _OURS)), *media)),
        calls=tuple(map(_call, _blocks(content, "tool_use"))),
        results=tuple(map(_result, results)),
    )


def write(message: Any, changes: Changes) -> Any:
    blocks = []
    results = calls = 0
    for block in field(message, "content"):
        kind = field(block, "type") if has_fields(block) else None
        if kind == "tool_result":
            placeholder = changes.results.get(results)
            results += 1
            if placeholder is not None:
                block = replaced(block, content=cleared_content(field(block, "content"), placeholder))
        elif kind == "tool_use":
            if calls in changes.calls:
                block = replaced(block, input=cleared_arguments())
            calls += 1
        blocks.append(block)
    return replaced(message, content=blocks)


def _blocks(content: Any, kind: str) -> list[Any]:
    return [block for block in content if has_fields(block) and field(block, "type") == kind]


def _result(block: Any) -> Result:
    content = field(block, "content")
    return Result(call_id=id_of(field(block, "tool_use_id")), name=None, content=content, pieces=result_pieces(content))


def _call(block: Any) -> Call:
    return Call(
        call_id=id_of(field(block, "id")),
        name=name_of(field(block, "name")),
        pieces=arguments_pieces(field(block, "input")),
    )
