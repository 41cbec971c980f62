"""Clear old results out of a conversation: by a worker, which stores them first, or on the spot."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Unpack

import msgspec

from coatcheck_core.clearing import Rules, light_of
from coatcheck_core.clearing import clear as clear_by
from coatcheck_core.clearing.carrying import carry_over
from coatcheck_core.clearing.placeholders import ref_in
from coatcheck_core.clearing.requested import reply_of, rules_of
from coatcheck_core.settings import Settings
from coatcheck_core.tokens import named_counter
from coatcheck_schemas.clearing import ClearReply, ClearRequest
from coatcheck_schemas.errors import Code, InvalidInput, RequestError

from .clear_rules import ClearRules

Count = Callable[[str], int]
Ask = Callable[[ClearRequest], Awaitable[ClearReply]]


def clear(messages: Sequence[Any], *, count: Count | str | None = None, **rules: Unpack[ClearRules]) -> ClearReply:
    """A conversation with placeholders for its old tool results; no server is asked, and nothing is stored.

    The messages are OpenAI's (chat or responses), Anthropic's, LangChain's or light ones, as dicts or objects. They
    are never changed: the reply has as many in the same shapes. `count` gives a text's tokens, or names an encoding
    (`tiktoken:o200k_base`); without it a message counts a quarter of its chars. Raises RequestError
    (`invalid_argument`), which names what is wrong.
    """
    request = request_of([], rules, offload=False)
    return _here(messages, rules_of(request, Settings()), counting(count))


async def clear_there(
    ask: Ask, messages: Sequence[Any], rules: ClearRules, count: Count | None, *, offload: bool, light: bool
) -> ClearReply:
    """By a worker: whole where one message carries it, else by sizes alone, and here where not even these fit.

    Only what goes whole can be stored: `offloaded` of the reply says whether it was. Raises RequestError, as the
    worker answers.
    """
    by = rules_of(request_of([], rules, offload=offload), Settings())
    whole = _plain(messages) if count is None and not light else None
    if whole is not None:
        reply = await _asked(ask, request_of(whole, rules, offload=offload))
        if reply is not None:
            return _carried(messages, reply, by, count)
    reply = await _asked(ask, request_of(light_messages(messages, by, count), rules, offload=offload))
    return _carried(messages, reply, by, count) if reply is not None else _here(messages, by, count)


async def _asked(ask: Ask, request: ClearRequest) -> ClearReply | None:
    """None where it, or its reply, does not fit one message."""
    try:
        return await ask(request)
    except RequestError as error:
        if error.code is not Code.TOO_LARGE:
            raise
        return None


def request_of(messages: list[Any], rules: ClearRules, *, offload: bool) -> ClearRequest:
    """Raises RequestError `invalid_argument` for what is no rule."""
    try:
        fields = dict(rules) | {"messages": [], "offload": offload}
        if "exclude_tools" in rules and not isinstance(rules["exclude_tools"], str):
            fields["exclude_tools"] = list(rules["exclude_tools"])
        return msgspec.structs.replace(msgspec.convert(fields, ClearRequest), messages=messages)
    except (msgspec.ValidationError, TypeError) as error:
        raise RequestError(Code.INVALID_ARGUMENT, str(error)) from None


def counting(count: Count | str | None) -> Count | None:
    """The counter that is given, or named. Raises InvalidInput where there is none of the name."""
    if not isinstance(count, str):
        return count
    try:
        return named_counter(count)
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def light_messages(messages: Sequence[Any], rules: Rules, count: Count | None) -> list[Any]:
    """Raises RequestError `invalid_argument` where the messages are none."""
    if not isinstance(messages, list | tuple):
        raise RequestError(Code.INVALID_ARGUMENT, f"messages must be a list, not {type(messages).__name__}")
    try:
        return list(light_of(messages, rules, count))
    except ValueError as error:
        raise RequestError(Code.INVALID_ARGUMENT, f"messages: {error}") from None


def _here(messages: Sequence[Any], rules: Rules, count: Count | None) -> ClearReply:
    return reply_of(clear_by(messages, rules, count))


def _plain(messages: Sequence[Any]) -> list[Any] | None:
    """As JSON has them; None where something in them cannot be put so."""
    if not isinstance(messages, list | tuple):
        return None
    try:
        plain: list[Any] = msgspec.to_builtins(messages, str_keys=True, enc_hook=_fields)
        msgspec.json.encode(plain)
    except (TypeError, ValueError, RecursionError):
        return None
    return plain


def _fields(value: Any) -> Any:
    """Of an object at any depth, as SDKs put their blocks into a caller's own dict."""
    if hasattr(value, "model_dump"):  # pydantic's models, which the SDKs and frameworks are made of
        return value.model_dump(mode="json")
    if type(value).__module__ == "builtins" or not hasattr(value, "__dict__"):
        raise TypeError(f"a {type(value).__name__} has no form in JSON")
    return {name: found for name, found in vars(value).items() if not name.startswith("_")}


def _carried(messages: Sequence[Any], reply: ClearReply, rules: Rules, count: Count | None) -> ClearReply:
    """The reply, of the messages that were given."""
    try:
        carried = carry_over(messages, reply.messages, rules, count)
    except ValueError as error:
        raise RequestError(
            Code.INTERNAL, f"the answer is none to what was asked ({error}): are client and worker of one version?"
        ) from None
    refs = {index: iter(map(ref_in, placeholders)) for index, placeholders in carried.placeholders.items()}
    cleared = [
        msgspec.structs.replace(item, ref=next(refs.get(item.index, iter(())), None) or item.ref)
        for item in reply.cleared
    ]
    return msgspec.structs.replace(
        reply, messages=carried.messages, cleared=cleared, offloaded=all(item.ref is not None for item in cleared)
    )
