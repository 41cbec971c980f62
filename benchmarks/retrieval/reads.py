"""Pages anywhere in originals, some in flight, beside bare ranged GETs of the same bytes for the same asker."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import msgspec

from benchmarks.agent import KB
from benchmarks.deployment import Servers, consumer
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
        async with consumer(on, "ours", "requests", settings), consumer(on, "floor", "requests", settings):
            return [await _row(asking, name, kept, count, rounds) for name, kept in cases.items()]


async def _cases(one: Deployment) -> dict[str, list[tuple[Kept, Kept]]]:
    """Each original, and the one that the floor reads in its place."""
    plain = [(kept, kept) for kept in await one.keep("none", "logs", SIZES.values())]
    packed = (await one.keep("zstd", "logs", [50 * MB]))[0]
    alone = {f"in {name}": [pair] for name, pair in zip(SIZES, plain, strict=True)}
    return {"in all sizes": plain, **alone, "in 50 MB, compressed": [(packed, plain[-1][0])]}


async def _row(asking: Asking, name: str, kept: list[tuple[Kept, Kept]], count: int, rounds: int) -> Row:
    pairs = []
    await _rate(_ours(asking), _pages(kept, 4 * IN_FLIGHT, rounds))
    for seed in range(rounds):
        pages = _pages(kept, count, seed)
        pairs.append((await _rate(_ours(asking), pages), await _rate(_floor(asking), pages)))
    return compared(f"pages of {PAGE_CHARS} chars {name}, {IN_FLIGHT} in flight", "/s", pairs, ">= 0.6, or 1500/s")


def _pages(kept: list[tuple[Kept, Kept]], count: int, seed: int) -> list[_Page]:
    rng = random.Random(seed)
    chosen = (rng.choice(kept) for _ in range(count))
    return [_Page(one, plain, rng.randrange(one.size - PAGE_CHARS)) for one, plain in chosen]


async def _rate(ask: Callable[[_Page], Awaitable[None]], pages: list[_Page]) -> float:
    """Pages a second, each reader asking anew when it has its page."""
    left = iter(pages)

    async def read() -> None:
        for page in left:
            await ask(page)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(read())
    return len(pages) / (time.perf_counter() - began)


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
