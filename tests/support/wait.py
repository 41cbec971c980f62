"""Waiting for a condition instead of sleeping for luck."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

T = TypeVar("T")
POLL_SECONDS = 0.02
PATIENCE_SECONDS = 60.0
"""Only a fault is waited for so long: what takes a moment here takes seconds on a busy machine."""


@overload
async def eventually(
    condition: Callable[[], Awaitable[T]], deadline_seconds: float = PATIENCE_SECONDS, expecting: str = "the condition"
) -> T: ...


@overload
async def eventually(
    condition: Callable[[], T], deadline_seconds: float = PATIENCE_SECONDS, expecting: str = "the condition"
) -> T: ...


async def eventually(
    condition: Callable[[], Any], deadline_seconds: float = PATIENCE_SECONDS, expecting: str = "the condition"
) -> Any:
    """Call `condition` (plain or async) until it returns something true, and return that.

    Fails with AssertionError after `deadline_seconds`; an AssertionError of the condition counts as not yet.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while True:
        last: object
        try:
            answer = condition()
            value = await answer if inspect.isawaitable(answer) else answer
            if value:
                return value
            last = value
        except AssertionError as error:
            last = error
        if loop.time() > deadline:
            raise AssertionError(f"{expecting} has not come within {deadline_seconds:g} s; last: {last!r}")
        await asyncio.sleep(POLL_SECONDS)
