"""Clear old results out of a conversation: by a worker, which stores them first, or on the spot.

Whatever takes time by the length of the conversation is done in a thread: an agent's other tasks go on meanwhile.
"""

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Unpack

import msgspec

from coatcheck_core.clearing import STAYS, Rules, light_of
from coatcheck_core.clearing import clear as clear_by
from coatcheck_core.clearing.carrying import Carrying, Place
from coatcheck_core.clearing.placeholders import ref_in
from coatcheck_core.clearing.requested import reply_of, rules_of, stores
from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.settings import Settings
from coatcheck_core.tokens import counter, named_counter
from coatcheck_schemas.clearing import ClearReply, ClearRequest
from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.segments import decode_segment

from .clear_rules import ClearRules
from .environment import settings_of_environment
from .offloading import KeepApart, Offloading

Count = Callable[[str], int]
Ask = Callable[[ClearRequest], Awaitable[ClearReply]]


def clear(
    messages: Sequence[Any],
    *,
    count: Count | str | None = None,
    settings: Settings | None = None,
    **rules: Unpack[ClearRules],
) -> ClearReply:
    """A conversation with placeholders for its old tool results; no server is asked, and nothing is stored.

    The messages are OpenAI's (chat or responses), Anthropic's, LangChain's or light ones, as dicts or objects. They
    are never changed: the reply has as many in the same shapes. `count` gives a text's tokens, or names an encoding
    (`tiktoken:o200k_base`) or the estimate (`tokens`); without it a message counts a quarter of its chars. A rule that
    is not given is that of the `settings` (`clearing.*`), by default those of the environment. Raises RequestError
    (`invalid_argument`), which names what is wrong, InvalidInput for a `count` that is none, ConfigError for the
    environment.
    """
    settings = settings_of_environment() if settings is None else settings
    return _here(messages, rules_of(request_of([], rules), settings), counting(count))


async def clear_there(
    session: str,
    ask: Ask,
    keep_apart: KeepApart,
    messages: Sequence[Any],
    rules: ClearRules,
    *,
    settings: Settings,
    count: Count | None,
    offload: bool | None,
    light: bool,
) -> ClearReply:
    """By a worker: whole where one message carries it, else by sizes alone, and here where not even these fit.

    `session` is a segment. What did not go whole is stored after that, unless `light`: the results that are to be
    cleared, and only these. Raises RequestError, as the worker answers.
    """
    messages = list(messages) if isinstance(messages, list | tuple) else messages  # the caller's may grow meanwhile
    given = request_of([], rules, offload=offload)
    by = rules_of(given, settings, has_retrieval=has_tools(settings.retrieval, decode_segment(session)))
    whole = await to_thread(_plain, messages) if count is None and not light else None
    if whole is not None:
        reply = await _asked(ask, msgspec.structs.replace(given, messages=whole))
        if reply is not None:
            return msgspec.structs.replace(reply, messages=await to_thread(_over, messages, reply, by, count))
    sizes = await to_thread(light_messages, messages, by, count)
    reply = await _asked(ask, msgspec.structs.replace(given, messages=sizes))
    if reply is None:
        reply = await to_thread(_here, messages, by, count)
    if light or not stores(given, settings):
        return await _carried(messages, reply, by, count)

    async def asked(request: ClearRequest) -> ClearReply | None:
        return await _asked(ask, request)

    return await _carried(messages, reply, by, count, Offloading(session, asked, keep_apart, given, by))


async def _asked(ask: Ask, request: ClearRequest) -> ClearReply | None:
    """None where it, or its reply, does not fit one message, or has what JSON does not.

    Where a worker's time was over before all was stored, the next request goes on.
    """
    stored = -1
    while True:
        try:
            return await ask(request)
        except InvalidInput:
            return None
        except RequestError as error:
            if error.code is Code.TOO_LARGE:
                return None
            more = error.details.get("stored")
            if error.code is not Code.UNAVAILABLE or not isinstance(more, int) or more <= stored:
                raise
            stored = more


def request_of(messages: list[Any], rules: ClearRules, *, offload: bool | None = None) -> ClearRequest:
    """Raises RequestError `invalid_argument` for what is no rule."""
    try:
        fields = dict(rules) | {"messages": [], "offload": offload}
        if "exclude_tools" in rules and not isinstance(rules["exclude_tools"], str):
            fields["exclude_tools"] = list(rules["exclude_tools"])
        return msgspec.structs.replace(msgspec.convert(fields, ClearRequest), messages=messages)
    except (msgspec.ValidationError, TypeError) as error:
        raise RequestError(Code.INVALID_ARGUMENT, str(error)) from None


def counting(count: Count | str | None) -> Count | None:
    """The counter that is given, or named. Raises InvalidInput where there is none of the name, or it is none."""
    if not isinstance(count, str):
        if count is not None and not callable(count):
            raise InvalidInput(f"count is a function of a text, or names an encoding; got {count!r:.100}")
        return count
    try:
        return counter(count) if count == "tokens" else named_counter(count)
    except ValueError as error:
        raise InvalidInput(str(error).replace("budget.unit", "count", 1)) from None


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


async def _carried(
    messages: Sequence[Any], reply: ClearReply, rules: Rules, count: Count | None, offloading: Offloading | None = None
) -> ClearReply:
    """The reply, of the messages that were given, with what stands for each result once it is stored."""
    carrying, told = await to_thread(_told, messages, reply, rules, count)
    if offloading is not None:
        # Stubs are among them, since a worker knows what one leads to.
        kept = [slot for slot, _ in carrying.cleared if not slot.is_light and slot.text]
        told |= await offloading.placeholders(kept, count)
    return await to_thread(_put_in, messages, reply, carrying, told, None if offloading is None else rules)


def _told(
    messages: Sequence[Any], reply: ClearReply, rules: Rules, count: Count | None
) -> tuple[Carrying, dict[Place, str]]:
    """The messages with what was answered of them, and what stands for each result by that."""
    carrying = _carrying(messages, reply, rules, count)
    slots = [slot for slot, _ in carrying.cleared]
    if len(slots) != len(reply.cleared):
        raise _strange(f"{len(reply.cleared)} results cleared, and {len(slots)} marked so")
    told = {
        (slot.index, slot.number): item.placeholder
        for slot, item in zip(slots, reply.cleared, strict=True)
        if isinstance(item.placeholder, str) and slot.stub is None
    }
    return carrying, told


def _put_in(
    messages: Sequence[Any], reply: ClearReply, carrying: Carrying, told: dict[Place, str], rules: Rules | None
) -> ClearReply:
    """The reply with these placeholders, weighed by the `rules` where there are any."""
    cleared = []
    for (slot, usual), item in zip(carrying.cleared, reply.cleared, strict=True):
        placeholder = told.get((slot.index, slot.number), usual)
        if placeholder != STAYS:
            ref = ref_in(placeholder) or item.ref
            cleared.append(msgspec.structs.replace(item, ref=ref, placeholder=msgspec.UNSET))
    reply = msgspec.structs.replace(
        reply,
        messages=carrying.over(told),
        cleared=cleared,
        offloaded=all(item.ref is not None for item in cleared),
    )
    return reply if rules is None else _weighed(messages, reply, carrying, rules)


def _weighed(messages: Sequence[Any], reply: ClearReply, carrying: Carrying, rules: Rules) -> ClearReply:
    """By the tokens that there are with refs; as it was, where less is gained by that than is asked for."""
    before, after = carrying.tokens(reply.messages)
    if before - after < rules.clear_at_least_tokens:
        return ClearReply(
            messages=list(messages), cleared=[], tokens_before=before, tokens_after=before, offloaded=True
        )
    return msgspec.structs.replace(reply, tokens_before=before, tokens_after=after)


def _over(messages: Sequence[Any], reply: ClearReply, rules: Rules, count: Count | None) -> list[Any]:
    return _carrying(messages, reply, rules, count).over()


def _carrying(messages: Sequence[Any], reply: ClearReply, rules: Rules, count: Count | None) -> Carrying:
    try:
        return Carrying(messages, reply.messages, rules, count)
    except ValueError as error:
        raise _strange(str(error)) from None


def _strange(why: str) -> RequestError:
    return RequestError(
        Code.INTERNAL, f"the answer is none to what was asked ({why}): are client and worker of one version?"
    )
