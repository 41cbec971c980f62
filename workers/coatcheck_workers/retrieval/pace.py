"""How a request goes on with long work: step by step, each one short, until its time is over or nobody wants it."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import TypeVar

from .originals.stored import off_loop
from .threads import in_request_thread

STEP_SECONDS = 0.1
"""So long work has a thread in one go: after that, whoever waits for a thread has it first."""

Clock = Callable[[], float]
_T = TypeVar("_T")


class Pace:
    """Of one request, whose work is in one thread at a time; whoever awaits it may give it up meanwhile."""

    def __init__(self, *, deadline: float = inf, clock: Clock = monotonic, is_quick: bool = True) -> None:
        """`deadline` by the `clock`; `is_quick`: work on few bytes takes no more than a millisecond or so."""
        self._deadline = deadline
        self._clock = clock
        self._is_quick = is_quick
        self._step_ends = inf
        self._is_given_up = False

    async def run(self, size: int, step: Callable[[], _T]) -> _T:
        """The outcome of a step on `size` bytes, in a thread where it may take long."""
        return await (off_loop(size, step) if self._is_quick else in_request_thread(step))

    def begin_step(self) -> None:
        self._step_ends = min(self._deadline, self._clock() + STEP_SECONDS)

    def is_step_over(self) -> bool:
        """Whether to let the thread go; from then on it is, until the next step begins."""
        return self._is_given_up or self._clock() >= self._step_ends

    @property
    def is_given_up(self) -> bool:
        return self._is_given_up

    def is_over(self) -> bool:
        """Whether the time is, or nobody waits for an answer any more."""
        return self._is_given_up or self._clock() >= self._deadline

    def give_up(self) -> None:
        """Nobody waits for it: work that a thread is at ends as soon as it asks."""
        self._is_given_up = True

    def end_within(self, seconds: float) -> None:
        self._deadline = min(self._deadline, self._clock() + seconds)

    def now(self) -> float:
        return self._clock()
