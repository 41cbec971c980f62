"""From a request to clear to rules, and from what was cleared to the reply: the same for a worker and on the spot."""

from typing import TypeVar

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import ClearingSettings, ToolClearSettings, ToolSettings
from coatcheck_schemas.clearing import ClearedItem, ClearReply, ClearRequest, ClearRule

from .clearing import Cleared, ClearedResult
from .rules import PLACEHOLDER, Rules, ToolRule

_T = TypeVar("_T")


def rules_of(request: ClearRequest, settings: Settings, *, has_retrieval: bool = True) -> Rules:
    """The request's rules, and those of the settings where it has none; `has_retrieval` is what these say of a session.

    Raises RequestError (`invalid_argument`), which names the field, where a value cannot be.
    """
    usual = settings.clearing
    return Rules(
        clearing_token_threshold=_given(request.clearing_token_threshold, usual.clearing_token_threshold),
        keep_recent_tokens=_given(request.keep_recent_tokens, usual.keep_recent_tokens),
        clear_at_least_tokens=_given(request.clear_at_least_tokens, usual.clear_at_least_tokens),
        placeholder=_given(request.placeholder, usual.placeholder),
        exclude_tools=frozenset(_given(request.exclude_tools, usual.exclude_tools)),
        keep_rounds=_given(request.keep_rounds, usual.keep_rounds),
        clear_arguments=_given(request.clear_arguments, usual.clear_arguments),
        tools=_tool_rules(request.tools, settings.tools),
        retrieval=settings.retrieval,
        language=settings.stub.language,
        has_retrieval=has_retrieval and request.retrieval is not False,
        known_placeholders=_placeholders(usual, settings.tools),
    )


def stores(request: ClearRequest, settings: Settings) -> bool:
    """Whether results are to be stored before they are cleared."""
    return _given(request.offload, settings.clearing.offload)


def reply_of(cleared: Cleared) -> ClearReply:
    return ClearReply(
        messages=cleared.messages,
        cleared=[_item(one) for one in cleared.cleared],
        tokens_before=cleared.tokens_before,
        tokens_after=cleared.tokens_after,
        offloaded=all(one.ref is not None for one in cleared.cleared),
    )


def _given(value: _T | None, usual: _T) -> _T:
    return usual if value is None else value


def _tool_rules(given: dict[str, ClearRule], usual: dict[str, ToolSettings]) -> dict[str, ToolRule]:
    """By name; of a tool that both speak of, each field is the request's where that has it."""
    rules: dict[str, ToolRule] = {}
    for name in {*given, *usual}:
        rule = given.get(name, ClearRule())
        own = usual[name].clear if name in usual else ToolClearSettings()
        rules[name] = ToolRule(
            never=_given(rule.never, own.never),
            keep=_given(rule.keep, own.keep),
            placeholder=own.placeholder if rule.placeholder is None else rule.placeholder,
            clear_arguments=own.clear_arguments if rule.clear_arguments is None else rule.clear_arguments,
        )
    return rules


def _placeholders(usual: ClearingSettings, tools: dict[str, ToolSettings]) -> frozenset[str]:
    own = [tool.clear.placeholder for tool in tools.values() if tool.clear.placeholder is not None]
    return frozenset([usual.placeholder, *own])


def _item(one: ClearedResult) -> ClearedItem:
    is_told = one.slot.is_light and one.placeholder != PLACEHOLDER
    return ClearedItem(
        index=one.slot.index,
        call_id=one.slot.call_id,
        ref=one.ref,
        tokens=one.tokens,
        placeholder=one.placeholder if is_told else msgspec.UNSET,
    )
