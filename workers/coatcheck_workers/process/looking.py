"""Look at something now and then, for as long as the worker lives."""

import asyncio
import random
from collections.abc import Awaitable, Callable


async def look_now_and_then(
    look: Callable[[], Awaitable[None]], seconds: Callable[[], float], trouble: Callable[[Exception], None]
) -> None:
    """Each `seconds` or so, workers at different times; what fails is told, and tried at the next look."""
    while True:
        await asyncio.sleep(seconds() * random.uniform(0.5, 1.5))  # noqa: S311 - spreads, hides nothing
        try:
            await look()
        except Exception as error:
            trouble(error)
