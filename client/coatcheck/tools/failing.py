"""An error as a model is told it: what is wrong, and what to do."""

from collections.abc import Mapping

from coatcheck.operations import names_operation, renamed
from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.errors import CoatcheckError, Code, InvalidRef, RequestError

from .answer import ToolAnswer
from .catalogue import Tool
from .words import Phrases

_MESSAGE_CHARS = 1000
_WRITING = ("fs_write", "fs_edit")


def failed(error: CoatcheckError, tool: Tool, names: Mapping[str, str], words: Phrases) -> ToolAnswer:
    """Of a request that the tool made; `names` are those of all tools, by key."""
    look = words.do_not_guess.format(list=names["list"])
    if tool.section == "filesystem":
        look = words.look_for_files.format(ls=names["fs_ls"], glob=names["fs_glob"])
    code = error.code if isinstance(error, RequestError) else Code.INVALID_ARGUMENT
    message = str(error)
    advice = {
        Code.INVALID_ARGUMENT: words.mend.format(tool=names[tool.key]),
        Code.NOT_FOUND: look,
        Code.GONE: words.gone,
        Code.UNAVAILABLE: words.unavailable,
        Code.CONFLICT: words.conflict,
        Code.TOO_LARGE: words.too_large_to_write if tool.key in _WRITING else words.too_large,
        Code.INTERNAL: words.internal,
    }[code]
    if isinstance(error, InvalidRef) or (code is Code.INVALID_ARGUMENT and names_operation(message, "ls")):
        advice = look
    message = renamed(message, lambda operation, path: f"{names[f'fs_{operation}']}{path}")
    return refused(code, message, advice, words)


def refused(code: Code, message: str, advice: str, words: Phrases) -> ToolAnswer:
    """`message` is on one line, however long it was."""
    text = words.error.format(code=code.value, message=one_line(message, _MESSAGE_CHARS), advice=advice)
    return ToolAnswer(text=text, is_error=True)
