"""How long it takes to decide a result, told by its size: where that is done depends on it."""

from coatcheck_core.arrival import Result

QUICK_BYTES = 4 * 1024
QUICK_JSON_BYTES = 128 * 1024
_JSON_OPENS, _JSON_ENDS, _END_BYTES = (b"{", b"["), (b"}", b"]"), 64
LARGE_BYTES = 128 * 1024


def is_small(result: Result) -> bool:
    """Whether to decide takes a few milliseconds at most, whatever it is."""
    return result.contents.size <= QUICK_BYTES


def is_quick(result: Result) -> bool:
    """Whether to decide most likely takes a few milliseconds: what is small, and JSON up to a size, for it parses fast.

    JSON by its two ends: a log may begin with a bracket, and what is none is looked at in many ways.
    """
    data = result.contents.data
    if is_small(result):
        return True
    return len(data) <= QUICK_JSON_BYTES and data[:1] in _JSON_OPENS and data[-_END_BYTES:].rstrip()[-1:] in _JSON_ENDS


def is_large(result: Result) -> bool:
    """Whether its synopsis may hold the interpreter's lock for long, and so is better made in another process.

    No reader is meant to, but a hostile text of this size can make a compiled search or parser take a twentieth of a
    second at once, and one of 1 MB nearly half of one.
    """
    return result.contents.size > LARGE_BYTES
