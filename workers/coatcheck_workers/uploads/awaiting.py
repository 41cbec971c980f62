"""Wait for what a producer is to put into the store, where its event came first."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from coatcheck_schemas.errors import InvalidResult, ObjectNotFound
from coatcheck_schemas.store import ObjectInfo, Store
from coatcheck_workers.clock import Clock
from coatcheck_workers.streams.later import Later

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
LEAST_AWAITED_SECONDS = 1.0
"""An event that lay in the queue for longer than anything is waited for still has its upload looked for."""


class Awaiting:
    """One upload, whose event NATS received at `opened_at`; `now` is NATS's time. Holds a seat while it waits.

    `check` is called at each look, and raises where there is no need to go on.
    """

    def __init__(
        self, upload: str, idle_seconds: float, opened_at: datetime, now: Clock, check: Callable[[], None]
    ) -> None:
        self._upload = upload
        self._idle_seconds = idle_seconds
        self._opened_at = opened_at
        self._now = now
        self._check = check
        self._begun_at = now()
        self.came_at = opened_at
        """When the result has come: with its event, or when what was put was first seen after that."""
        self.gives_way: float | None = None
        self._is_there = False

    def silent_seconds(self) -> float:
        """Since this worker took the upload up, while there is nothing to read."""
        return 0.0 if self._is_there else (self._now() - self._begun_at).total_seconds()

    async def head(self, store: Store, key: str) -> ObjectInfo:
        """What was put, once it is.

        Raises InvalidResult where nothing is for `idle_seconds`, Later, StoreError, and what `check` raises.
        """
        pause = FIRST_PAUSE
        while True:
            self._check()
            try:
                info = await store.head(key)
            except ObjectNotFound:
                self._check_patience()
            else:
                self._is_there = True
                return info
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
            self.came_at = self._now()

    def _check_patience(self) -> None:
        now = self._now()
        idle, awaited = (now - self._opened_at).total_seconds(), (now - self._begun_at).total_seconds()
        if idle >= self._idle_seconds and awaited >= min(self._idle_seconds, LEAST_AWAITED_SECONDS):
            raise InvalidResult(
                "upload_idle",
                f"nothing was put for {self._upload} within {self._idle_seconds:g} s: PUT the bytes to its URL first,"
                " then publish the event",
            )
        if self.gives_way is not None:
            raise Later(self.gives_way)
