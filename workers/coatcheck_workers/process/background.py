"""Threads that stand back where others want the processor."""

import contextlib
import os
import sys
import threading

NICE = 5
"""A third of the share of others: with less, large results hardly come on beside busy neighbours."""


def stand_back() -> None:
    """For the calling thread alone, which Linux allows: what answers small results has the processor first.

    Nothing is changed where the system has no such priority, or the process may not choose it.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
