"""`python -m fuzz.slowest [MEGABYTES]`: what each hostile input costs, the slowest last.

By input: milliseconds a megabyte, how much more four times as much costs (4 is linear), the longest time between two
steps, and how late another thread got its turn.
"""

import sys
import threading
import time
from collections.abc import Callable

import msgspec
from tests.support.hostile import HOSTILE
from tests.support.hostile.documents import DOCUMENTS

from coatcheck_core.synopsis import synopsize

MEGA = 1_000_000
SHOWN = 40
TICK_SECONDS = 0.001
LINEAR = 4
LIMITS_MS = {"ms_per_mb": 2000.0, "growth": 8.0}
_SURE_GROWTH = 5.0
_WORTH_GROWTH_MS = 5.0
"""What takes less grows by chance."""


class Cost(msgspec.Struct, frozen=True):
    name: str
    kind: str
    ms_per_mb: float
    growth: float
    gap_ms: float
    late_ms: float


def main(arguments: list[str]) -> int:
    size = int(float(arguments[0]) * MEGA) if arguments else MEGA
    only = arguments[1] if len(arguments) > 1 else ""
    inputs = {**HOSTILE, **{f"document: {name}": make for name, make in DOCUMENTS.items()}}
    costs = [_cost(name, make, size) for name, make in inputs.items() if only in name]
    for key in ("growth", "gap_ms", "late_ms", "ms_per_mb"):
        print(f"\nby {key}")
        for cost in sorted(costs, key=lambda cost: getattr(cost, key))[-SHOWN // (1 if key == "ms_per_mb" else 2) :]:
            print(
                f"{cost.ms_per_mb:9.1f} ms/MB  growth {cost.growth:5.1f}  gap {cost.gap_ms:6.1f} ms"
                f"  late {cost.late_ms:6.1f} ms  {cost.kind:8} {cost.name}"
            )
    over = [cost for cost in costs if any(getattr(cost, key) > limit for key, limit in LIMITS_MS.items())]
    average = sum(cost.ms_per_mb for cost in costs) / len(costs)
    print(f"\n{len(costs)} inputs, {average:.1f} ms/MB on average; over a limit: {len(over)}")
    for cost in over:
        print(f"  {cost.name}")
    return bool(over)


def _cost(name: str, make: Callable[[int], bytes], size: int) -> Cost:
    small, large = make(size), make(LINEAR * size)
    gaps = _Gaps()
    with _Ticks() as ticks:
        kind = synopsize(small, step=gaps).kind
        gaps()
    for times in (1, 2, 4):  # what chance made slow is measured again
        least, longer = _least_ms(small, times), _least_ms(large, times)
        growth = longer / least * LINEAR * len(small) / len(large) if longer > _WORTH_GROWTH_MS else 0.0
        if growth < _SURE_GROWTH:
            break
    scale = MEGA / len(small) if len(small) > size // 2 else 1.0  # what is short at any size counts as it is
    return Cost(name, kind, least * scale, growth, gaps.most * 1000, ticks.latest * 1000)


def _least_ms(data: bytes, times: int) -> float:
    """The best of so many times, in this process' own time."""
    return min(_ms(data) for _ in range(times))


def _ms(data: bytes) -> float:
    start = time.process_time()
    synopsize(data)
    return (time.process_time() - start) * 1000


class _Gaps:
    """A step that remembers the longest time between two of its calls."""

    def __init__(self) -> None:
        self.most = 0.0
        self._last = time.perf_counter()

    def __call__(self) -> None:
        now = time.perf_counter()
        self.most, self._last = max(self.most, now - self._last), now


class _Ticks:
    """Another thread that wants a turn every millisecond, and how late it got one."""

    def __init__(self) -> None:
        self.latest = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick)

    def __enter__(self) -> "_Ticks":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._done.is_set():
            start = time.perf_counter()
            time.sleep(TICK_SECONDS)
            self.latest = max(self.latest, time.perf_counter() - start - TICK_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
