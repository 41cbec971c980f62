"""A session's results in the order of their arrival: the by-time entries, and what is fetched for each."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec

from coatcheck_schemas.errors import InvalidRef, ObjectNotFound
from coatcheck_schemas.keys import TimeEntry, parse_time_entry
from coatcheck_schemas.refs import check_result_id
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.storage.listing import list_some
from coatcheck_workers.streams.tombstone import is_old

from ..model import Retrieval

_T = TypeVar("_T")
_R = TypeVar("_R")

AFTER_ALL = ":"
"""Greater than the names of all entries, which begin with a digit."""
_DIGITS = re.compile(r"[0-9]{1,13}")
_MOST_WAITING = 1000


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """The entries between two names, oldest first.

    `is_cut`: there may be more of them, for as many names as were wanted had been read at the time `reached`, in
    milliseconds.
    """

    entries: list[TimeEntry]
    is_cut: bool
    reached: int

    def oldest(self, begin: int) -> int:
        """The first entry's time, or `begin` where there is none."""
        return self.entries[0].milliseconds if self.entries else begin


async def time_entries(
    retrieval: Retrieval, session: str, *, after: str = "", below: str = ""
) -> AsyncGenerator[TimeEntry, None]:
    """The entries after the name `after` and before `below`, oldest first; what is no entry's name is passed over."""
    async with aclosing(_names(retrieval, session, after, below)) as names:
        async for name in names:
            if (entry := read_time_entry(name)) is not None:
                yield entry


async def read_stretch(retrieval: Retrieval, session: str, *, after: str, below: str, most: int) -> Stretch:
    """At most `most` names, so that a store which lists by pages of that many need list no second."""
    names = await read_names(retrieval, session, after=after, below=below, most=most)
    entries = [entry for name in names if (entry := read_time_entry(name)) is not None]
    return Stretch(entries=entries, is_cut=len(names) == most, reached=_time_of(names[-1] if names else ""))


async def read_names(retrieval: Retrieval, session: str, *, after: str = "", below: str = "", most: int) -> list[str]:
    """The first `most` names after the name `after` and before `below`, of entries and of what else lies there."""
    prefix = retrieval.keys.by_time(session)
    keys = await list_some(
        retrieval.store,
        prefix,
        after=f"{prefix}{after}" if after else "",
        below=f"{prefix}{below}" if below else "",
        most=most,
    )
    return [key.removeprefix(prefix) for key in keys]


async def _names(retrieval: Retrieval, session: str, after: str, below: str) -> AsyncGenerator[str, None]:
    prefix = retrieval.keys.by_time(session)
    keys = retrieval.store.list(prefix, after=f"{prefix}{after}" if after else "")
    try:
        async for key in keys:
            name = key.removeprefix(prefix)
            if below and name >= below:
                return
            yield name
    finally:
        if isinstance(keys, AsyncGenerator):  # a store of one's own may give another kind of iterator
            await keys.aclose()


def _time_of(name: str) -> int:
    """Milliseconds, for the name of an entry; something near for what else lies there."""
    digits = _DIGITS.match(name)
    return int((digits[0] if digits else "").ljust(13, "0"))


def is_deleted(retrieval: Retrieval, session: str, entry: TimeEntry) -> bool:
    """Whether what this entry stands for was deleted; no I/O."""
    deleted_at = retrieval.tombstones.deleted_at(session, entry.result_id)
    return deleted_at is not None and is_old(from_milliseconds(entry.milliseconds), deleted_at)


def read_time_entry(name: str) -> TimeEntry | None:
    """The entry that a name says; None where it is not one, or names no result."""
    entry = parse_time_entry(name)
    return entry if entry is not None and _is_result_id(entry.result_id) else None


async def fetched(
    sources: AsyncGenerator[_T, None],
    start: Callable[[_T], Coroutine[Any, Any, _R] | None],
    *,
    ahead: int | Callable[[], int],
) -> AsyncGenerator[tuple[_T, _R | None], None]:
    """Each source with what `start` fetches for it, in order, at most `ahead` at a time, by number or by what it says.

    `start` gives None for a source that needs nothing fetched; an object that is not there is None too.
    """
    waiting: deque[tuple[_T, asyncio.Task[_R] | None]] = deque()
    under_way = 0

    def is_full() -> bool:
        most = ahead if isinstance(ahead, int) else ahead()
        return under_way >= most or waiting[0][1] is None or len(waiting) >= _MOST_WAITING

    try:
        async with aclosing(sources):
            async for source in sources:
                coroutine = start(source)
                under_way += coroutine is not None
                waiting.append((source, None if coroutine is None else asyncio.create_task(coroutine)))
                while waiting and is_full():
                    yield waiting[0][0], await _or_none(waiting[0][1])
                    under_way -= waiting.popleft()[1] is not None
        while waiting:
            yield waiting[0][0], await _or_none(waiting[0][1])
            waiting.popleft()
    finally:
        await _abandon([task for _, task in waiting if task is not None])


def _is_result_id(text: str) -> bool:
    try:
        check_result_id(text)
    except InvalidRef:
        return False
    return True


async def _or_none(task: asyncio.Task[_R] | None) -> _R | None:
    if task is None:
        return None
    try:
        return await task
    except ObjectNotFound:
        return None


async def _abandon(tasks: list[asyncio.Task[_R]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
