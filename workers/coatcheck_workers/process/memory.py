"""What a worker's memory goes back to once large results are through."""

import asyncio
import ctypes
import sys
from collections.abc import Callable
from typing import Any

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Of glibc's malloc.h."""
OWN_PAGES_BYTES = 4 * 1024 * 1024
"""Less than a part of an upload, and more than a piece: new pages for each copy of a piece cost a third of its CPU."""
EACH_SECONDS = 10.0


def give_back_large_blocks(least_bytes: int = OWN_PAGES_BYTES) -> bool:
    """Let each block from this size on have pages of its own, which go back to the system as soon as it is freed.

    By itself glibc's malloc raises this limit to the largest block that was ever freed: the parts of uploads, of some
    MiB, then leave holes between what stays. Smaller blocks share one heap, for in one of each thread what another has
    freed is of no use. To be called before there are threads. Says whether the system's allocator took it; others need
    nothing.
    """
    mallopt = _of_glibc("mallopt")
    return mallopt is not None and mallopt(_M_MMAP_THRESHOLD, least_bytes) == 1 and mallopt(_M_ARENA_MAX, 1) == 1


def give_back_free_pages() -> bool:
    """Let the system have the pages of what was freed between what stays; some ms. Says whether there were any."""
    trim = _of_glibc("malloc_trim")
    return trim is not None and trim(0) == 1


async def give_back_for_ever(is_at_rest: Callable[[], bool], give_back: Callable[[], object]) -> None:
    """Each `EACH_SECONDS`, where no large result is in hand, which would soon want the pages again."""
    while True:
        await asyncio.sleep(EACH_SECONDS)
        if is_at_rest():
            await asyncio.to_thread(give_back)


def _of_glibc(name: str) -> Any:
    """The function; None where the system's allocator has no such thing."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
