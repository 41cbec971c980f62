"""When to stop asking a store that is away, and when to ask again. Pure: whoever asks says what time it is."""

from coatcheck_core.retry import retry_delay

FAILURES_IN_A_ROW = 5
LATELY_SECONDS = 0.5
"""A store that answers some requests lately is not away: at a high rate five failures in a row are soon bad luck."""
HUNG_REQUESTS = 8
HUNG_SECONDS = 1.0
SLOWNESS = 2.0
"""Silence of this many times its last answer's own time is a slow store's ordinary silence."""
LONGEST_SILENCE_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 5.0


class Breaker:
    """A circuit breaker over requests, each known by the number that `admit` gave it.

    It opens after five failures in a row, or when a request comes while eight or more are pending, none has ended for
    a second and the oldest is older than that: a store that hangs. A store known to be slow gets more time. While open
    it admits one request after each of a growing row of waits, 0.5 s to 5 s; the first answer to any request closes it.
    Nothing here ends a request that is under way.

    Times are seconds of a clock that never goes back; `jitter` in 0..1 spreads the waits of many workers.
    """

    def __init__(self) -> None:
        self.opened_at: float | None = None
        """Since when it is open; None: it is closed."""
        self.next_try_at = 0.0
        """While open: when it admits the next request."""
        self._tries = 0
        self._failures = 0
        self._number = 0
        self._pending: dict[int, float] = {}
        self._unhurried: set[int] = set()
        self._last_end = float("-inf")
        self._last_answer = float("-inf")
        self._last_seconds = 0.0

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None

    @property
    def pending(self) -> int:
        """Of those whose silence says something."""
        return len(self._pending)

    def admit(self, now: float, jitter: float) -> int | None:
        """The number of a request that may go now; None where it must not."""
        if self.opened_at is None and self._hangs(now):
            self._open(now, jitter)
        if self.opened_at is not None:
            if now < self.next_try_at:
                return None
            self._wait(now, jitter)
        self._number += 1
        self._pending[self._number] = now
        return self._number

    def unhurried(self, number: int) -> None:
        """The request takes as long as others make it: its silence says nothing about the store, its end does."""
        if self._pending.pop(number, None) is not None:
            self._unhurried.add(number)

    def answered(self, number: int, now: float) -> None:
        """The store has answered the request, be it with a refusal. Said again it changes nothing."""
        began = self._pending.pop(number, None)
        if began is not None:
            self._last_seconds = now - began
        elif not self._ends_unhurried(number):
            return
        self._last_end = self._last_answer = now
        self._failures = 0
        self.opened_at = None

    def failed(self, number: int, now: float, jitter: float) -> None:
        """The store could not be reached or did not answer in time."""
        if self._pending.pop(number, None) is None and not self._ends_unhurried(number):
            return
        self._last_end = now
        self._failures += 1
        is_away = self._failures >= FAILURES_IN_A_ROW and now - self._last_answer >= LATELY_SECONDS
        if self.opened_at is None and is_away:
            self._open(now, jitter)

    def abandoned(self, number: int) -> None:
        """Whoever made the request does not wait for its end: it says nothing about the store."""
        self._pending.pop(number, None)
        self._unhurried.discard(number)

    def _ends_unhurried(self, number: int) -> bool:
        if number not in self._unhurried:
            return False
        self._unhurried.discard(number)
        return True

    def _hangs(self, now: float) -> bool:
        if len(self._pending) < HUNG_REQUESTS:
            return False
        silence = max(HUNG_SECONDS, min(SLOWNESS * self._last_seconds, LONGEST_SILENCE_SECONDS))
        oldest = next(iter(self._pending.values()))
        return now - self._last_end > silence and now - oldest > silence

    def _open(self, now: float, jitter: float) -> None:
        self.opened_at = now
        self._tries = 0
        self._wait(now, jitter)

    def _wait(self, now: float, jitter: float) -> None:
        """Counted from when a try departs: one that hangs does not keep the next from finding the store healed."""
        self._tries += 1
        self.next_try_at = now + retry_delay(self._tries, LONGEST_WAIT_SECONDS, jitter)
