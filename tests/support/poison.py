"""A token counter that dies of what it reads: `budget.unit: tests.support.poison:count`.

A text with one of the markers kills the process that counts it, in its way; any other counts its chars.
"""

import os
import signal
import threading
from collections.abc import Callable

MIB = 1024 * 1024
MOST_BYTES = 4096 * MIB
"""Of address space, never touched; where no limit stops it before, it dies as of the kernel's killer."""


def count(text: str) -> int:
    for marker, die in MARKERS.items():
        if marker in text:
            die()
    return len(text)


def end_process() -> None:
    os._exit(3)


def segfault() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def loop() -> None:
    while True:
        pass


def hang() -> None:
    """As a loop without end, at no cost."""
    threading.Event().wait()


def allocate() -> None:
    held: list[bytes] = []
    while len(held) * 64 * MIB < MOST_BYTES:
        held.append(bytes(64 * MIB))
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    raise SystemExit(5)


EXIT = "poison:exit"
SEGFAULT = "poison:segfault"
LOOP = "poison:loop"
HANG = "poison:hang"
ALLOCATE = "poison:allocate"
LEAVE = "poison:leave"
MARKERS: dict[str, Callable[[], None]] = {
    EXIT: end_process,
    SEGFAULT: segfault,
    LOOP: loop,
    HANG: hang,
    ALLOCATE: allocate,
    LEAVE: leave,
}
