"""Finish each turn once a worker, however many of its messages come again at the same time, or later."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from coatcheck_schemas.subjects import TurnAddress

_REMEMBERED = 10_000

Settled = tuple[TurnAddress, int]
"""A turn and the sequence of its settling: once the ledger has let go of it, another of the same name may come."""


class Finished:
    """The turns that this worker is finishing, and those that it finished lately.

    A cache: a turn that is forgotten is finished again, which changes nothing. Without it each message of a killed
    worker would deliver all that its turn holds.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[Settled, asyncio.Task[None]] = OrderedDict()

    async def once(self, turn: Settled, finish: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Return once the turn is finished; raises what its finishing raised, and then another may try."""
        task = self._turns.get(turn)
        if task is None:
            task = self._turns[turn] = asyncio.create_task(finish())
            task.add_done_callback(lambda done: self._forget_failed(turn, done))
            while len(self._turns) > _REMEMBERED:
                self._turns.popitem(last=False)
        # Whoever began it may be cancelled at the end of its grace, while others wait for it.
        await asyncio.shield(task)

    def _forget_failed(self, turn: Settled, task: "asyncio.Task[None]") -> None:
        if (task.cancelled() or task.exception() is not None) and self._turns.get(turn) is task:
            del self._turns[turn]
