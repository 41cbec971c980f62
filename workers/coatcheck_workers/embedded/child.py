"""One child process: its output in a log file, its end awaited, never left behind."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from coatcheck_schemas.errors import CoatcheckError
from coatcheck_workers.process import die_with_parent

from .files import last_words, open_log

POLL_SECONDS = 0.03


class ChildEnded(CoatcheckError):
    """A child ended by itself; the message has its last words."""

    def __init__(self, name: str, code: int, log: Path) -> None:
        super().__init__(f"{name} {_ending(code)}: {last_words(log)} (see {log})")
        self.code = code


class NotReady(CoatcheckError):
    """A child lives and does not answer within its time."""


class Child:
    """A running program. Its standard output and error go to the end of `log`."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name = name
        self.log = log
        self._process = process

    @classmethod
    async def start(
        cls,
        name: str,
        argv: Sequence[str | Path],
        *,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        inherit: Sequence[int] = (),
    ) -> "Child":
        """Start the program in a session of its own, so that Ctrl-C reaches the parent alone, which stops in order.

        `inherit` are descriptors that it gets. On Linux it is sent SIGTERM when the thread that started it ends.
        """
        wrapper = [sys.executable, "-I", "-S", die_with_parent.__file__, str(os.getpid())]
        with open_log(log) as output:
            process = await asyncio.create_subprocess_exec(
                *wrapper,
                *map(str, argv),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=cwd,
                env=env,
                pass_fds=tuple(inherit),
                start_new_session=True,
            )
        return cls(name, process, log)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def wait(self) -> int:
        """The exit code, once it has ended; the negative number of the signal that ended it."""
        return await self._process.wait()

    async def stop(self, seconds: float) -> int:
        """SIGTERM, and SIGKILL where that has not ended it within `seconds`."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            return await asyncio.wait_for(self._process.wait(), seconds)
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> int:
        """SIGKILL, and wait for the end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return await self._process.wait()

    async def until(self, answers: Callable[[], Awaitable[bool]], seconds: float) -> None:
        """Wait until it answers. Raises ChildEnded where it ends instead, NotReady after `seconds`."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not await answers():
            if not self.alive:
                raise ChildEnded(self.name, await self.wait(), self.log)
            if asyncio.get_running_loop().time() > deadline:
                raise NotReady(f"{self.name} does not answer after {seconds:g} s; its log is {self.log}")
            await asyncio.sleep(POLL_SECONDS)


def _ending(code: int) -> str:
    """How a process ended, by its exit code: a negative one is the number of the signal that ended it."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}, its last line before"
    except ValueError:
        return f"was killed by signal {-code}, its last line before"
