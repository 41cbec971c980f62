"""A command run as a child, its output collected within bounds."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

CHUNK = 65536
CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes that go on a UTF-8 character; at most three stand in a row."""
TAIL_BYTES = 16 * 1024
LINGER_LIMIT_SECONDS = 5.0
"""How long a process that a command left behind is listened to at most, where it keeps printing."""
LINGER_SECONDS = 0.5
"""How long a silent pipe is still read after the command has ended: a process it left behind may hold it open."""


class Output:
    """What a command printed: whole up to `limit` bytes, its tail beyond. Memory stays below the two together."""

    def __init__(self, limit: int, tail_bytes: int = TAIL_BYTES) -> None:
        self.total = 0
        self._limit = limit
        self._tail_bytes = tail_bytes
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self._kept += data
        if self.total > self._limit and len(self._kept) > 2 * self._tail_bytes:
            del self._kept[: -self._tail_bytes]

    @property
    def whole(self) -> bytes | None:
        """All of it, or None where it was more than `limit`."""
        return bytes(self._kept) if self.total <= self._limit else None

    @property
    def tail(self) -> bytes:
        """Its end, from the start of a line where that costs little, and of a UTF-8 character."""
        if self.total <= self._tail_bytes:
            return bytes(self._kept)
        tail = bytes(self._kept[-self._tail_bytes :])
        line_end = tail.find(b"\n", 0, self._tail_bytes // 2)
        if line_end >= 0:
            return tail[line_end + 1 :]
        begun = len(tail[:3]) - len(tail[:3].lstrip(CONTINUATION))
        return tail[begun:]


def with_exit_code(output: bytes, code: int) -> bytes:
    """The output, where it is text with a last line that says how the command failed."""
    if code == 0:
        return output
    try:
        output.decode()
    except UnicodeDecodeError:
        return output
    separator = b"" if not output or output.endswith(b"\n") else b"\n"
    return output + separator + f"exit code: {code}\n".encode()


async def run_command(argv: Sequence[str], receive: Callable[[bytes], None]) -> int:
    """Run to the end; the exit code, 128 and the signal where one ended it. Raises OSError where it cannot start.

    Standard output and error come through one pipe, in the order they were written; standard input is ours.
    """
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # noqa: ASYNC220, S603
    with passing_signals(child):
        ended = asyncio.ensure_future(asyncio.to_thread(child.wait))
        await _drain(child, ended, receive)
        code = await ended
    return code if code >= 0 else 128 - code


async def _drain(
    child: "subprocess.Popen[bytes]", ended: "asyncio.Future[int]", receive: Callable[[bytes], None]
) -> None:
    """Read until the end of the pipe; once the command has ended, until it is silent, and not for long."""
    reader = asyncio.StreamReader(CHUNK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), child.stdout)
    deadline = float("inf")
    try:
        while loop.time() < deadline and (data := await _read(reader, ended)):
            receive(data)
            if ended.done():
                deadline = min(deadline, loop.time() + LINGER_LIMIT_SECONDS)
    finally:
        transport.close()


async def _read(reader: asyncio.StreamReader, ended: "asyncio.Future[int]") -> bytes:
    """The next bytes; empty at the end, or once the command has ended and the pipe is silent."""
    reading = asyncio.ensure_future(reader.read(CHUNK))
    both: set[asyncio.Future[Any]] = {reading, ended}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if not reading.done():
        await asyncio.wait({reading}, timeout=LINGER_SECONDS)
    if not reading.done():
        reading.cancel()
        return b""
    return reading.result()


@contextmanager
def passing_signals(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """While the command runs, signals are its to answer, and its output is published whatever they do to it.

    Ctrl-C at a terminal reaches the child by itself, as one of the foreground group: passed on it would count twice.
    """
    loop = asyncio.get_running_loop()
    passed = [signal.SIGTERM, signal.SIGHUP]
    caught = [*passed, signal.SIGINT]
    if not os.isatty(0):
        passed.append(signal.SIGINT)
    for number in caught:
        loop.add_signal_handler(number, _pass_on if number in passed else _ignore, child, number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _pass_on(child: "subprocess.Popen[bytes]", number: int) -> None:
    child.send_signal(number)


def _ignore(child: "subprocess.Popen[bytes]", number: int) -> None:
    """The child has had it already."""
