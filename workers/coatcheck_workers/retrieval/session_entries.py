"""A session's results in the order of their arrival: the by-time entries, and what is fetched for each."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from coatcheck_schemas.errors import InvalidRef, ObjectNotFound
from coatcheck_schemas.keys import TimeEntry, parse_time_entry
from coatcheck_schemas.refs import check_result_id

from .model import Retrieval

_T = TypeVar("_T")
_R = TypeVar("_R")


async def time_entries(retrieval: Retrieval, session: str, *, after: str = "") -> AsyncGenerator[TimeEntry, None]:
    """The entries after the name `after`, oldest first; what is not named as an entry is passed over."""
    prefix = retrieval.keys.by_time(session)
    async for key in retrieval.store.list(prefix, after=f"{prefix}{after}" if after else ""):
        if (entry := read_time_entry(key.removeprefix(prefix))) is not None:
            yield entry


def read_time_entry(name: str) -> TimeEntry | None:
    """The entry that a name says; None where it is not one, or names no result."""
    entry = parse_time_entry(name)
    return entry if entry is not None and _is_result_id(entry.result_id) else None


async def fetched(
    sources: AsyncGenerator[_T, None], start: Callable[[_T], Coroutine[Any, Any, _R] | None], *, ahead: int
) -> AsyncGenerator[tuple[_T, _R | None], None]:
    """Each source with what `start` fetches for it, in order, at most `ahead` at a time.

    `start` gives None for a source that needs nothing fetched; an object that is not there is None too.
    """
    waiting: deque[tuple[_T, asyncio.Task[_R] | None]] = deque()
    try:
        async with aclosing(sources):
            async for source in sources:
                coroutine = start(source)
                waiting.append((source, None if coroutine is None else asyncio.create_task(coroutine)))
                if len(waiting) >= ahead:
                    yield waiting[0][0], await _or_none(waiting[0][1])
                    waiting.popleft()
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
