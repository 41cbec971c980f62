"""By how much the event loop is late: what everything on it waits besides its own work."""

import asyncio
from collections.abc import Callable

EVERY_SECONDS = 0.5


class LoopLag:
    """Tells `observe` each half second by how many seconds the loop was late to do so."""

    def __init__(self, observe: Callable[[float], None]) -> None:
        self._observe = observe
        self._next: asyncio.TimerHandle | None = None
        self.last_seconds = 0.0

    def start(self) -> None:
        """To be called on the event loop."""
        loop = asyncio.get_running_loop()
        self._wait(loop, loop.time() + EVERY_SECONDS)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()

    def _wait(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._next = loop.call_at(due, self._look, loop, due)

    def _look(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        now = loop.time()
        self.last_seconds = max(now - due, 0.0)
        self._observe(self.last_seconds)
        self._wait(loop, now + EVERY_SECONDS)
