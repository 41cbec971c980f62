"""Tasks that a worker cannot live without: one that dies ends the process, for its supervisor to start it anew."""

import asyncio
import logging
import os
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger("coatcheck.worker")

EXIT_TASK_DIED = 71


def vital(coroutine: Coroutine[Any, Any, None], name: str) -> "asyncio.Task[None]":
    """Start the task. A worker whose pull has died would live on, deaf, and hold its place among the workers."""
    task = asyncio.create_task(coroutine, name=name)
    task.add_done_callback(_end_where_it_failed)
    return task


def _end_where_it_failed(task: "asyncio.Task[None]") -> None:
    if task.cancelled() or (error := task.exception()) is None:
        return
    log.critical("%s died; ending with code %d", task.get_name(), EXIT_TASK_DIED, exc_info=error)
    logging.shutdown()
    os._exit(EXIT_TASK_DIED)
