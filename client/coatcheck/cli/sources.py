"""A file, a pipe or a terminal as what it gives, piece by piece."""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO

CHUNK = 256 * 1024

_Wanted = SimpleQueue["asyncio.Future[bytes] | None"]


async def chunks_of(file: BinaryIO) -> AsyncGenerator[bytes, None]:
    """All that it gives, as it comes. Raises OSError where it cannot be read to its end.

    It is read in a thread that nobody waits for: a pipe that gives nothing holds up no Ctrl-C, and making it
    non-blocking would do that to whoever else has it.
    """
    wanted: _Wanted = SimpleQueue()
    threading.Thread(target=_serve, args=(_reading(file), wanted), daemon=True).start()
    try:
        while True:
            reading: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            wanted.put(reading)
            if not (data := await reading):
                return
            yield data
    finally:
        wanted.put(None)


def size_of(file: BinaryIO) -> int | None:
    """The bytes of a file, where it is one that has a size."""
    try:
        status = os.fstat(file.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _reading(file: BinaryIO) -> Callable[[], bytes]:
    """By its descriptor where it has one: a thread that is in the middle of a buffered read cannot be left behind."""
    try:
        descriptor = file.fileno()
    except OSError:
        return lambda: file.read(CHUNK)
    return lambda: os.read(descriptor, CHUNK)


def _serve(read: Callable[[], bytes], wanted: _Wanted) -> None:
    while (reading := wanted.get()) is not None:
        try:
            data: bytes | OSError = read()
        except OSError as error:
            data = error
        with suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            reading.get_loop().call_soon_threadsafe(_hand_over, reading, data)


def _hand_over(reading: "asyncio.Future[bytes]", data: bytes | OSError) -> None:
    if reading.done():
        return
    if isinstance(data, OSError):
        reading.set_exception(data)
    else:
        reading.set_result(data)
