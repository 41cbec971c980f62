"""One kind and size in a process of its own: `python -m benchmarks.synopsis_child KIND BYTES ROUNDS WITH_BASELINE`.

Processor time is taken, since others use the machine, too. The peak of memory is what the system says of the process
after the synopsis, less the same before it with the text in memory.
"""

import resource
import sys
import time
from collections.abc import Callable

import msgspec

from benchmarks.baselines import BASELINES
from benchmarks.synopsis_texts import MB, SHAPES
from coatcheck_core.synopsis import synopsize


class Taken(msgspec.Struct, frozen=True):
    """Seconds of each round; `peak` in bytes beside the text."""

    size: int
    peak: int
    ours: list[float]
    baseline: list[float]


def take(kind: str, size: int, rounds: int, with_baseline: bool) -> Taken:
    shape = SHAPES[kind]()
    _checked(kind)(shape.of(MB))  # what is loaded and compiled at first use is no cost of a text
    data = shape.of(size)
    before = _peak()
    ours = [_seconds(_checked(kind), data)]
    peak = _peak() - before
    baseline: list[float] = []
    for number in range(rounds):
        if number:
            ours.append(_seconds(_checked(kind), data))
        if with_baseline:
            baseline.append(_seconds(BASELINES[kind][1], data))
    return Taken(len(data), peak, ours, baseline)


def _checked(kind: str) -> Callable[[bytes], None]:
    """A synopsis that was not of its kind would be a figure of something else."""

    def make(data: bytes) -> None:
        synopsis = synopsize(data)
        if kind.removeprefix("quoted ") not in (synopsis.kind, synopsis.format):
            raise SystemExit(f"the {kind} was taken for {synopsis.kind} {synopsis.format}")

    return make


def _seconds(call: Callable[[bytes], object], data: bytes) -> float:
    started = time.process_time()
    call(data)
    return time.process_time() - started


def _peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    _, kind, size, rounds, with_baseline = sys.argv
    sys.stdout.write(msgspec.json.encode(take(kind, int(size), int(rounds), with_baseline == "1")).decode())
