"""What one result or request costs the servers: requests to object storage, bytes put there, bytes in the streams.

Counts, not times: they are the same on any machine. docs/sizing.md reckons with them.
"""

import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
from nats.js import JetStreamContext
from tests.support.s3_proxy import S3Proxy, s3_proxied

import coatcheck
from benchmarks.agent import KB, new_prefix
from benchmarks.deployment import Servers, deployed
from benchmarks.rows import Row
from coatcheck_workers.worker import Worker

SESSION = "s"
TURN = 10
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_STREAMS = ("stubs", "ledger")
_LINE = "2026-01-31T23:59:59.123Z INFO web-{} GET /api/v1/namespaces/default/pods 200 trace={:016x}\n"


class Weights(msgspec.Struct, kw_only=True):
    """What the servers have had so far."""

    puts: int = 0
    gets: int = 0
    others: int = 0
    put_bytes: int = 0
    streams: dict[str, int] = msgspec.field(default_factory=dict)

    def hear(self, head: bytes) -> None:
        if head.startswith((b"PUT ", b"POST ")):
            self.puts += 1
            length = _LENGTH.search(head)
            self.put_bytes += 0 if length is None else int(length[1])
        elif head.startswith((b"GET ", b"HEAD ")):
            self.gets += 1
        else:
            self.others += 1


class Scales:
    """Weighs what is done between two looks."""

    def __init__(self, proxy: S3Proxy, jetstream: JetStreamContext, prefix: str, client: coatcheck.Client) -> None:
        self.client = client
        self._jetstream = jetstream
        self._prefix = prefix
        self._weights = Weights()
        proxy.hear = self._weights.hear

    async def weigh(self, what: str, count: int, act: Callable[[int], Awaitable[object]]) -> list[Row]:
        """Rows for one of `count`, which is given its number; what is nothing has no row."""
        await act(-1)  # what is needed once
        before = await self._look()
        for number in range(count):
            await act(number)
        after = await self._look()
        found = [
            ("writing requests to the store", "requests", after.puts - before.puts),
            ("reading requests to the store", "requests", after.gets - before.gets),
            ("other requests to the store", "requests", after.others - before.others),
            ("put into the store", "bytes", after.put_bytes - before.put_bytes),
            *((f"in COAT_{name.upper()}", "bytes", after.streams[name] - before.streams[name]) for name in _STREAMS),
        ]
        return [Row(figure=f"{what}: {name}", unit=unit, ours=much / count) for name, unit, much in found if much]

    async def _look(self) -> Weights:
        for name in _STREAMS:
            info = await self._jetstream.stream_info(f"{self._prefix}_{name}".upper())
            self._weights.streams[name] = info.state.bytes
        return msgspec.structs.replace(self._weights, streams=dict(self._weights.streams))


async def weighing(on: Servers, quick: bool) -> list[Row]:
    count = 10 if quick else 100
    async with _scales(on) as scales:
        return [*await _results(scales, count), *await _requests(scales, count)]


@asynccontextmanager
async def _scales(on: Servers) -> AsyncIterator[Scales]:
    prefix = new_prefix()
    async with (
        s3_proxied(on.s3.endpoint) as (proxy, endpoint),
        deployed(on, prefix, 64, storage={"endpoint": endpoint}) as (nats_client, settings),
        coatcheck.connect(on.nats.url, prefix=prefix) as client,
    ):
        worker = Worker(settings)
        try:
            await worker.start()
            yield Scales(proxy, nats_client.jetstream(), prefix, client)
        finally:
            await worker.stop()


def log_of(size: int, number: int) -> str:
    """A log, another for each number; zstd makes a tenth of it."""
    chance = random.Random(number)
    lines = (_LINE.format(number, chance.getrandbits(64)) for _ in range(size // 80))
    return "".join(lines)[:size]


async def _results(scales: Scales, count: int) -> list[Row]:
    def of(size: int, kind: str) -> Callable[[int], Awaitable[object]]:
        return lambda number: scales.client.submit(
            SESSION, log_of(size, number), tool_name="cat", call=f"{kind}{number}"
        )

    def noise(number: int) -> Awaitable[object]:
        content = random.Random(number).randbytes(20 * KB * KB)
        return scales.client.submit(SESSION, content, tool_name="cat", call=f"noise{number}")

    async def turn(number: int) -> None:
        async with scales.client.turn(SESSION, f"turn-{number}", size=TURN) as one:
            for index in range(TURN):
                await one.publish(log_of(KB, number), tool_name="cat", call=f"t{number}-{index}")
            await one.stubs()

    return [
        *await scales.weigh("inline, 1 kB", count, of(KB, "inline")),
        *await scales.weigh("offloaded, 120 kB", count, of(120 * KB, "offloaded")),
        *await scales.weigh("in pieces, 20 MB of log", max(count // 20, 1), of(20 * KB * KB, "pieces")),
        *await scales.weigh("in pieces, 20 MB of bytes", max(count // 20, 1), noise),
        *await scales.weigh(f"a turn of {TURN} of 1 kB", max(count // TURN, 1), turn),
    ]


async def _requests(scales: Scales, count: int) -> list[Row]:
    client = scales.client
    small = await client.submit(SESSION, log_of(120 * KB, count), tool_name="cat")
    large = await client.submit(SESSION, log_of(20 * KB * KB, count), tool_name="cat")
    if small.ref is None or large.ref is None:
        raise AssertionError("both were to be offloaded")
    refs = small.ref, large.ref
    return [
        *await scales.weigh("read again of 120 kB", count, lambda _: client.read(SESSION, refs[0], offset=-2000)),
        *await scales.weigh("read again of 20 MB", count, lambda _: client.read(SESSION, refs[1], offset=-2000)),
        *await scales.weigh(
            "search 20 MB for what is not there", 3, lambda _: client.search(SESSION, "@", ref=refs[1])
        ),
        *await scales.weigh("list the 50 newest", count, lambda _: client.list(SESSION, order="newest")),
    ]
