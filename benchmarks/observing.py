"""What it costs to be watched: inline results with metrics that are read and traces that are sent, beside neither."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec

from benchmarks.agent import KB, Agent, new_prefix, result_of
from benchmarks.deployment import Servers, consumer, cpu_seconds, deployed
from benchmarks.rows import Pair, Row, compared

SAMPLE_RATIO = 0.01
"""The setting's default."""
SCRAPE_SECONDS = 5.0
"""Prometheus asks each fifteen, for some milliseconds; here it is asked at the start of each run, which is short."""
_ACCEPTED = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Results a second, and the worker's CPU seconds for each; None where the system does not tell."""

    rate: float
    cpu: float | None


async def observing(on: Servers, quick: bool) -> list[Row]:
    count = 2000 if quick else 6000
    async with _collector() as collector:
        costs = [(await _cost(on, count, collector), await _cost(on, count, None)) for _ in range(2 if quick else 5)]
    cpu: list[Pair] = [(one.cpu, other.cpu) for one, other in costs if one.cpu is not None and other.cpu]
    rates = [(one.rate, other.rate) for one, other in costs]
    return [
        compared("inline 1 kB with metrics and traces, beside without, 64 in flight", "/s", rates, ">= 0.9"),
        *([compared("the worker's CPU for each of these", "ms", cpu, "<= 1.1")] if cpu else []),
    ]


async def _cost(on: Servers, count: int, collector: str | None) -> Cost:
    """Of `count` results that wait when the worker starts; watched where there is a collector for its spans."""
    prefix, port = new_prefix(), _free_port()
    watched: dict[str, dict[str, object]] = {
        "http": {"port": port},
        "tracing": {"enabled": True, "sample_ratio": SAMPLE_RATIO},
    }
    sections = dict[str, dict[str, object]]() if collector is None else watched
    who = "unwatched" if collector is None else "ours"
    async with deployed(on, prefix, 64, **sections) as (client, settings), Agent(client, prefix) as agent:
        await agent.publish_all([(f"s.=.c{number}", result_of(KB, number)) for number in range(count)])
        variables = {} if collector is None else {"OTEL_EXPORTER_OTLP_ENDPOINT": collector}
        async with consumer(on, who, "inline", settings, **variables) as process:
            began = cpu_seconds(process)
            scraping = asyncio.create_task(_scrape(port if collector else None))
            await agent.hears(count, 120)
            scraping.cancel()
            ended = cpu_seconds(process)
    cpu = None if began is None or ended is None else (ended - began) / count
    return Cost(rate=(count - 1) / (agent.times[-1] - agent.times[0]), cpu=cpu)


async def _scrape(port: int | None) -> None:
    """Read the metrics again and again."""
    while port is not None:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /metrics HTTP/1.1\r\nhost: benchmark\r\n\r\n")
            await reader.read()
            writer.close()
        await asyncio.sleep(SCRAPE_SECONDS)


@asynccontextmanager
async def _collector() -> AsyncIterator[str]:
    """Takes spans in, and forgets them; its URL."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = next((line[15:] for line in head.split(b"\r\n") if line.startswith(b"content-length:")), b"0")
            await reader.readexactly(int(length))
            writer.write(_ACCEPTED)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
