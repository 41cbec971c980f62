"""How late a worker's event loop comes while large results are handled, several at a time, as fast as it can."""

import asyncio
import itertools
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from nats.aio.client import Client
from tests.support.hostile import HOSTILE

from benchmarks.agent import Agent, new_prefix
from benchmarks.deployment import Servers, consumer, deployed
from benchmarks.large_texts import KINDS
from benchmarks.probed import Sample
from benchmarks.rows import Row, quantile
from coatcheck_schemas.results import encode_binary

SIZE = 900_000
IN_FLIGHT = 8
LATEST_MS = 50
SHARES = (("p50", 0.5), ("p99", 0.99), ("the latest", 1.0))

Span = tuple[str, float, float]
"""What was handled from when to when, on the machine's monotonic clock."""


async def responsive(on: Servers, quick: bool) -> list[Row]:
    """The floor is a loop with nothing to do, in a process of its own, in the same moments on the same machine."""
    prefix = new_prefix()
    ours, floor = (on.folder / f"{prefix}-{who}.json" for who in ("ours", "floor"))
    async with deployed(on, prefix, IN_FLIGHT) as (client, settings), Agent(client, prefix) as agent:
        async with _alone(floor), consumer(on, "probed", "", settings, PROBE=str(ours)):
            spans = []
            for kind in KINDS:
                count = 4 if quick else len(HOSTILE) // 4 if kind == "hostile" else 40
                spans.append(await _handled(client, prefix, agent, kind, count))
        return _rows(_late(ours, spans), _late(floor, spans))


@asynccontextmanager
async def _alone(notes: Path) -> AsyncIterator[None]:
    argv = [sys.executable, "-m", "benchmarks.probed", "alone"]
    process = await asyncio.create_subprocess_exec(*argv, env=os.environ | {"PROBE": str(notes)})
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def _handled(client: Client, prefix: str, agent: Agent, kind: str, count: int) -> Span:
    """So many results of a kind are published while the worker takes them, until the last has its stub."""
    before = len(agent.times)
    results = [KINDS[kind](SIZE, number) for number in range(count)]
    jetstream = client.jetstream(timeout=60)
    calls = iter(range(count))

    async def publish() -> None:
        for call in calls:
            headers, body = encode_binary(results[call], tool_name="cat", event_id=str(call), source="bench")
            await jetstream.publish(f"{prefix}.results.s.=.{kind.replace(' ', '_')}{call}", body, headers=headers)

    began = time.monotonic()
    await asyncio.gather(*(publish() for _ in range(IN_FLIGHT)))
    await agent.hears(before + count, 300)
    return kind, began, time.monotonic()


def _late(notes: Path, spans: list[Span]) -> dict[str, list[float]]:
    """How late the probe came, kind by kind."""
    samples = msgspec.json.decode(notes.read_bytes(), type=list[Sample])
    return {kind: [seconds for due, seconds in samples if began <= due < ended] for kind, began, ended in spans}


def _rows(ours: dict[str, list[float]], floor: dict[str, list[float]]) -> list[Row]:
    """All kinds together, then each."""
    together, idle = (list(itertools.chain(*late.values())) for late in (ours, floor))
    figure = "event loop late while 900 kB results are handled"
    rows = [_row(f"{figure}, {name}", together, idle, share) for name, share in SHARES]
    return rows + [_row(f"the same, {kind}, p99", late, floor[kind], 0.99) for kind, late in ours.items()]


def _row(figure: str, late: list[float], idle: list[float], share: float) -> Row:
    return Row(
        figure=figure,
        unit="ms",
        ours=1000 * quantile(late, share),
        floor=1000 * quantile(idle, share),
        asked=f"<= {LATEST_MS}" if share == 0.99 else "",
    )
