"""Threads for what requests do with many bytes: searches have their own, so that a read never waits for one."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from coatcheck_workers.process.background import stand_back

READERS = 4
"""What a page takes (unpacking, checksums) lets go of the interpreter lock and lasts some milliseconds."""
MOST_SEARCHERS = 4
"""A search uses a processor for seconds; more threads than processors only make each of them slower."""

_T = TypeVar("_T")
_CURRENT: ContextVar[Executor | None] = ContextVar("coatcheck_request_threads", default=None)


class RequestThreads:
    """Two pools; that of the searches stands back where others want the processor."""

    def __init__(self) -> None:
        searchers = min(os.cpu_count() or 1, MOST_SEARCHERS)
        self._readers = ThreadPoolExecutor(READERS, "coatcheck-read")
        self._searchers = ThreadPoolExecutor(searchers, "coatcheck-search", initializer=stand_back)

    @contextmanager
    def of(self, verb: str) -> Iterator[None]:
        """Within, and in the tasks begun within, `in_request_thread` takes a thread of this kind of request."""
        token = _CURRENT.set(self._searchers if verb == "search" else self._readers)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def close(self) -> None:
        """What has not begun never will; what runs ends by itself."""
        for pool in (self._readers, self._searchers):
            pool.shutdown(wait=False, cancel_futures=True)


async def in_request_thread(work: Callable[[], _T]) -> _T:
    """What `work` returns or raises, in a thread of the request under way; outside of any in the event loop's own.

    Cancelling drops work that waits for a thread; work that has begun goes on to its end unheard, so that a single
    piece of it must be short.
    """
    return await asyncio.get_running_loop().run_in_executor(_CURRENT.get(), work)
