"""Tasks that a worker cannot live without: one that dies ends the process, for its supervisor to start it anew."""

import asyncio
import logging
import os
from collections.abc import Coroutine, Iterable
from typing import Any

log = logging.getLogger("coatcheck.worker")

EXIT_TASK_DIED = 71
AGAIN_SECONDS = 0.1


def vital(coroutine: Coroutine[Any, Any, None], name: str) -> "asyncio.Task[None]":
    """Start the task. A worker whose pull has died would live on, deaf, and hold its place among the workers."""
    task = asyncio.create_task(coroutine, name=name)
    task.add_done_callback(_end_where_it_failed)
    return task


async def ended(tasks: "Iterable[asyncio.Task[None]]") -> None:
    """Cancel them until each has ended.

    Once is not enough for what goes round for ever: before Python 3.12 `asyncio.wait_for`, by which nats-py waits for
    answers, swallows a cancellation that comes together with the answer.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_SECONDS)


def _end_where_it_failed(task: "asyncio.Task[None]") -> None:
    if task.cancelled() or (error := task.exception()) is None:
        return
    log.critical("%s died; ending with code %d", task.get_name(), EXIT_TASK_DIED, exc_info=error)
    logging.shutdown()
    os._exit(EXIT_TASK_DIED)
