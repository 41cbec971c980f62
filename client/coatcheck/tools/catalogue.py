"""The tools that an agent has: each one request of the contract, under the name that the settings give it."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.filesystem import (
    EditRequest,
    FileReadRequest,
    GlobRequest,
    GrepRequest,
    LsRequest,
    WriteRequest,
)
from coatcheck_schemas.requests import ListRequest, ReadRequest, SearchRequest
from coatcheck_schemas.synopsis import Kind


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A request as a tool. `section` and `setting` say which setting has its name.

    `left_out` are the request's fields that no model is told of: the client fills them in, or what they give is no
    text. `choices` narrow fields that the contract has as any text. `verbatim` are optional texts that may be empty, or
    say `null`; `aliases` are names that models know arguments by from other tools.
    """

    key: str
    section: str
    setting: str
    request: type[msgspec.Struct]
    is_read_only: bool = True
    left_out: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[str, ...]] = {}
    verbatim: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = {}

    def name(self, settings: Settings) -> str:
        """What the agent calls it."""
        return str(getattr(getattr(settings, self.section), self.setting))

    @property
    def fields(self) -> dict[str, msgspec.structs.FieldInfo]:
        """The request's fields that a model may fill in, by name."""
        infos = msgspec.structs.fields(self.request)
        return {info.name: info for info in infos if info.name not in self.left_out}


RETRIEVAL_TOOLS = (
    Tool(
        key="read",
        section="retrieval",
        setting="read_tool",
        request=ReadRequest,
        left_out=frozenset({"metadata"}),
    ),
    Tool(key="search", section="retrieval", setting="search_tool", request=SearchRequest),
    Tool(
        key="list",
        section="retrieval",
        setting="list_tool",
        request=ListRequest,
        choices={"kind": get_args(Kind)},
    ),
)
_PATH = frozenset({"path"})
_BY_THE_CLIENT = frozenset({"request_id"})
_FILE_PATH = {"file_path": "path"}
FILE_TOOLS = (
    Tool(key="fs_ls", section="filesystem", setting="ls_tool", request=LsRequest, verbatim=_PATH),
    Tool(
        key="fs_read",
        section="filesystem",
        setting="read_tool",
        request=FileReadRequest,
        aliases=_FILE_PATH,
    ),
    Tool(
        key="fs_write",
        section="filesystem",
        setting="write_tool",
        request=WriteRequest,
        is_read_only=False,
        left_out=_BY_THE_CLIENT,
        aliases=_FILE_PATH,
    ),
    Tool(
        key="fs_edit",
        section="filesystem",
        setting="edit_tool",
        request=EditRequest,
        is_read_only=False,
        left_out=_BY_THE_CLIENT,
        aliases=_FILE_PATH,
    ),
    Tool(key="fs_glob", section="filesystem", setting="glob_tool", request=GlobRequest, verbatim=_PATH),
    Tool(key="fs_grep", section="filesystem", setting="grep_tool", request=GrepRequest, verbatim=_PATH),
)
TOOLS: tuple[Tool, ...] = RETRIEVAL_TOOLS + FILE_TOOLS


def tools_by_name(settings: Settings) -> dict[str, Tool]:
    """Every tool under its name. Raises InvalidInput where two settings give the same."""
    named: dict[str, Tool] = {}
    for tool in TOOLS:
        name = tool.name(settings)
        if name in named:
            first, second = (f"{one.section}.{one.setting}" for one in (named[name], tool))
            raise InvalidInput(f"{first} and {second} both name the tool {name!r}: give each a name of its own")
        named[name] = tool
    return named


def chosen(known: Mapping[str, Tool], names: Iterable[str] | None) -> Mapping[str, Tool]:
    """Those of these names, or all. Raises InvalidInput for a name of none."""
    if names is None:
        return known
    wanted = list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InvalidInput(f"there is no tool {unknown[0][:200]!r}: the names are {', '.join(known)}")
    return {name: known[name] for name in wanted}


def is_optional(field: msgspec.structs.FieldInfo) -> bool:
    """Whether it may be left out."""
    return not field.required


def plain_type(field: msgspec.structs.FieldInfo) -> Any:
    """The field's type without None."""
    inner = [one for one in get_args(field.type) if one is not type(None)]
    return inner[0] if type(None) in get_args(field.type) else field.type
