"""What a worker's memory goes back to once large results are through."""

import ctypes
import sys

_M_MMAP_THRESHOLD = -3
"""Of glibc's malloc.h."""
OWN_PAGES_BYTES = 512 * 1024


def give_back_large_blocks(least_bytes: int = OWN_PAGES_BYTES) -> bool:
    """Let each block from this size on have pages of its own, which go back to the system as soon as it is freed.

    By itself glibc's malloc raises this limit to the largest block that was ever freed: the parts of uploads, of some
    MiB, then leave holes between what stays. Says whether the system's allocator took it; others need nothing.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_MMAP_THRESHOLD, least_bytes) == 1
