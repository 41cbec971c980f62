"""Run a program that the kernel ends together with its parent: `python die_with_parent.py PARENT_PID PROGRAM ARG...`.

A program of its own, since code between fork and exec is unsafe in a process that has threads. It becomes PROGRAM
(same process id, same descriptors), whose files and sockets are its user's alone. Standard library only, so that it
starts within milliseconds.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def bind_to_parent(parent: int, number: int = signal.SIGTERM) -> None:
    """Have the kernel send a signal once the parent is gone; end at once where it is gone already. Linux only."""
    if sys.platform != "linux":
        return
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        raise SystemExit("the parent is gone")


if __name__ == "__main__":
    bind_to_parent(int(sys.argv[1]))
    os.umask(0o077)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - no shell is the point
