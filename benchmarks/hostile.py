"""The longest that a synopsis of a megabyte takes, over all inputs that are made to hurt."""

import time

from tests.support.hostile import HOSTILE

from benchmarks.rows import Row
from coatcheck_core.synopsis import synopsize

_SIZE = 1_000_000
_ASKED_SECONDS = 2.0
_QUICK_STRIDE = 20


def longest(quick: bool) -> list[Row]:
    """The slowest input is named. Processor time, since others use the machine, too."""
    names = sorted(HOSTILE)[:: _QUICK_STRIDE if quick else 1]
    slowest = max((_seconds(name), name) for name in names)
    figure = f"longest synopsis of {len(names)} hostile inputs of 1 MB ({slowest[1]})"
    return [Row(figure=figure, unit="s", ours=slowest[0], asked=f"<= {_ASKED_SECONDS:g}", rounds=len(names))]


def _seconds(name: str) -> float:
    data = HOSTILE[name](_SIZE)
    started = time.process_time()
    synopsize(data)
    return time.process_time() - started
