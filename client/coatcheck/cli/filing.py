"""What `coatcheck fs` prints of a session's files."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import click
import msgspec

from .output import note, write_json, write_line
from .paging import print_page
from .quiet import hint
from .terminal import safe_text

if TYPE_CHECKING:
    from coatcheck_schemas.filesystem import EditReply, FileEntry, GlobReply, GrepReply, LsReply, WriteReply
    from coatcheck_schemas.requests import ReadReply

_Reply = TypeVar("_Reply", "GlobReply", "GrepReply")


async def until_some(ask: Callable[[str | None], Awaitable[_Reply]], cursor: str | None) -> _Reply:
    """The first reply from a cursor on that has any, or the last: a worker's time may pass before it found one."""
    from coatcheck.client.passed import with_passed_before

    reply = await ask(cursor)
    while not _has_some(reply) and reply.cursor not in (None, cursor):
        cursor = reply.cursor
        reply = with_passed_before(reply, await ask(cursor))
    return reply


def print_some(reply: "LsReply | GlobReply", *, as_json: bool) -> None:
    """A line for each entry."""
    if as_json:
        write_json(reply)
        return
    for entry in reply.entries:
        write_line(_entry_line(entry))
    _note_more(reply.cursor, "--all for every one")


async def print_all(entries: "AsyncIterator[FileEntry]", *, as_json: bool) -> None:
    """Each as it comes."""
    async for entry in entries:
        # In a thread, for a reader may take its time: meanwhile the connection is kept alive.
        if as_json:
            await asyncio.to_thread(write_json, entry)
        else:
            await asyncio.to_thread(write_line, _entry_line(entry))


def write_page(page: "ReadReply", *, as_json: bool) -> None:
    """One page, exactly as it is into a pipe or file."""
    print_page(page, as_json=as_json)
    if page.next is not None and not as_json:
        hint(f"there is more: go on with --offset {page.next.offset} --unit {page.next.unit}, or --all")


def print_written(reply: "WriteReply", *, as_json: bool) -> None:
    """Where it is, and as which version."""
    if as_json:
        write_json(reply)
    else:
        write_line(f"{safe_text(reply.path)}: {reply.bytes} bytes, version {reply.version}")


def print_edited(reply: "EditReply", *, as_json: bool) -> None:
    """How much was replaced, and as which version it is kept."""
    if as_json:
        write_json(reply)
    else:
        write_line(f"{safe_text(reply.path)}: {reply.replacements} replaced, version {reply.version}")


def print_found(reply: "GrepReply", *, as_json: bool) -> bool:
    """Whether there was anything; lines as grep prints them, `:` in those that match and `-` in those around."""
    if as_json:
        write_json(reply)
    lines = _found_lines(reply)
    if not as_json:
        for line in lines:
            write_line(line)
        _note_passed(reply)
        _note_more(reply.cursor, "")
    return bool(lines)


def text_of(file: BinaryIO) -> str:
    """All that a file gives. Raises UsageError for what is no text."""
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"a session's files are text, and this is not UTF-8 from byte {error.start} on: publish it as a result"
        ) from None


def _has_some(reply: "GlobReply | GrepReply") -> bool:
    from coatcheck_schemas.filesystem import GrepReply

    return bool(_found_lines(reply) if isinstance(reply, GrepReply) else reply.entries)


def _found_lines(reply: "GrepReply") -> list[str]:
    if reply.files is not msgspec.UNSET:
        return list(reply.files)
    if reply.counts is not msgspec.UNSET:
        return [f"{one.path}:{one.count}" for one in reply.counts]
    found = [] if reply.matches is msgspec.UNSET else reply.matches
    marks = [("-" if one.is_context else ":") for one in found]
    return [f"{one.path}{mark}{one.line}{mark}{one.text}" for one, mark in zip(found, marks, strict=True)]


def _entry_line(entry: "FileEntry") -> str:
    if entry.is_dir:
        return f"{'-':>12}  {'-':<24}  {entry.path}/"
    return f"{entry.bytes:>12}  {entry.modified_at or '-':<24}  {entry.path}"


def _note_passed(reply: "GrepReply") -> None:
    if reply.passed_count:
        named = ", ".join(f"{safe_text(one.path)} ({one.why})" for one in reply.passed)
        others = reply.passed_count - len(reply.passed)
        note(f"not searched: {named}{f' and {others} more' if others else ''}")


def _note_more(cursor: str | None, other: str) -> None:
    if cursor is not None:
        hint(f"there is more: go on with --cursor {cursor}{f', or {other}' if other else ''}")
