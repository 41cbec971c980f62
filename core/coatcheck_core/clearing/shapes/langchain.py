"""LangChain messages: objects, and the dicts that they are dumped to, told apart by what they have; never imported.

An assistant's message may say a call three times: in `tool_calls`, in its content's blocks and in what the provider
sent (`additional_kwargs`). It is counted once, and cleared in all.
"""

from collections.abc import Callable
from typing import Any

from .access import field, has_fields, id_of, items_of, name_of, replaced, word
from .reading import CLEARED_ARGUMENTS_JSON, Call, Changes, Reading, Result, Sized, cleared_arguments
from .texts import all_text, arguments_pieces, cleared_content, media_text, result_pieces, without

_KINDS = {
    **dict.fromkeys(["tool", "ToolMessage", "ToolMessageChunk", "function", "FunctionMessage"], "result"),
    **dict.fromkeys(["ai", "AIMessage", "AIMessageChunk"], "ai"),
    **dict.fromkeys(["human", "HumanMessage", "HumanMessageChunk"], "user"),
    **dict.fromkeys(["system", "SystemMessage", "SystemMessageChunk", "chat", "ChatMessage", "ChatMessageChunk"], ""),
}
_CALL_BLOCKS = frozenset(["tool_use", "tool_call", "function_call", "tool_call_chunk", "input_json_delta"])


def is_langchain(message: Any) -> bool:
    return _kind(message) is not None


def read(message: Any) -> Reading:
    kind, inner = _kind(message), _inner(message)
    content = field(inner, "content")
    if kind == "result":
        result = Result(
            call_id=id_of(field(inner, "tool_call_id")),
            name=name_of(field(inner, "name")),
            content=content,
            pieces=result_pieces(content),
        )
        return Reading(other=Sized(pieces=media_text(content)), results=(result,))
    text = all_text(content if isinstance(content, str) else without(content, _CALL_BLOCKS))
    calls = tuple(map(_call, [*_calls(inner), *_bad_calls(inner)])) if kind == "ai" else ()
    return Reading(other=Sized(pieces=text), calls=calls, is_user=kind == "user")


def write(message: Any, changes: Changes) -> Any:
    inner = _inner(message)
    if 0 in changes.results:
        return _outer(message, content=cleared_content(field(inner, "content"), changes.results[0]))
    calls, bad = _calls(inner), _bad_calls(inner)
    written: dict[str, Any] = {}
    if calls:
        written["tool_calls"] = _where(calls, changes.calls, lambda call: replaced(call, args=cleared_arguments()))
    if bad:
        later = frozenset(number - len(calls) for number in changes.calls)
        written["invalid_tool_calls"] = _where(bad, later, lambda call: replaced(call, args=CLEARED_ARGUMENTS_JSON))
    return _outer(message, **written, **_copies(inner, calls, changes.calls))


def _copies(inner: Any, calls: list[Any], cleared: frozenset[int]) -> dict[str, Any]:
    """The other places in which the message says the same calls."""
    written: dict[str, Any] = {}
    content = field(inner, "content")
    at = [index for index, block in enumerate(items_of(content)) if _is_call_block(block)]
    if at:
        wanted = _same([content[index] for index in at], calls, cleared)
        places = frozenset(at[number] for number in wanted)
        written["content"] = _where(content, places, _cleared_block)
    extra = field(inner, "additional_kwargs")
    raw = items_of(field(extra, "tool_calls")) if isinstance(extra, dict) else []
    if raw:
        again = _where(raw, _same(raw, calls, cleared), _cleared_raw)
        written["additional_kwargs"] = {**extra, "tool_calls": again}
    chunks = items_of(field(inner, "tool_call_chunks"))
    if chunks:
        wanted = _same(chunks, calls, cleared)
        written["tool_call_chunks"] = _where(chunks, wanted, lambda chunk: replaced(chunk, args=CLEARED_ARGUMENTS_JSON))
    return written


def _same(copies: list[Any], calls: list[Any], cleared: frozenset[int]) -> frozenset[int]:
    """Which copies are those of the cleared calls: by their place where they are as many, else by their ids."""
    if len(copies) == len(calls):
        return cleared & frozenset(range(len(calls)))
    kept = {id_of(field(call, "id")) for number, call in enumerate(calls) if number not in cleared}
    gone = {id_of(field(call, "id")) for number, call in enumerate(calls) if number in cleared} - kept
    ids = [id_of(field(copy, "call_id") or field(copy, "id")) for copy in copies]
    return frozenset(number for number, copy_id in enumerate(ids) if copy_id in gone)


def _where(values: Any, places: frozenset[int], change: Callable[[Any], Any]) -> list[Any]:
    return [change(value) if place in places else value for place, value in enumerate(values)]


def _is_call_block(block: Any) -> bool:
    return has_fields(block) and word(block, "type") in _CALL_BLOCKS


def _cleared_block(block: Any) -> Any:
    """In the field that it has its arguments in, as the object or the text that they are there."""
    changes: dict[str, Any] = {}
    for name in ("input", "args", "arguments", "partial_json"):
        value = field(block, name)
        if value is not None:
            changes[name] = CLEARED_ARGUMENTS_JSON if isinstance(value, str) else cleared_arguments()
    return replaced(block, **changes)


def _cleared_raw(call: Any) -> Any:
    function = field(call, "function")
    if not has_fields(function):
        return call
    return replaced(call, function=replaced(function, arguments=CLEARED_ARGUMENTS_JSON))


def _calls(inner: Any) -> list[Any]:
    return [call for call in items_of(field(inner, "tool_calls")) if has_fields(call)]


def _bad_calls(inner: Any) -> list[Any]:
    """Those whose arguments were no JSON; they have results, too, which say so."""
    return [call for call in items_of(field(inner, "invalid_tool_calls")) if has_fields(call)]


def _call(call: Any) -> Call:
    return Call(
        call_id=id_of(field(call, "id")),
        name=name_of(field(call, "name")),
        pieces=arguments_pieces(field(call, "args")),
    )


def _kind(message: Any) -> str | None:
    """`result`, `ai`, `user`, `""` for any other; None where it is no message of LangChain's."""
    if not isinstance(message, dict):
        kind = getattr(message, "type", None)
        return _KINDS.get(kind) if isinstance(kind, str) and hasattr(message, "content") else None
    if "role" in message and "lc" not in message:
        return None
    if isinstance(message.get("kwargs"), dict):
        name = items_of(message.get("id"))[-1:]
        kind = name[0] if name else message["kwargs"].get("type")
    else:
        kind = message.get("type")
        if not isinstance(message.get("data"), dict) and "content" not in message:
            return None
    return _KINDS.get(kind) if isinstance(kind, str) else None


def _inner(message: Any) -> Any:
    """Where the fields are: the message itself, its `data` or its `kwargs`."""
    if isinstance(message, dict):
        for name in ("data", "kwargs"):
            if isinstance(message.get(name), dict):
                return message[name]
    return message


def _outer(message: Any, **changes: Any) -> Any:
    inner = _inner(message)
    if inner is message:
        return replaced(message, **changes)
    name = "data" if inner is message.get("data") else "kwargs"
    return replaced(message, **{name: replaced(inner, **changes)})
