"""OpenAI responses: items, of which calls and their outputs are of their own; what the server runs stays as it is."""

from typing import Any

from .access import field, id_of, name_of, replaced
from .reading import CLEARED_ARGUMENTS, CLEARED_ARGUMENTS_JSON, Call, Changes, Reading, Result, Sized
from .shell import cleared_shell, shell_pieces
from .texts import arguments_pieces, cleared_content, media_text, result_pieces

_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
_ACTIONS = {"local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation"}
"""What a call of a tool that OpenAI defines, and the agent runs, is to do: it has a form of its own, and stays."""
_SHELL_OUTPUT = "shell_call_output"
_OUTPUTS = frozenset(f"{call}_output" for call in (*_ARGUMENTS, *_ACTIONS))


def is_item(message: Any) -> bool:
    kind = field(message, "type")
    return isinstance(kind, str) and (kind in _ARGUMENTS or kind in _ACTIONS or kind in _OUTPUTS)


def read(message: Any) -> Reading:
    kind = field(message, "type")
    call_id, name = _call_id(message), name_of(field(message, "name")) or _tool_of(kind)
    if kind in _OUTPUTS:
        output = field(message, "output")
        pieces = shell_pieces(output) if kind == _SHELL_OUTPUT else result_pieces(output)
        result = Result(call_id=call_id, name=name, content=output, pieces=pieces)
        return Reading(other=Sized(pieces=media_text(output)), results=(result,))
    if kind in _ACTIONS:
        action = Sized(pieces=arguments_pieces(field(message, _ACTIONS[kind])))
        return Reading(other=action, calls=(Call(call_id=call_id, name=name),), joins_round=True)
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
        cleared_output = cleared_shell if kind == _SHELL_OUTPUT else cleared_content
        return replaced(message, output=cleared_output(field(message, "output"), changes.results[0]))
    cleared = CLEARED_ARGUMENTS_JSON if kind == "function_call" else CLEARED_ARGUMENTS
    return replaced(message, **{_ARGUMENTS[kind]: cleared})


def _call_id(message: Any) -> str:
    """The output of a local shell names its call in `id` alone."""
    return id_of(field(message, "call_id")) or id_of(
        field(message, "id") if field(message, "type") == "local_shell_call_output" else None
    )


def _tool_of(kind: str) -> str | None:
    """The name of OpenAI's own tool: `shell` of `shell_call` and of its output."""
    call = kind.removesuffix("_output")
    return call.removesuffix("_call") if call in _ACTIONS else None
