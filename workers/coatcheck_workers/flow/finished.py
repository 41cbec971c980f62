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
        self._running: dict[Settled, asyncio.Task[None]] = {}
        self._done: OrderedDict[Settled, None] = OrderedDict()

    async def once(self, turn: Settled, finish: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Return once the turn is finished; raises what its finishing raised, and then another may try."""
        if turn in self._done:
            return
        task = self._running.get(turn)
        if task is None:
            task = self._running[turn] = asyncio.create_task(finish())
            task.add_done_callback(lambda ended: self._ended(turn, ended))
        # Whoever began it may be cancelled at the end of its grace, while others wait for it.
        await asyncio.shield(task)

    def _ended(self, turn: Settled, task: "asyncio.Task[None]") -> None:
        """The task goes: its context holds the whole message that it was begun for, of up to a MB."""
        del self._running[turn]
        if task.cancelled() or task.exception() is not None:
            return
        self._done[turn] = None
        if len(self._done) > _REMEMBERED:
            self._done.popitem(last=False)
