"""How a caller says which old results are cleared."""

from collections.abc import Sequence
from typing import Any, TypedDict

from coatcheck_schemas.clearing import ClearRule


class ClearRules(TypedDict, total=False):
    """Which results go; "clear" in the contract has the meanings. What is absent is as the settings `clearing.*` say.

    `clearing_token_threshold` (20000): nothing happens unless the results have more together. `keep_recent_tokens`
    (40000) of messages at the end stay, and the `keep_rounds` (0) newest rounds. `clear_at_least_tokens` (0): nothing
    happens for less. `exclude_tools` stay. `clear_arguments`: the calls' go too. `tools` has a rule by name.
    `retrieval` false: the agent has no tools to read what is stored, and no placeholder says how to.
    """

    clearing_token_threshold: int
    keep_recent_tokens: int
    clear_at_least_tokens: int
    placeholder: str
    exclude_tools: Sequence[str]
    keep_rounds: int
    clear_arguments: bool
    tools: dict[str, ClearRule | dict[str, Any]]
    retrieval: bool
