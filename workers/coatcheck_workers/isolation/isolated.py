"""A message that kills takes a child process with it, and no worker."""

import asyncio
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from coatcheck_schemas.errors import CoatcheckError

from .process import ChildGone, ChildProcess
from .wire import NO_MEMORY, RAISED, Call, dump_call, load

START_SECONDS = 30.0
IDLE_SECONDS = 60.0
CALLS_PER_CHILD = 100
"""What hostile input leaves behind in a process (leaks, caches) goes with it."""

P = ParamSpec("P")
T = TypeVar("T")


class WorkerKilled(CoatcheckError):
    """The child that ran the function died of it, or was killed at a limit."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the process that worked on it {reason}")
        self.reason = reason


class NoChild(CoatcheckError):
    """There is no child process to run anything in; it says nothing about what was to be run."""


class Isolated:
    """Runs functions in a child process, one at a time, so that the blame for its death is exact.

    The child is started when it is first needed (a few tenths of a second), used again while it lives, and ended after
    a minute without work. `timeout_seconds` bounds each function from when the child has begun with it;
    `max_memory_bytes` the child's address space, the interpreter's own hundred megabytes included. It dies with this
    process, whatever that dies of.
    """

    def __init__(self, timeout_seconds: float, max_memory_bytes: int, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._timeout_seconds = timeout_seconds
        self._max_memory_bytes = max_memory_bytes
        self._idle_seconds = idle_seconds
        self._child: ChildProcess | None = None
        self._one_at_a_time = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def children(self) -> int:
        """The processes that there are now: one, or none."""
        return int(self._child is not None)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns, or its own exception.

        The function is found by its module and name, arguments and what it returns are pickled; long bytes that are an
        argument by themselves are not copied. Raises WorkerKilled
        where the child dies of it or passes a limit, NoChild where none can be had.
        """
        if kwargs:
            raise TypeError("arguments go by position here")
        call = dump_call(function, args)
        async with self._one_at_a_time:
            if self._idle is not None:
                self._idle.cancel()
            child = await self._child_that_takes(call)
            try:
                status, body = await self._answer(child)
            except BaseException:
                self._drop()
                raise
            if status == NO_MEMORY:
                self._drop()
                raise WorkerKilled(f"needed more than {self._max_memory_bytes} bytes of memory")
            self._keep(child)
        if status == RAISED:
            raise cast(Exception, load(body))
        return cast(T, load(body))

    async def close(self) -> None:
        """End the child; what runs in it raises NoChild."""
        self._is_closed = True
        child = self._child
        self._drop()
        if child is not None:
            await child.ending()

    async def _child_that_takes(self, call: Call) -> ChildProcess:
        """A child that died of something else before it began with this call is replaced, once."""
        if self._child is not None and self._child.alive:
            try:
                await self._child.take(call, START_SECONDS)
            except ChildGone:
                self._drop()
            except BaseException:
                self._drop()
                raise
            else:
                return self._child
        return await self._new_child_that_takes(call)

    async def _new_child_that_takes(self, call: Call) -> ChildProcess:
        if self._is_closed:
            raise NoChild("closed: nothing is run any more")
        greeting = (sys.path, self._max_memory_bytes, self._timeout_seconds)
        try:
            child = await ChildProcess.start(greeting, START_SECONDS)
            self._child = child
            if self._is_closed:
                raise ChildGone("closed meanwhile")
            await child.take(call, START_SECONDS)
        except (OSError, ChildGone) as error:
            self._drop()
            raise NoChild(f"no child process can be started: {error}") from error
        except BaseException:
            self._drop()
            raise
        return child

    async def _answer(self, child: ChildProcess) -> tuple[bytes, bytes]:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await child.answer(self._max_memory_bytes)
        except TimeoutError:
            raise WorkerKilled(f"took longer than {self._timeout_seconds:g} s") from None
        except ChildGone as error:
            if self._is_closed:
                raise NoChild("closed while it ran") from error
            raise WorkerKilled(str(error)) from error

    def _keep(self, child: ChildProcess) -> None:
        if self._is_closed or child.calls > CALLS_PER_CHILD:
            self._drop()
        else:
            self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._drop)

    def _drop(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._child is not None:
            self._child.kill()
            self._child = None
