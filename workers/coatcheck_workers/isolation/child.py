"""The child process, run as `python -m coatcheck_workers.isolation.child PARENT_PID`; see wire.py for its talk."""

import contextlib
import faulthandler
import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from coatcheck_workers.process.die_with_parent import bind_to_parent

from .wire import LENGTH, NO_MEMORY, RAISED, RETURNED, TAKEN, Greeting, Head, dump, dump_error, load, load_call

ROOM_BYTES = 64 * 1024 * 1024
"""A child that has not even this much to work in would blame its calls for it."""


def main() -> None:
    """Die with the parent, whatever is being done; a call that ends the process ends it for good."""
    bind_to_parent(int(sys.argv[1]), signal.SIGKILL)
    faulthandler.enable()
    requests, answers = _pipes()
    head = requests.read(LENGTH.size)
    if not head:
        return
    greeting: Greeting = load(requests.read(*LENGTH.unpack(head)))
    sys.path, max_memory_bytes, cpu_seconds = greeting
    _limit_memory(max_memory_bytes)
    bytes(ROOM_BYTES)
    _say(answers, TAKEN)
    while head := requests.read(LENGTH.size):
        _say(answers, TAKEN)
        _limit_cpu(cpu_seconds)
        _say(answers, *_answer(requests, *LENGTH.unpack(head)))


def _answer(requests: BinaryIO, length: int) -> tuple[bytes, ...]:
    try:
        try:
            head: Head = load(requests.read(length))
            lengths, pickled = head
            function, args = load_call(pickled, [requests.read(each) for each in lengths])
            status, body = RETURNED, dump(function(*args))
        except MemoryError:
            raise
        except Exception as error:
            status, body = RAISED, dump_error(error)
    except MemoryError:
        return (NO_MEMORY,)
    return status, LENGTH.pack(len(body)), body


def _say(answers: BinaryIO, *pieces: bytes) -> None:
    for piece in pieces:
        answers.write(piece)
    answers.flush()


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Ours alone: what a call prints goes to the log, what it starts inherits neither."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _limit_memory(max_bytes: int) -> None:
    """And no core file: it would hold the result. A limit that is lower already stays.

    Where the machine has less than the limit, its kernel is told to kill this process before any other.
    """
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    for limit, value in ((resource.RLIMIT_AS, max_bytes), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))


def _limit_cpu(seconds: float) -> None:
    """For one call, should the parent not be there to end it; counted in whole seconds since the process began."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 2, hard))


if __name__ == "__main__":
    main()
