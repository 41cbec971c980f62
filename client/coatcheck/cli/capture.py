"""A command run as a child, its output handed on as it comes."""

import asyncio
import codecs
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

CHUNK = 65536
CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes that go on a UTF-8 character; at most three stand in a row."""
TAIL_BYTES = 16 * 1024
LINGER_LIMIT_SECONDS = 5.0
"""How long a process that a command left behind is listened to at most, where it keeps printing."""
LINGER_SECONDS = 0.5
"""How long a silent pipe is still read after the command has ended: a process it left behind may hold it open."""


class Output:
    """What is known of an output that passes: how much there was, whether it is text, and its end."""

    def __init__(self, tail_bytes: int = TAIL_BYTES) -> None:
        self.total = 0
        self._tail_bytes = tail_bytes
        self._kept = bytearray()
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self._kept += data
        if len(self._kept) > 2 * self._tail_bytes:
            del self._kept[: -self._tail_bytes]
        self._decode(data, final=False)

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

    def exit_line(self, code: int) -> bytes:
        """What is to follow, once it has ended: where it is text, a line that says how the command failed."""
        self._decode(b"", final=True)
        if code == 0 or self._decoder is None:
            return b""
        separator = b"" if not self._kept or self._kept.endswith(b"\n") else b"\n"
        return separator + f"exit code: {code}\n".encode()

    def _decode(self, data: bytes, *, final: bool) -> None:
        if self._decoder is None:
            return
        try:
            self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self._decoder = None


async def run_command(argv: Sequence[str], receive: Callable[[bytes], Awaitable[None]]) -> int:
    """Run to the end; the return code, negative where a signal ended it. Raises OSError where it cannot start.

    Standard output and error come through one pipe, in the order they were written; standard input is ours. While
    `receive` takes its time, the command waits to print more. A second Ctrl-C, or SIGTERM, kills it: click.Abort.
    """
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # noqa: ASYNC220, S603
    with passing_signals(child) as interrupted:
        ended = asyncio.ensure_future(asyncio.to_thread(child.wait))
        draining = asyncio.ensure_future(_drain(child, ended, receive))
        both: set[asyncio.Future[Any]] = {draining, interrupted}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not interrupted.done():
                await draining
                return await ended
        except BaseException:
            child.kill()
            raise
        finally:
            draining.cancel()
            await asyncio.gather(draining, return_exceptions=True)
        await ended
        raise click.Abort


def exit_code(return_code: int) -> int:
    """As a shell says it: 128 and the signal where one ended the command."""
    return return_code if return_code >= 0 else 128 - return_code


def signal_name(number: int) -> str:
    """`SIGKILL` for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def _drain(
    child: "subprocess.Popen[bytes]", ended: "asyncio.Future[int]", receive: Callable[[bytes], Awaitable[None]]
) -> None:
    """Read until the end of the pipe; once the command has ended, until it is silent, and not for long."""
    reader = asyncio.StreamReader(CHUNK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), child.stdout)
    deadline = float("inf")
    try:
        while loop.time() < deadline and (data := await _read(reader, ended)):
            await receive(data)
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
def passing_signals(child: "subprocess.Popen[bytes]") -> "Iterator[asyncio.Future[None]]":
    """While the command runs, signals are its to answer, and its output is published whatever they do to it.

    Ctrl-C at a terminal reaches the child by itself, as one of the foreground group: passed on it would count twice.
    Who asks a second time means us too: the child is killed, and the future is done.
    """
    loop = asyncio.get_running_loop()
    interrupted: asyncio.Future[None] = loop.create_future()
    passed = {signal.SIGTERM, signal.SIGHUP} | (set() if os.isatty(0) else {signal.SIGINT})
    asked = 0

    def hear(number: signal.Signals) -> None:
        nonlocal asked
        asked += number != signal.SIGHUP
        if asked > 1:
            child.kill()
            if not interrupted.done():
                interrupted.set_result(None)
        elif number in passed:
            child.send_signal(number)

    caught = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    for number in caught:
        loop.add_signal_handler(number, hear, number)
    try:
        yield interrupted
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
