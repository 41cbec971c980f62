"""Several at a time, each to its end, so that nothing goes on unseen where one fails."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_AT_A_TIME = 16


async def all_of(work: Sequence[Awaitable[T]]) -> list[T]:
    """What came of each, once all have come to their end; raises what failed first."""
    done: list[T] = []
    for came in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(came, BaseException):
            raise came
        done.append(came)
    return done


async def few_at_a_time(work: Sequence[Callable[[], Awaitable[T]]], at_a_time: int = _AT_A_TIME) -> list[T]:
    """As `all_of`, of any number, few at a time."""
    slots = asyncio.Semaphore(at_a_time)

    async def one(start: Callable[[], Awaitable[T]]) -> T:
        async with slots:
            return await start()

    return await all_of([one(start) for start in work])
