"""Publishing that bears a full stream, and a server that is away, for as long as something moves now and then."""

import asyncio
import logging
from collections.abc import Callable

from coatcheck_schemas.errors import RequestError

from .connection import Connection
from .sending import Ack, Refused, attempt, stream_seconds

logger = logging.getLogger("coatcheck")

STALL_SECONDS = 120.0
TRY_SECONDS = 15.0
LONGEST_TRY_SECONDS = 60.0
"""On a slow way a message takes its time: a try that is ended too early would only be sent once more."""
FIRST_DELAY = 0.1
LONGEST_DELAY = 5.0


class Progress:
    """Of one result: when a stream has last taken something of it. All its messages share the patience."""

    def __init__(self, stall_seconds: float, clock: Callable[[], float]) -> None:
        self.stall_seconds = stall_seconds
        self._clock = clock
        self._last = clock()
        self._takers: set[str] = set()

    @property
    def left(self) -> float:
        """Seconds until it has stalled."""
        return self._last + self.stall_seconds - self._clock()

    def renew(self) -> None:
        """Nothing was there to be taken until now: a producer's own pauses do not count."""
        self._last = self._clock()

    def mark(self, subject: str) -> None:
        """The subject's stream has taken something."""
        self._takers.add(subject)
        self.renew()

    def gives_up(self, refused: Refused, subject: str, delay: float, missing_seconds: float) -> bool:
        """Whether another try after `delay` seconds is in vain; a stream that was there before may come back."""
        if refused.why == "refused":
            return True
        patience = self.stall_seconds
        if refused.why == "no_stream" and subject not in self._takers:
            patience = min(patience, missing_seconds)
        return self.stall_seconds - self.left + delay >= patience


async def persist(
    connection: Connection, subject: str, headers: dict[str, str], body: bytes, progress: Progress
) -> Ack:
    """Publish, and again with growing delays until it is acknowledged or the result has stalled; `headers` bear the id.

    Raises RequestError that says what to do.
    """
    delay, seconds = FIRST_DELAY, TRY_SECONDS
    while True:
        answer = await attempt(connection, subject, headers, body, min(seconds, max(progress.left, 0.001)))
        if isinstance(answer, Ack):
            progress.mark(subject)
            return answer
        if progress.gives_up(answer, subject, delay, stream_seconds(connection)):
            raise _stalled(answer, progress)
        logger.info("publishing to %s is tried again: %s", subject, answer.error)
        await asyncio.sleep(delay)
        delay, seconds = min(delay * 2, LONGEST_DELAY), min(seconds * 2, LONGEST_TRY_SECONDS)


def _stalled(refused: Refused, progress: Progress) -> RequestError:
    error = refused.error
    if refused.why not in ("full", "busy"):
        return error
    return RequestError(error.code, f"for {progress.stall_seconds:g} s nothing was taken: {error.message}")
