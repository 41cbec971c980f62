"""Tool definitions in the formats of model providers, made from the requests' own types."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from coatcheck.client.environment import settings_of_environment
from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import InvalidInput

from .catalogue import Tool, chosen, tools_by_name
from .schema import parameters
from .wording import phrases, tool_words
from .words import Language, ToolWords

Format = Literal["openai", "openai-responses", "anthropic", "mcp"]
Definition = dict[str, Any]


class _Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider takes, by its documentation: names that match, descriptions of so many chars at most."""

    name: str
    description_chars: int


_OPENAI = _Rules(name=r"[A-Za-z0-9_-]{1,64}", description_chars=1024)
RULES: dict[Format, _Rules] = {
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
    "anthropic": _Rules(name=r"[A-Za-z0-9_-]{1,64}", description_chars=4000),
    "mcp": _Rules(name=r"[A-Za-z0-9_.-]{1,128}", description_chars=4000),
}


def definitions(
    *,
    format: Format = "openai",  # noqa: A002 - the name of the command's option
    language: Language | None = None,
    settings: Settings | None = None,
    names: Iterable[str] | None = None,
    session: str = "",
) -> list[Definition]:
    """The tools as a model is given them, ready for the provider's `tools`.

    `openai` is for chat completions, `openai-responses` for responses, both strict: every argument is required there,
    and null stands for one that is left out. `settings` have the tools' names (by default those of the environment),
    their descriptions (`tools.NAME.description`) and the language, unless `language` says another. `names` are those
    of the tools that are wanted. Without retrieval tools where the settings say that the `session` has none. Raises
    InvalidInput for a name or description that the format does not take, and for an unknown name, format or language;
    ConfigError for the environment.
    """
    if format not in RULES:
        raise InvalidInput(f"the format is one of {', '.join(RULES)}; got {str(format)[:100]!r}")
    if language not in (None, "en", "zh"):
        raise InvalidInput(f"the language is en or zh; got {str(language)[:100]!r}")
    settings = settings_of_environment() if settings is None else settings
    spoken = language or settings.stub.language
    has_retrieval = has_tools(settings.retrieval, session)
    known = {
        name: tool for name, tool in tools_by_name(settings).items() if has_retrieval or tool.section != "retrieval"
    }
    wanted = chosen(known, names)
    return [_definition(name, tool, spoken, format, settings) for name, tool in wanted.items()]


def _definition(name: str, tool: Tool, language: Language, form: Format, settings: Settings) -> Definition:
    rules, words = RULES[form], tool_words(language)[tool.key]
    if not re.fullmatch(rules.name, name):
        raise InvalidInput(
            f"{tool.section}.{tool.setting} is {name!r}: a tool's name in the format {form} must match {rules.name}"
        )
    given = settings.tools.get(name)
    description = (given.description if given is not None else "") or words.description
    if len(description) > rules.description_chars:
        raise InvalidInput(
            f"tools.{name}.description has {len(description)} chars: the format {form} takes {rules.description_chars}"
        )
    schema = parameters(tool, words, phrases(language).default, strict=form.startswith("openai"))
    return _SHAPES[form](name, description, schema, tool, words)


def _openai(name: str, description: str, schema: Definition, tool: Tool, words: ToolWords) -> Definition:
    return {"type": "function", "function": _function(name, description, schema)}


def _openai_responses(name: str, description: str, schema: Definition, tool: Tool, words: ToolWords) -> Definition:
    return {"type": "function", **_function(name, description, schema)}


def _function(name: str, description: str, schema: Definition) -> Definition:
    return {"name": name, "description": description, "parameters": schema, "strict": True}


def _anthropic(name: str, description: str, schema: Definition, tool: Tool, words: ToolWords) -> Definition:
    return {"name": name, "description": description, "input_schema": schema}


def _mcp(name: str, description: str, schema: Definition, tool: Tool, words: ToolWords) -> Definition:
    hints = {"title": words.title, "readOnlyHint": tool.is_read_only, "openWorldHint": False}
    if not tool.is_read_only:
        hints |= {"destructiveHint": True, "idempotentHint": False}
    return {
        "name": name,
        "title": words.title,
        "description": description,
        "inputSchema": schema,
        "annotations": hints,
    }


_SHAPES: dict[Format, Callable[[str, str, Definition, Tool, ToolWords], Definition]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
