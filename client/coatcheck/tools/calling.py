"""Calling a tool: what a model asked for in, a text for the model out."""

import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.settings import Settings
from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.errors import CoatcheckError, Code
from coatcheck_schemas.segments import decode_segment

from . import filing
from .answer import ToolAnswer
from .arguments import BadArguments, shown_names, understand
from .call import Call
from .catalogue import Tool, chosen, tools_by_name
from .failing import failed, refused
from .listing import list_results
from .reading import read
from .searching import search
from .wording import phrases
from .words import Language, Phrases

if TYPE_CHECKING:
    from coatcheck.client.requesting import Requests

_ANSWERS: dict[str, Callable[[Call, dict[str, Any]], Awaitable[ToolAnswer]]] = {
    "read": read,
    "search": search,
    "list": list_results,
    "fs_ls": filing.ls,
    "fs_read": filing.read_file,
    "fs_write": filing.write_file,
    "fs_edit": filing.edit_file,
    "fs_glob": filing.glob,
    "fs_grep": filing.grep,
}
_NAME_CHARS = 80


async def call_tool(
    client: "Requests",
    session: str,
    name: str,
    arguments: object,
    *,
    settings: Settings,
    language: Language | None = None,
    names: Iterable[str] | None = None,
) -> ToolAnswer:
    """Whatever a model gave, and whatever the service answers, is told in the text; `Client.call_tool` says more.

    Raises InvalidInput for a session that is no id, for settings that name two tools the same, and for an unknown name
    among `names`.
    """
    from coatcheck.client.encoding import session_segment

    segment = session_segment(session)
    words = phrases(language or settings.stub.language)
    every = tools_by_name(settings)
    tools = chosen(every, names)
    called = _called(tools, str(name))
    if called is None:
        return _unknown(str(name), tools, words)
    tool = tools[called]
    if tool.section == "retrieval" and not has_tools(settings.retrieval, decode_segment(segment)):
        return refused(Code.UNAVAILABLE, words.unknown_tool.format(name=called), words.no_tools, words)
    try:
        understood = understand(tool, arguments, words)
    except BadArguments as error:
        return refused(Code.INVALID_ARGUMENT, str(error), words.mend.format(tool=called), words)
    note = ""
    if understood.ignored:
        known = words.known_arguments.format(names=", ".join(tool.fields))
        note = words.ignored.format(tool=called, names=shown_names(understood.ignored), known=known) + "\n"
    known_as = {one.key: name for name, one in every.items()}
    room = settings.retrieval.tool_max_chars - len(note)
    call = Call(client=client, session=session, names=known_as, words=words, room=room)
    try:
        answer = await _ANSWERS[tool.key](call, understood.fields)
    except CoatcheckError as error:
        answer = failed(error, tool, known_as, words)
    return msgspec.structs.replace(answer, text=f"{note}{answer.text}"[: settings.retrieval.tool_max_chars])


def _called(tools: Mapping[str, Tool], given: str) -> str | None:
    """The tool that is meant, also where a framework's prefix (`functions.`, `mcp__server__`) is before its name."""
    bare = given.strip(" \t\r\n\"'`")
    for name in (given, bare, bare.rpartition(".")[2], bare.rpartition("__")[2], bare.lower()):
        if name in tools:
            return name
    return None


def _unknown(given: str, tools: Mapping[str, Tool], words: Phrases) -> ToolAnswer:
    near = difflib.get_close_matches(given[:200].lower(), list(tools), n=1)
    hint = words.did_you_mean.format(name=near[0]) if near else ""
    known = words.use_one_of.format(names=", ".join(tools))
    message = words.unknown_tool.format(name=one_line(given, _NAME_CHARS) or "''")
    return refused(Code.INVALID_ARGUMENT, message, f"{hint}{known}", words)
