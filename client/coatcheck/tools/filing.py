"""The session's files for a model: each operation as a text that fits, with the way on."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from coatcheck.client.files import Files, path_of
from coatcheck.client.passed import with_passed_before
from coatcheck_core.stub.escaping import escape, one_line
from coatcheck_schemas.errors import InvalidRef
from coatcheck_schemas.filesystem import RESULTS_FOLDER, FileEntry, GlobReply, GrepReply, LsReply
from coatcheck_schemas.refs import check_result_id
from coatcheck_schemas.requests import MAX_LIMIT, TO_THE_END

from .answer import ToolAnswer
from .call import Call, Paged, until_some, with_head
from .reading import fit, fitting_limit, going_on, line_shown, told, unit_of

_Reply = TypeVar("_Reply", bound=Paged)

_CURSOR_CHARS = 700
_SOUGHT_CHARS = 16 * 1024 * 1024
"""More than any file of one's own has."""
_MOST_AROUND = 50
_DEFAULT_LIMIT = 200
_DEFAULT_MATCHES = 100
_MOST_PASSED, _NAME_CHARS = 3, 130
_PASSED_CHARS = 500
"""What a head has of files that were not searched: of so many the names."""


async def ls(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    files, path = call.client.fs(call.session), fields.get("path", "")

    async def ask(limit: int, cursor: str | None) -> LsReply:
        return await files.ls(path, limit=limit, cursor=cursor)

    return await _entries(call, "fs_ls", fields, ask)


async def glob(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    files, path = call.client.fs(call.session), fields.get("path", "")

    async def ask(limit: int, cursor: str | None) -> GlobReply:
        return await files.glob(fields["pattern"], path, limit=limit, cursor=cursor)

    return await _entries(call, "fs_glob", fields, ask)


async def read_file(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    path, name = fields["path"], call.names["fs_read"]
    unit = unit_of(fields, "lines")
    shown = one_line(path)
    room = call.room_beside(shown, name)
    options = {**fields, "unit": unit, "limit": fitting_limit(unit, fields.get("limit"), room)}
    files = call.client.fs(call.session)
    page = await files.read(**options)
    fitted = fit(page, room)
    if fitted.is_line_cut and (start := await _line_start(files, path_of(page) or path, page.offset)) is not None:
        fitted = going_on(fitted, start + len(line_shown(fitted, numbered=bool(fields.get("numbered")))))
    where = shown if page.version is None else f"{shown} version {page.version}"
    text = told(call, where, page, fitted, tool=name, name="path")
    return ToolAnswer(text=text, source_ref=page.ref or _source(path))


async def write_file(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    reply = await call.client.fs(call.session).write(**fields)
    words = call.words.written
    return ToolAnswer(
        text=with_head([words.format(path=one_line(reply.path), bytes=reply.bytes, version=reply.version)])
    )


async def edit_file(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    reply = await call.client.fs(call.session).edit(**fields)
    fact = call.words.edited.format(path=one_line(reply.path), n=reply.replacements, version=reply.version)
    return ToolAnswer(text=with_head([fact]))


async def grep(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    files = call.client.fs(call.session)
    around = {name: min(max(fields[name], 0), _MOST_AROUND) for name in ("before", "after") if name in fields}
    options = {name: value for name, value in fields.items() if name not in ("limit", "cursor")} | around
    source = _source(fields.get("path", ""))

    async def ask(limit: int, cursor: str | None) -> GrepReply:
        return await files.grep(**options, limit=limit, cursor=cursor)

    return await _fitting(
        call, "fs_grep", fields, ask, _found_lines, default=_DEFAULT_MATCHES, source=source, after=with_passed_before
    )


async def _entries(
    call: Call, key: str, fields: dict[str, Any], ask: Callable[[int, str | None], Awaitable[LsReply | GlobReply]]
) -> ToolAnswer:
    def render(reply: LsReply | GlobReply) -> list[str]:
        return [_entry(one) for one in reply.entries]

    return await _fitting(call, key, fields, ask, render, default=_DEFAULT_LIMIT)


async def _fitting(
    call: Call,
    key: str,
    fields: dict[str, Any],
    ask: Callable[[int, str | None], Awaitable[_Reply]],
    render: Callable[[_Reply], list[str]],
    *,
    default: int,
    source: str | None = None,
    after: Callable[[_Reply, _Reply], _Reply] = lambda _, reply: reply,
) -> ToolAnswer:
    """As many as fit: fewer are asked for until they do, so that the cursor goes on right after them."""

    def has_some(reply: _Reply) -> bool:
        return bool(render(reply))

    room = call.room_beside(call.names[key]) - _CURSOR_CHARS - (_PASSED_CHARS if key == "fs_grep" else 0)
    limit = min(max(fields.get("limit", default), 1), MAX_LIMIT)
    while True:
        reply = await until_some(partial(ask, limit), has_some, fields.get("cursor"), after=after)
        lines = render(reply)
        length = sum(map(len, lines)) + len(lines)
        if length <= room or limit == 1:
            break
        limit = max(1, min(limit - 1, limit * room // length))
    more = ""
    if reply.has_more and reply.cursor is not None:
        more = call.words.more_by_cursor.format(tool=call.names[key], cursor=reply.cursor)
    counted = _counted(call, reply, more=bool(more))
    goes_on = call.words.counts_go_on if more and isinstance(reply, GrepReply) and reply.counts else ""
    facts = [counted, goes_on, _passed(call, reply), more]
    return ToolAnswer(text=with_head(facts, "\n".join(lines)[:room]), source_ref=_ref_of(reply) or source)


def _counted(call: Call, reply: Paged, *, more: bool) -> str:
    """How many there are; of a grep the lines that match, without those around them."""
    words = call.words
    n, phrase = 0, words.paths
    if isinstance(reply, GrepReply) and reply.matches is not msgspec.UNSET:
        n, phrase = sum(not one.is_context for one in reply.matches), words.matching
    elif isinstance(reply, GrepReply):
        n = len(reply.counts or reply.files or ())
    elif isinstance(reply, LsReply | GlobReply):
        n = len(reply.entries)
    if n:
        return phrase.format(n=n)
    return words.none_yet if more else words.no_lines


def _passed(call: Call, reply: Paged) -> str:
    """Which files a grep did not search."""
    if not isinstance(reply, GrepReply) or not reply.passed_count:
        return ""
    names = [f"{one_line(one.path, _NAME_CHARS)} ({one.why})" for one in reply.passed[:_MOST_PASSED]]
    return call.words.not_searched.format(n=reply.passed_count, names=", ".join(names))


def _ref_of(reply: Paged) -> str | None:
    """The original that the path of a grep named."""
    return reply.ref if isinstance(reply, GrepReply) else None


def _entry(one: FileEntry) -> str:
    path = escape(one.path)
    if one.is_dir:
        return f"{path.rstrip('/')}/"
    return f"{path} ({one.bytes} bytes, {one.modified_at})"


def _found_lines(reply: GrepReply) -> list[str]:
    """Lines under their file's path; or the files, with their counts where these are asked for."""
    if reply.counts is not msgspec.UNSET:
        return [f"{escape(one.path)}: {one.count}" for one in reply.counts]
    if reply.files is not msgspec.UNSET:
        return [escape(path) for path in reply.files]
    lines: list[str] = []
    path: str | None = None
    for one in reply.matches or ():
        if one.path != path:
            path = one.path
            lines.append(escape(path))
        lines.append(f"{one.line}{'-' if one.is_context else ':'}{one.text}")
    return lines


async def _line_start(files: Files, path: str, line: int) -> int | None:
    """The offset of a line in chars, as reading from the file's start tells it; None where that is too far."""
    offset = 0
    async for page in files.pages(path, unit="chars", limit=TO_THE_END):
        found = page.content.count("\n")
        if found >= line:
            end = -1
            for _ in range(line):
                end = page.content.index("\n", end + 1)
            return offset + end + 1
        line -= found
        offset += len(page.content)
        if offset > _SOUGHT_CHARS:
            break
    return None


def _source(path: str) -> str | None:
    """The original that a path names by its result id."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if folder.strip("/") != RESULTS_FOLDER.strip("/"):
        return None
    try:
        return check_result_id(name)
    except InvalidRef:
        return None
