"""A blocking call in a thread that nobody has to wait for at the process's end."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises.

    `asyncio.to_thread` would do but for the end: a loop that closes waits for its threads, and a worker that stops in
    the middle of a long copy would not stop in time. `work` itself must end by itself, as a request with a timeout.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if done.done():  # nobody waits any more
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell, result, failure)

    threading.Thread(target=run, name="coatcheck-storage", daemon=True).start()
    return await done
