"""OpenAI responses: items, of which calls and their outputs are of their own; what the server runs stays as it is."""

from typing import Any

from .access import field, id_of, name_of, replaced
from .reading import CLEARED_ARGUMENTS, CLEARED_ARGUMENTS_JSON, Call, Changes, Reading, Result, Sized
from .texts import arguments_pieces, cleared_content, media_text, result_pieces

_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS = frozenset(["function_call_output", "custom_tool_call_output"])


def is_item(message: Any) -> bool:
    kind = field(message, "type")
    return isinstance(kind, str) and (kind in _ARGUMENTS or kind in _OUTPUTS)


def read(message: Any) -> Reading:
    kind = field(message, "type")
    call_id, name = id_of(field(message, "call_id")), name_of(field(message, "name"))
    if kind in _OUTPUTS:
        output = field(message, "output")
        result = Result(call_id=call_id, name=name, content=output, pieces=result_pieces(output))
        return Reading(other=Sized(pieces=media_text(output)), results=(result,))
    call = Call(
        call_id=call_id,
        name=name,
        pieces=arguments_pieces(field(message, _ARGUMENTS[kind])),
        when_cleared=CLEARED_ARGUMENTS_JSON if kind == "function_call" else CLEARED_ARGUMENTS,
    )
    return Reading(calls=(call,), joins_round=True)


def write(message: Any, changes: Changes) -> Any:
    kind = field(message, "type")
    if kind in _OUTPUTS:
        return replaced(message, output=cleared_content(field(message, "output"), changes.results[0]))
    cleared = CLEARED_ARGUMENTS_JSON if kind == "function_call" else CLEARED_ARGUMENTS
    return replaced(message, **{_ARGUMENTS[kind]: cleared})
