"""The request `coat.clear.SESSION` and its reply: old tool results out of a conversation."""

from typing import Any

import msgspec

DEFAULT_THRESHOLD_TOKENS = 20_000
DEFAULT_RECENT_TOKENS = 40_000
DEFAULT_PLACEHOLDER = "[Old tool result content cleared]"


class ClearRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What holds for one tool; what is absent is as the settings `tools.NAME.clear` say, else as for all.

    `never`: its results and arguments stay. `keep`: so many of its newest results stay. `placeholder` stands in place
    of its results, `clear_arguments` is about its calls.
    """

    never: bool | None = None
    keep: int | None = None
    placeholder: str | None = None
    clear_arguments: bool | None = None


class ClearRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`messages` in any shape that is known (OpenAI's two, Anthropic's, LangChain's, light ones), even mixed.

    A light message is `{role, tool_call_id, tokens, tool_calls: [{id, name, tokens}]}`: sizes in place of contents; one
    whose result is stored may say where, in `ref`. What is absent is as the settings `clearing.*` say. `tools` has a
    rule by a tool's name. With `offload` a result is stored before it is cleared, and its placeholder names its ref;
    light ones have nothing to store. With `retrieval` false no placeholder says how to read it, as for a session that
    the setting `retrieval.sessions_without` names.
    """

    messages: list[Any]
    clearing_token_threshold: int | None = None
    keep_recent_tokens: int | None = None
    clear_at_least_tokens: int | None = None
    placeholder: str | None = None
    exclude_tools: list[str] | None = None
    keep_rounds: int | None = None
    clear_arguments: bool | None = None
    tools: dict[str, ClearRule] = {}
    offload: bool | None = None
    retrieval: bool | msgspec.UnsetType | None = msgspec.UNSET


class ClearedItem(msgspec.Struct, frozen=True, kw_only=True):
    """A result that was cleared, of the message at `index`: the tokens that it had, and where it is stored, if it is.

    A message with several results has as many items, in their order. `placeholder`, of a light one, is what is to stand
    in its place, where that is another text than the default.
    """

    index: int
    call_id: str
    ref: str | None
    tokens: int
    placeholder: str | msgspec.UnsetType = msgspec.UNSET


class ClearReply(msgspec.Struct, frozen=True, kw_only=True):
    """As many messages as were asked about, in their order and shapes; the tokens are of all of them.

    `offloaded` is false where a result was cleared that is not stored: its item has no `ref`, and its text is with
    nobody but who asked. That is so without `offload`, and where sizes alone were sent.
    """

    messages: list[Any]
    cleared: list[ClearedItem]
    tokens_before: int
    tokens_after: int
    offloaded: bool = False
