"""The parent's side of one child process."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import cast

from .wire import LENGTH, NO_MEMORY, TAKEN, Call, Greeting, dump

ENDING_SECONDS = 2.0
_PIECE_BYTES = 256 * 1024
"""Of an attachment at a time: the event loop has its turn between two of them."""


class ChildGone(Exception):
    """The child is dead, or sent what no child of ours would; the message says which, as what it did."""


class ChildProcess:
    """A child that has been greeted. One call at a time; any that is not answered to its end leaves it useless."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._calls = cast(asyncio.StreamWriter, process.stdin)
        self._answers = cast(asyncio.StreamReader, process.stdout)
        self._unsent: list[memoryview] = []
        self.calls = 0

    @classmethod
    async def start(cls, greeting: Greeting, seconds: float) -> "ChildProcess":
        """Raises OSError where there is no starting one, ChildGone where it is not ready within its time."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "coatcheck_workers.isolation.child", str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            # A session of its own: what a terminal or a supervisor sends to the parent's group is for the parent.
            start_new_session=True,
        )
        child = cls(process)
        try:
            await child.take(Call(dump(greeting), []), seconds)
        except BaseException:
            child.kill()
            raise
        return child

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def take(self, call: Call, seconds: float) -> None:
        """Hand a call over, but for what is attached. Raises ChildGone where the child has not even begun with it."""
        self.calls += 1
        self._unsent = call.attachments
        try:
            self._calls.write(LENGTH.pack(len(call.head)) + call.head)
            async with asyncio.timeout(seconds):
                if await self._answers.readexactly(len(TAKEN)) != TAKEN:
                    raise ChildGone("sent what it was not asked for")
        except (EOFError, OSError, RuntimeError, TimeoutError) as error:
            raise ChildGone(await self.ending()) from error

    async def answer(self, max_bytes: int) -> tuple[bytes, bytes]:
        """The status and the pickle that answer the call it took. Raises ChildGone."""
        # Beside each other: a child that has no room for an attachment answers before it has read it.
        sending = asyncio.create_task(self._send_attachments())
        try:
            return await self._read_answer(max_bytes)
        finally:
            sending.cancel()

    async def _send_attachments(self) -> None:
        unsent, self._unsent = self._unsent, []
        # Where the child is gone, its answer says so.
        with suppress(OSError, RuntimeError):
            for attachment in unsent:
                for at in range(0, attachment.nbytes, _PIECE_BYTES):
                    self._calls.write(attachment[at : at + _PIECE_BYTES])
                    await self._calls.drain()

    async def _read_answer(self, max_bytes: int) -> tuple[bytes, bytes]:
        try:
            status = await self._answers.readexactly(1)
            if status == NO_MEMORY:
                return status, b""
            (length,) = LENGTH.unpack(await self._answers.readexactly(LENGTH.size))
            if length > max_bytes:
                raise ChildGone(f"sent an answer of {length} bytes")
            return status, await self._answers.readexactly(length)
        except (EOFError, OSError) as error:
            raise ChildGone(await self.ending()) from error

    def kill(self) -> None:
        """SIGKILL; the event loop sees to the rest."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def ending(self) -> str:
        """How it ended, in words; killed where it has not ended by itself."""
        try:
            code = await asyncio.wait_for(self._process.wait(), ENDING_SECONDS)
        except TimeoutError:
            self.kill()
            code = await self._process.wait()
        if code >= 0:
            return f"ended with code {code}"
        with suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
        return f"was killed by signal {-code}"
