"""Which files a session has of its own."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Coroutine, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from coatcheck_core.filesystem.paths import (
    ROOT,
    is_below,
    is_shortened_name,
    names_begin,
    normalized,
    path_of_name,
    stored_name,
)
from coatcheck_core.filesystem.versions import Head
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_FILES, FileEntry
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.process.side_by_side import all_of
from coatcheck_workers.retrieval.listing.session_entries import fetched
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.storage.beginnings import beginning_with

from .stored_versions import Found, StoredVersions

AHEAD = 16
"""Objects that one request fetches at a time."""
_PAUSE = 200
_NAME_BYTES = 400
"""Of a path in memory: its stored name, and what both are kept in."""
_MANY = 200
"""Files of a session: from so many on to list all takes more than to ask for those of one folder by themselves."""
_FEW = 100
"""So many of a folder are asked for like that."""
_MOST_NAMES = 2 * MAX_FILES
"""Some more than may be: who write at once may each be the last for whom there is room."""


async def own_paths(retrieval: Retrieval, session: str, below: str = ROOT) -> list[str]:
    """The paths below a folder under which the session has, or had once, files of its own; in their order.

    Of a write that did not get far, or was taken back, the path stays: whether there is a file says `is_file`.
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
    count = 0
    async with aclosing(fetched(_names(retrieval, session, below), start, ahead=AHEAD)) as found:
        async for name, body in found:
            path = path_of(name, body)
            if path is not None and path != below and is_below(path, below):
                paths.append(path)
            count += 1
            if count % _PAUSE == 0:
                await asyncio.sleep(0)  # of thousands each takes some microseconds: others have their turn
    if below == ROOT:
        retrieval.known.paths.put(session, len(paths), 1)
    return sorted(paths)


async def is_file(retrieval: Retrieval, session: str, path: str) -> bool:
    """Whether there is one, be it damaged."""
    try:
        return (await StoredVersions(retrieval, session, path).newest(most_bytes=0)).version is not None
    except RequestError as error:
        if error.code is not Code.INTERNAL:
            raise
        return True


async def first_file(retrieval: Retrieval, session: str, paths: Sequence[str]) -> str | None:
    """The first of these paths under which there is a file: mostly that is the first, which is asked for alone."""
    for batch in (paths[:1], *(paths[at : at + AHEAD] for at in range(1, len(paths), AHEAD))):
        there = await all_of([is_file(retrieval, session, path) for path in batch])
        if any(there):
            return batch[there.index(True)]
    return None


async def file_below(retrieval: Retrieval, session: str, folder: str) -> str | None:
    """A file that lies below a folder, which is one as long as there is any."""
    return await first_file(retrieval, session, await own_paths(retrieval, session, folder))


async def entries_of(retrieval: Retrieval, session: str, paths: Iterable[str]) -> AsyncGenerator[FileEntry, None]:
    """What is known of each of these files, in order; those that are not there are left out."""

    async def each() -> AsyncGenerator[str, None]:
        for path in paths:
            yield path

    async with aclosing(fetched(each(), lambda path: own_entry(retrieval, session, path), ahead=AHEAD)) as found:
        async for _, entry in found:
            if entry is not None:
                yield entry


async def own_entry(retrieval: Retrieval, session: str, path: str) -> FileEntry | None:
    """What is known of a file; None where there is none."""
    version = (await StoredVersions(retrieval, session, path).newest(most_bytes=0)).version
    return None if version is None else entry_of(path, version.head)


def entry_of(path: str, head: Head) -> FileEntry:
    moment = format_time(from_milliseconds(head.modified_at))
    return FileEntry(path=path, is_dir=False, bytes=head.bytes, modified_at=moment)


async def no_file(retrieval: Retrieval, session: str, path: str, found: Found) -> RequestError:
    """Why there is no file under a normalized path, by what was found there."""
    if await file_below(retrieval, session, path) is not None:
        return is_folder(path)
    return why_none(path, found)


def is_folder(path: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{path[:200]} is a folder: `ls` shows what is in it")


def why_none(path: str, found: Found) -> RequestError:
    """Why there is neither a file nor a folder: what has expired is `gone`, as a result is."""
    if found.expired_at is None:
        return not_there(path)
    at = format_time(found.expired_at)
    return RequestError(Code.GONE, f"{path[:200]} expired at {at}: write it anew", path=path[:200], expired_at=at)


def not_there(path: str) -> RequestError:
    return RequestError(Code.NOT_FOUND, f"there is no file or folder {path[:200]} in this session: `ls` shows what is")


async def _names(retrieval: Retrieval, session: str, below: str) -> AsyncGenerator[str, None]:
    """The stored names of files below a folder, and maybe of some beside it."""
    folder, begin = retrieval.keys.file_names(session), names_begin(below)
    if begin and (retrieval.known.paths.get(session) or 0) >= _MANY:
        some = await beginning_with(retrieval.store, f"{folder}{begin}", _FEW)
        if some is not None:
            for key in some:
                yield key.removeprefix(folder)
            return
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
