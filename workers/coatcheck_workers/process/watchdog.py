"""A worker that computes without end is ended: only then does what it holds come to another, and is it found out.

While the event loop turns, it holds off a timer of faulthandler's, which needs no interpreter lock and ends the process
even out of a loop in C; it also looks how long the threads have been at what they do. Either way the log has the
traceback of what would not end.
"""

import asyncio
import faulthandler
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

log = logging.getLogger("coatcheck.worker")

EXIT_STUCK = 72
LOOKS = 4
"""So many looks within the limit: a loop that is late by less than three of them is not taken for stuck."""

P = ParamSpec("P")
T = TypeVar("T")


class WatchedThreads(ThreadPoolExecutor):
    """Threads that note since when they have been at what they do."""

    def __init__(self, max_workers: int, thread_name_prefix: str = "") -> None:
        super().__init__(max_workers, thread_name_prefix)
        self._began: dict[int, float] = {}

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As any executor's; what waits for a thread has not begun."""
        return super().submit(self._run, fn, *args, **kwargs)

    def longest_seconds(self) -> float:
        """How long the longest call has been running by now."""
        # A copy in one step: the threads go on adding and removing.
        return max((time.monotonic() - began for began in list(self._began.values())), default=0.0)

    def _run(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        thread = threading.get_ident()
        self._began[thread] = time.monotonic()
        try:
            return fn(*args, **kwargs)
        finally:
            del self._began[thread]


class Watchdog:
    """Ends the process once the event loop or one call on the threads has taken longer than `limit_seconds`.

    There is one for a process: faulthandler has one timer. A process that has stopped its event loop is still ended,
    should a thread keep it from exiting, unless `stop` was called.
    """

    def __init__(self, threads: WatchedThreads, limit_seconds: float) -> None:
        self._threads = threads
        self._limit_seconds = limit_seconds
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """To be called on the event loop that it watches."""
        self._look()

    def stop(self) -> None:
        """Watch no more."""
        if self._next is not None:
            self._next.cancel()
        faulthandler.cancel_dump_traceback_later()

    def _look(self) -> None:
        if self._threads.longest_seconds() > self._limit_seconds:
            log.critical("a call does not end after %g s; ending with code %d", self._limit_seconds, EXIT_STUCK)
            faulthandler.dump_traceback(sys.__stderr__ or 2)
            logging.shutdown()
            os._exit(EXIT_STUCK)
        faulthandler.dump_traceback_later(self._limit_seconds, exit=True, file=sys.__stderr__ or 2)
        self._next = asyncio.get_running_loop().call_later(self._limit_seconds / LOOKS, self._look)
