"""Pages anywhere in originals, some in flight, beside bare ranged GETs of the same bytes for the same asker."""

import asyncio
import random
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable

import msgspec

from benchmarks.agent import KB
from benchmarks.deployment import Servers, consumer, cpu_seconds
from benchmarks.large.memory import MB
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.floor import Range
from benchmarks.retrieval.keeping import Deployment, Kept, deployment
from benchmarks.rows import Row, compared

PAGE_CHARS = 20_000
IN_FLIGHT = 16
READS, QUICK_READS = 2000, 500
SIZES = {"120 kB": 120 * KB, "1 MB": MB, "50 MB": 50 * MB}


class _Page(msgspec.Struct, frozen=True):
    """The floor reads it in `plain`, which is the same content as its bytes."""

    kept: Kept
    plain: Kept
    start: int


async def reads(on: Servers, quick: bool) -> list[Row]:
    """Logs are all ASCII, so that a page's chars are the object's bytes."""
    count, rounds = (QUICK_READS, 1) if quick else (READS, 3)
    async with deployment(on) as one:
        cases, settings = await _cases(one), one.settings
        asking = Asking(one.client, one.prefix)
        async with (
            consumer(on, "ours", "requests", settings) as worker,
            consumer(on, "floor", "requests", settings) as floor,
        ):
            readers = _Reader(_ours(asking), worker), _Reader(_floor(asking), floor)
            return [row for name, kept in cases.items() for row in await _rows(readers, name, kept, count, rounds)]


class _Reader(msgspec.Struct, frozen=True):
    """What asks for a page, and the process that answers."""

    ask: Callable[[_Page], Awaitable[None]]
    process: Process

    async def read(self, pages: list[_Page]) -> tuple[float, float | None]:
        """Pages a second, each reader asking anew when it has its page; the process's CPU seconds for each."""
        left = iter(pages)

        async def read() -> None:
            for page in left:
                await self.ask(page)

        used, began = cpu_seconds(self.process), time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(IN_FLIGHT):
                group.create_task(read())
        seconds, after = time.perf_counter() - began, cpu_seconds(self.process)
        cpu = None if used is None or after is None else (after - used) / len(pages)
        return len(pages) / seconds, cpu


async def _cases(one: Deployment) -> dict[str, list[tuple[Kept, Kept]]]:
    """Each original, and the one that the floor reads in its place."""
    plain = [(kept, kept) for kept in await one.keep("none", "logs", SIZES.values())]
    packed = (await one.keep("zstd", "logs", [50 * MB]))[0]
    alone = {f"in {name}": [pair] for name, pair in zip(SIZES, plain, strict=True)}
    return {"in all sizes": plain, **alone, "in 50 MB, compressed": [(packed, plain[-1][0])]}


async def _rows(
    readers: tuple[_Reader, _Reader], name: str, kept: list[tuple[Kept, Kept]], count: int, rounds: int
) -> list[Row]:
    ours, floor = readers
    await ours.read(_pages(kept, 4 * IN_FLIGHT, rounds))
    taken = []
    for seed in range(rounds):
        pages = _pages(kept, count, seed)
        taken.append((await ours.read(pages), await floor.read(pages)))
    figure = f"pages of {PAGE_CHARS} chars {name}, {IN_FLIGHT} in flight"
    rates = [(our[0], its[0]) for our, its in taken]
    cpu = [(our[1], its[1]) for our, its in taken if our[1] is not None and its[1]]
    rows = [compared(figure, "/s", rates, ">= 0.6, or 1500/s")]
    return [*rows, compared("the worker's CPU for each of these", "ms", cpu)] if cpu else rows


def _pages(kept: list[tuple[Kept, Kept]], count: int, seed: int) -> list[_Page]:
    rng = random.Random(seed)
    chosen = (rng.choice(kept) for _ in range(count))
    return [_Page(one, plain, rng.randrange(one.size - PAGE_CHARS)) for one, plain in chosen]


def _ours(asking: Asking) -> Callable[[_Page], Awaitable[None]]:
    async def ask(page: _Page) -> None:
        _, data = await asking.raw("read", ref=page.kept.ref, offset=page.start, limit=PAGE_CHARS)
        if not data.startswith(b'{"ok":') or len(data) < PAGE_CHARS:
            raise RuntimeError(f"a read was answered {data[:300]!r}")

    return ask


def _floor(asking: Asking) -> Callable[[_Page], Awaitable[None]]:
    async def ask(page: _Page) -> None:
        _, data = await asking.floor("range", Range(page.plain.key, page.start, page.start + PAGE_CHARS))
        if len(data) != PAGE_CHARS:
            raise RuntimeError(f"the floor answered {len(data)} bytes")

    return ask
