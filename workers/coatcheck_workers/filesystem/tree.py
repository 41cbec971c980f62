"""Which files a session has of its own."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import aclosing
from typing import Any

from coatcheck_core.filesystem.paths import (
    ROOT,
    SHORTENED_HEAD_CHARS,
    is_below,
    is_shortened_name,
    normalized,
    path_of_name,
    stored_name,
)
from coatcheck_core.filesystem.versions import Head
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_FILES, FileEntry
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.retrieval.listing.session_entries import fetched
from coatcheck_workers.retrieval.model import Retrieval

from .versions import Versions

AHEAD = 16
"""Objects that one request fetches at a time."""
_PAUSE = 200
_NAME_BYTES = 400
"""Of a path in memory: its stored name, and what both are kept in."""
_MOST_NAMES = 2 * MAX_FILES
"""Some more than may be: who write at once may each be the last for whom there is room."""


async def own_paths(retrieval: Retrieval, session: str, below: str = ROOT) -> list[str]:
    """The paths of the session's own files in a folder, in their order; a file whose write did not get far is among
    them.
    """
    if retrieval.tombstones.is_being_erased(session):
        return []
    folder = retrieval.keys.file_names(session)

    names = retrieval.known.names

    def start(name: str) -> Coroutine[Any, Any, bytes] | None:
        is_unknown = is_shortened_name(name) and names.get(name) is None
        return retrieval.store.get(f"{folder}{name}") if is_unknown else None

    def path_of(name: str, body: bytes | None) -> str | None:
        if not is_shortened_name(name):
            return path_of_name(name)
        path = names.get(name) if body is None else _said(name, body)
        if path is not None and body is not None:
            names.put(name, path, sys.getsizeof(path) + _NAME_BYTES)
        return path

    paths: list[str] = []
    async with aclosing(fetched(_names(retrieval, folder, _begin_of(below)), start, ahead=AHEAD)) as found:
        async for name, body in found:
            path = path_of(name, body)
            if path is not None and path != below and is_below(path, below):
                paths.append(path)
                if len(paths) % _PAUSE == 0:
                    await asyncio.sleep(0)  # of thousands each takes some microseconds: others have their turn
    return sorted(paths)


async def entries_of(retrieval: Retrieval, session: str, paths: Iterable[str]) -> AsyncGenerator[FileEntry, None]:
    """What is known of each of these files, in order; those that are not there are left out."""

    async def each() -> AsyncGenerator[str, None]:
        for path in paths:
            yield path

    async def head(path: str) -> Head | None:
        version = (await Versions(retrieval, session, path).newest(head_only=True)).version
        return None if version is None else version.head

    async with aclosing(fetched(each(), head, ahead=AHEAD)) as found:
        async for path, known in found:
            if known is not None:
                yield entry_of(path, known)


def entry_of(path: str, head: Head) -> FileEntry:
    moment = format_time(from_milliseconds(head.modified_at))
    return FileEntry(path=path, is_dir=False, bytes=head.bytes, modified_at=moment)


async def no_file(retrieval: Retrieval, session: str, path: str) -> RequestError:
    """Why there is no file under a normalized path."""
    if await own_paths(retrieval, session, path):
        return is_folder(path)
    return not_there(path)


def is_folder(path: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{path[:200]} is a folder: ls shows what is in it")


def not_there(path: str) -> RequestError:
    return RequestError(Code.NOT_FOUND, f"there is no file or folder {path[:200]} in this session: ls shows what is")


def _begin_of(folder: str) -> str:
    """With what the stored names of all that lies in a folder begin; nothing, where shortened ones do not show it."""
    if folder == ROOT:
        return ""
    begin = f"{stored_name(folder)}{stored_name('//')}"
    return begin if len(begin) < SHORTENED_HEAD_CHARS else ""


async def _names(retrieval: Retrieval, folder: str, begin: str) -> AsyncGenerator[str, None]:
    keys = retrieval.store.list(folder, after=f"{folder}{begin}") if begin else retrieval.store.list(folder)
    count = 0
    try:
        async for key in keys:
            if not key.startswith(f"{folder}{begin}"):
                return
            yield key.removeprefix(folder)
            count += 1
            if count == _MOST_NAMES:
                return
    finally:
        if isinstance(keys, AsyncGenerator):
            await keys.aclose()


def _said(name: str, body: bytes) -> str | None:
    """The path that the object of a shortened name says."""
    try:
        path = body.decode()
        return path if normalized(path) == path and stored_name(path) == name else None
    except (UnicodeDecodeError, RequestError):
        return None
