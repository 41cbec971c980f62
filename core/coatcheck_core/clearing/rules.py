"""By which rules old results are cleared, named as in the request."""

from typing import Any, Literal

import msgspec

from coatcheck_core.settings.model import MOST_PLACEHOLDER_CHARS, RetrievalSettings
from coatcheck_schemas.clearing import DEFAULT_PLACEHOLDER, DEFAULT_RECENT_TOKENS, DEFAULT_THRESHOLD_TOKENS
from coatcheck_schemas.errors import Code, RequestError

PLACEHOLDER = DEFAULT_PLACEHOLDER


class ToolRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for one tool; what is absent is as for all.

    `never`: its results and arguments stay, as those of `exclude_tools`. `keep`: so many of its newest results stay,
    whatever their size. `placeholder` stands in place of its results, `clear_arguments` is about its calls.
    """

    never: bool = False
    keep: int = 0
    placeholder: str | None = None
    clear_arguments: bool | None = None

    def __post_init__(self) -> None:
        _check_flag("never", self.never)
        _check_count("keep", self.keep)
        if self.placeholder is not None:
            _check_placeholder(self.placeholder)
        if self.clear_arguments is not None:
            _check_flag("clear_arguments", self.clear_arguments)


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Raises RequestError (`invalid_argument`), which names the field, where a value cannot be.

    Nothing happens unless the results that are not cleared yet, excluded ones among them, have more than
    `clearing_token_threshold` tokens together; with 0 that is any that has text. Messages are counted from the end up
    to the one at which they pass `keep_recent_tokens`: that one and all after it stay; with 0 it is the last message
    that has text. The `keep_rounds` newest rounds (an assistant's message with calls, and their results) stay whatever
    their size. If all of it would save less than `clear_at_least_tokens`, nothing happens.

    `clear_arguments`: the arguments of calls whose results are given up go as well, even where such a result stays
    because it is small already. `tools` has a rule by a tool's name. `retrieval` has the names of the agent's tools, by
    which a placeholder with a ref says how to read it, in `language`; `has_retrieval` false: the agent has none, and is
    told of none. `known_placeholders` may stand in place of results already, by other rules.
    """

    clearing_token_threshold: int = DEFAULT_THRESHOLD_TOKENS
    keep_recent_tokens: int = DEFAULT_RECENT_TOKENS
    clear_at_least_tokens: int = 0
    placeholder: str = PLACEHOLDER
    exclude_tools: frozenset[str] = frozenset()
    keep_rounds: int = 0
    clear_arguments: bool = False
    tools: dict[str, ToolRule] = {}
    retrieval: RetrievalSettings = RetrievalSettings()
    language: Literal["en", "zh"] = "en"
    has_retrieval: bool = True
    known_placeholders: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in ("clearing_token_threshold", "keep_recent_tokens", "clear_at_least_tokens", "keep_rounds"):
            _check_count(name, getattr(self, name))
        _check_placeholder(self.placeholder)
        _check_flag("clear_arguments", self.clear_arguments)
        given: Any = self.exclude_tools
        if not isinstance(given, frozenset | set | list | tuple) or not all(isinstance(name, str) for name in given):
            raise _refused(f"exclude_tools must be a list of tools' names, not {given!r:.80}")

    def spares(self, tool_name: str | None) -> bool:
        """Whether the tool's results and arguments stay for ever."""
        if tool_name is None:
            return False
        return tool_name in self.exclude_tools or self._rule(tool_name).never

    def placeholder_of(self, tool_name: str | None) -> str:
        placeholder = self._rule(tool_name).placeholder
        return self.placeholder if placeholder is None else placeholder

    def clears_arguments_of(self, tool_name: str | None) -> bool:
        own = self._rule(tool_name).clear_arguments
        return self.clear_arguments if own is None else own

    def newest_kept_of(self, tool_name: str | None) -> int:
        return self._rule(tool_name).keep

    @property
    def placeholders(self) -> frozenset[str]:
        """All that may stand in place of a result by these rules, and the one that does unless another is set."""
        own = [rule.placeholder for rule in self.tools.values() if rule.placeholder is not None]
        return frozenset([PLACEHOLDER, self.placeholder, *own, *self.known_placeholders])

    def _rule(self, tool_name: str | None) -> ToolRule:
        return _NO_RULE if tool_name is None else self.tools.get(tool_name, _NO_RULE)


def _check_count(name: str, value: Any) -> None:
    if type(value) is not int or value < 0:
        raise _refused(f"{name} must be a whole number of at least 0, not {value!r:.80}")


def _check_flag(name: str, value: Any) -> None:
    if type(value) is not bool:
        raise _refused(f"{name} must be true or false, not {value!r:.80}")


def _check_placeholder(value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise _refused(f"placeholder must be a text that is not blank, not {value!r:.80}")
    if len(value) > MOST_PLACEHOLDER_CHARS:
        raise _refused(f"placeholder has {len(value)} chars; give one of at most {MOST_PLACEHOLDER_CHARS}")


def _refused(message: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, message)


_NO_RULE = ToolRule()
