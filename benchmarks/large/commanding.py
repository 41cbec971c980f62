"""50 MB through `coatcheck exec`, as a person calls it, to the printed stub."""

import asyncio
import os
import sys
import time
from pathlib import Path

from benchmarks.deployment import Servers
from benchmarks.large.contents import PIECE_BYTES, pieces
from benchmarks.large.memory import MB
from benchmarks.large.producing import producer
from benchmarks.large.running import LONGEST_SECONDS, running
from benchmarks.rows import Row, compared

COUNT = 50
FIRST_COUNT = 3
STUB = b"[Coatcheck: tool result offloaded]"


async def through_exec(on: Servers, quick: bool) -> list[Row]:
    """The floor: a bare program publishes the same bytes while another pipes them. Both begin with their process."""
    file, first = on.folder / "large-output", on.folder / "first-output"
    file.write_bytes(b"".join(pieces(COUNT)))
    first.write_bytes(b"".join(pieces(FIRST_COUNT, seed=1)))
    size = COUNT * PIECE_BYTES / MB
    pairs, alone = [], []
    for _ in range(1 if quick else 3):
        ours, small = await _exec(on, file, first)
        pairs.append((size / ours, size / await _floor(on, file)))
        alone.append(small)
    return [
        compared(f"{size:.0f} MB through `coatcheck exec`, beside publishing and piping them", "MB/s", pairs, ">= 0.5"),
        Row(figure="`coatcheck exec` of what prints a word", unit="s", ours=min(alone), rounds=len(alone)),
    ]


async def _exec(on: Servers, file: Path, first: Path) -> tuple[float, float]:
    """Seconds of the command until it has ended, and of the same with a word for an output.

    The worker has had another large result before, and so the child that makes synopses.
    """
    async with running(on, "ours", "zstd") as one:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
        environment |= {"COATCHECK_NATS__URL": on.nats.url, "COATCHECK_NATS__PREFIX": one.prefix}
        small = await _timed(environment, "echo", "done", expecting=b"done")
        await _timed(environment, "cat", str(first), expecting=STUB)
        return await _timed(environment, "cat", str(file), expecting=STUB), small


async def _timed(environment: dict[str, str], *command: str, expecting: bytes) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "coatcheck", "exec", "--session", "s", "--", *command,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), LONGEST_SECONDS)
    seconds = time.perf_counter() - began
    if not out.startswith(expecting):
        raise RuntimeError(f"`coatcheck exec` printed {out[:200]!r} and said {err[-500:]!r}")
    return seconds


async def _floor(on: Servers, file: Path) -> float:
    async with running(on, "floor", "none") as one:
        began = time.perf_counter()
        async with producer(on.nats.url, one.subject("c"), str(file)) as begin:
            await one.open("c")
            begin.write(b"\n")
            return await one.agent.hears(1, LONGEST_SECONDS) - began
