"""A worker with a probe on its event loop: `python -m benchmarks.probed worker ...`, as `coatcheck worker ...`.

`python -m benchmarks.probed alone` is the probe on a loop that has nothing else to do: what the machine itself is late.

The probe is due every few milliseconds by a fixed timetable, and notes how late it came to each of its times. A loop
that stands still for 100 ms misses twenty of them, and all count: the one that is due first is 100 ms late, the next
95. What it noted is written as JSON to the file in the environment variable PROBE when the worker stops.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import msgspec
import uvloop

from coatcheck.cli import main
from coatcheck_workers.commands import worker
from coatcheck_workers.worker import Worker

PERIOD_SECONDS = 0.005

Sample = tuple[float, float]
"""When the probe was due, on the machine's monotonic clock, and how many seconds late it came."""


class ProbedWorker(Worker):
    """The worker itself, and the probe beside it from its start to its end."""

    async def start(self) -> None:
        self._samples: list[Sample] = []
        await super().start()
        self._probe = asyncio.create_task(probe(self._samples))

    async def stop(self) -> None:
        self._probe.cancel()
        await super().stop()
        _write(Path(os.environ["PROBE"]), self._samples)


async def probe(samples: list[Sample]) -> None:
    due = time.monotonic() + PERIOD_SECONDS
    while True:
        await asyncio.sleep(max(due - time.monotonic(), 0))
        now = time.monotonic()
        while due <= now:
            samples.append((due, now - due))
            due += PERIOD_SECONDS


async def alone() -> None:
    """Until SIGTERM."""
    samples: list[Sample] = []
    probing = asyncio.create_task(probe(samples))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, probing.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await probing
    _write(Path(os.environ["PROBE"]), samples)


def _write(notes: Path, samples: list[Sample]) -> None:
    notes.write_bytes(msgspec.json.encode(samples))


if __name__ == "__main__":
    if sys.argv[1:] == ["alone"]:
        uvloop.run(alone())
    else:
        worker.Worker = ProbedWorker  # type: ignore[attr-defined]
        main()
