"""OpenAI chat completions: `tool` messages, `tool_calls`, and the older `function` ones."""

from typing import Any

from .access import field, has_fields, id_of, items_of, name_of, replaced, word
from .reading import CLEARED_ARGUMENTS, CLEARED_ARGUMENTS_JSON, Call, Changes, Reading, Result, Sized
from .texts import all_text, arguments_pieces, cleared_content, media_text, result_pieces

RESULT_ROLES = frozenset(["tool", "function"])


def is_chat(message: Any) -> bool:
    return word(message, "role") in RESULT_ROLES or bool(
        items_of(field(message, "tool_calls")) or field(message, "function_call")
    )


def read(message: Any) -> Reading:
    content = field(message, "content")
    if word(message, "role") in RESULT_ROLES:
        result = Result(
            call_id=id_of(field(message, "tool_call_id")),
            name=name_of(field(message, "name")),
            content=content,
            pieces=result_pieces(content),
        )
        return Reading(other=Sized(pieces=media_text(content)), results=(result,))
    return Reading(other=Sized(pieces=all_text(content)), calls=tuple(map(_call, _calls(message))))


def write(message: Any, changes: Changes) -> Any:
    if 0 in changes.results:
        return replaced(message, content=cleared_content(field(message, "content"), changes.results[0]))
    calls = [_cleared(call) if number in changes.calls else call for number, call in enumerate(_calls(message))]
    if items_of(field(message, "tool_calls")):
        return replaced(message, tool_calls=calls)
    return replaced(message, function_call=replaced(field(message, "function_call"), arguments=CLEARED_ARGUMENTS_JSON))


def _calls(message: Any) -> list[Any]:
    """The calls; an older message has one, which bears its name and arguments itself, and no id."""
    calls = items_of(field(message, "tool_calls"))
    if calls:
        return calls
    older = field(message, "function_call")
    return [{"function": older}] if has_fields(older) else []


def _call(call: Any) -> Call:
    if not has_fields(call):
        return Call(call_id="", name=None)
    call_id = id_of(field(call, "id"))
    custom = field(call, "custom")
    if has_fields(custom):  # a tool whose input is free text
        pieces = arguments_pieces(field(custom, "input"))
        return Call(call_id=call_id, name=name_of(field(custom, "name")), pieces=pieces, when_cleared=CLEARED_ARGUMENTS)
    function = field(call, "function")
    return Call(
        call_id=call_id,
        name=name_of(field(function, "name")),
        pieces=arguments_pieces(field(function, "arguments")),
    )


def _cleared(call: Any) -> Any:
    custom = field(call, "custom")
    if has_fields(custom):
        return replaced(call, custom=replaced(custom, input=CLEARED_ARGUMENTS))
    return replaced(call, function=replaced(field(call, "function"), arguments=CLEARED_ARGUMENTS_JSON))
