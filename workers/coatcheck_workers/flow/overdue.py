"""What should have fallen due long ago and did not.

nats-server tries once to fire a scheduled message. Where COAT_HELD is full at that moment it finds no room, and is not
tried again before the server starts anew; and as long as nothing falls due nothing makes room. So each worker looks now
and then at what has been held for longest, and takes what it should have been given.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from coatcheck_workers.process.about import about
from coatcheck_workers.process.looking import look_now_and_then
from coatcheck_workers.streams.ports import Kept, Log
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.overdue")

EACH_SECONDS = 10.0
MARGIN_SECONDS = 15.0
"""What falls due by itself does so well within that; and it covers a worker's clock that is a little ahead."""
_READ_BYTES = 1024 * 1024


class Overdue:
    """Looks into COAT_HELD; `take` does with a message what is done with one that has fallen due, at a time.

    Nothing is held for longer than `longest_seconds`. Times are the stream's: this worker's clock may be wrong, and
    only says how long it has been looking.
    """

    def __init__(
        self,
        held: Log,
        pattern: str,
        longest_seconds: float,
        take: Callable[[Kept, datetime], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._held = held
        self._pattern = pattern
        self._patience = longest_seconds + MARGIN_SECONDS
        self._take = take
        self._clock = clock
        self._ahead = float("-inf")
        """How much the stream's time is ahead of the clock, at least."""

    async def look_for_ever(self) -> None:
        await look_now_and_then(
            self.look,
            lambda: EACH_SECONDS,
            lambda error: log.warning("could not look for what is overdue: %s", in_words(error)),
        )

    async def look(self) -> None:
        """Take what is overdue, the oldest first; what fails is taken at the next look."""
        after = 0
        while batch := await self._held.read(self._pattern, after, _READ_BYTES):
            self._ahead = max(self._ahead, batch[-1].at.timestamp() - self._clock())
            for kept in batch:
                if not self._is_overdue(kept):
                    return
                log.warning("%r was not given to any worker at its time", kept.subject, extra=about(kept.subject))
                try:
                    await self._take(kept, self._now())
                except Exception as error:
                    log.warning("%r stays: %s", kept.subject, error, extra=about(kept.subject))
                after = kept.sequence

    def _is_overdue(self, kept: Kept) -> bool:
        return kept.at.timestamp() + self._patience <= self._clock() + self._ahead

    def _now(self) -> datetime:
        """At least so late it is by the stream's time."""
        return datetime.fromtimestamp(self._clock() + self._ahead, UTC)
