"""The light shape: sizes in place of contents, for those who will not send them.

`{role, tool_call_id, tokens, tool_calls: [{id, name, tokens}]}`, where `tokens` stands for the content, and a call's
for its arguments. A message with several results has `tool_results: [{tool_call_id, name, tokens}]`, whose sizes are
not in the message's own. A result that is stored already may say where, in `ref`. What is cleared bears
`cleared: true`.
"""

from typing import Any

from coatcheck_core.clearing.stubs import is_whole_ref

from .access import field, has_fields, id_of, items_of, name_of, replaced, word
from .chat import RESULT_ROLES
from .reading import CLEARED_ARGUMENTS_JSON, Call, Changes, Reading, Result, Sized


def is_light(message: Any) -> bool:
    """It says how large its content is, and has none."""
    if not isinstance(message, dict):
        return False
    return "tokens" in message and message.get("content") is None and "type" not in message


def read(message: Any) -> Reading:
    """Raises ValueError where a size is none."""
    tokens = _tokens(message, "")
    calls = tuple(_call(call, f"tool_calls[{at}].") for at, call in enumerate(items_of(message.get("tool_calls"))))
    results = tuple(
        _result(result, f"tool_results[{at}].") for at, result in enumerate(items_of(message.get("tool_results")))
    )
    if word(message, "role") in RESULT_ROLES and not results:
        return Reading(results=(_result(message, ""),), calls=calls)
    return Reading(other=Sized(tokens=tokens), calls=calls, results=results, is_user=message.get("role") == "user")


def write(message: Any, changes: Changes) -> Any:
    """With the sizes of what would stand there."""
    written = message
    arguments = changes.measure((CLEARED_ARGUMENTS_JSON,))
    sizes = {at: changes.measure((text,)) for at, text in changes.results.items()}
    if changes.calls:
        calls = [
            replaced(call, tokens=arguments, cleared=True) if at in changes.calls else call
            for at, call in enumerate(items_of(message["tool_calls"]))
        ]
        written = replaced(written, tool_calls=calls)
    if not changes.results:
        return written
    if not items_of(message.get("tool_results")):
        return replaced(written, tokens=sizes[0], cleared=True)
    results = [
        replaced(result, tokens=sizes[at], cleared=True) if at in changes.results else result
        for at, result in enumerate(items_of(message["tool_results"]))
    ]
    return replaced(written, tool_results=results)


def _call(call: Any, where: str) -> Call:
    return Call(
        call_id=id_of(field(call, "id")), name=name_of(field(call, "name")), tokens=_tokens(call, where, absent=0)
    )


def _result(result: Any, where: str) -> Result:
    return Result(
        call_id=id_of(field(result, "tool_call_id")),
        name=name_of(field(result, "name")),
        tokens=_tokens(result, where),
        is_marked=field(result, "cleared") is True,
        ref=_ref(result, where),
    )


def _ref(result: Any, where: str) -> str | None:
    ref = field(result, "ref")
    if ref is None:
        return None
    if not isinstance(ref, str) or not is_whole_ref(ref):
        raise ValueError(f"{where}ref must be a whole reference, as coat://SESSION/RESULT_ID, not {ref!r:.200}")
    return ref


def _tokens(message: Any, where: str, *, absent: int | None = None) -> int:
    tokens = message.get("tokens", absent) if has_fields(message) and isinstance(message, dict) else None
    if type(tokens) is not int or tokens < 0:
        raise ValueError(f"{where}tokens must be a whole number of at least 0, not {tokens!r:.80}")
    return tokens
