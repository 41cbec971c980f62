"""What the form with an index costs in size beside whole-file zstd, and what reading a page of it costs."""

import random
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack

import msgspec
import zstandard
from nats.aio.client import Client

from benchmarks.deployment import Servers
from benchmarks.large.contents import CORPUS, PIECE_BYTES, json_text, unlike_text
from benchmarks.large.producing import publish_pieces
from benchmarks.large.running import Running, running
from benchmarks.rows import Row, compared, quantile
from coatcheck_core.original import Writing
from coatcheck_core.original.frames import LEVEL

CORPUS_BYTES, QUICK_BYTES = 16_000_000, 3_000_000
PAGE_CHARS = 20_000
PAGES, QUICK_PAGES = 300, 40
ORIGINAL_BYTES = 150_000_000
"""So large that both forms are large objects: the bundled store takes twice as long for a range of one of less
than some 20 MB.
"""
_REPEATED = 10


async def compressing(on: Servers, quick: bool) -> list[Row]:
    size = QUICK_BYTES if quick else CORPUS_BYTES
    rows = [_ratio(kind, make(size)) for kind, make in CORPUS.items()]
    return [*rows, *await _pages(on, QUICK_PAGES if quick else PAGES, 1 if quick else 3)]


def _ratio(kind: str, data: bytes) -> Row:
    """How many times smaller it becomes; the floor is one frame of the whole, at the same level."""
    writing = Writing(mime_type=None, compression="zstd", head=data[:PIECE_BYTES])
    stored = sum(len(writing.feed(piece)) for piece in _cut(data)) + len(writing.finish())
    if writing.form != "zstd":
        raise RuntimeError(f"{kind} was not taken for text")
    whole = len(zstandard.ZstdCompressor(level=LEVEL).compress(data))
    figure = f"compression of {len(data) / PIECE_BYTES:.0f} MB of {kind}, beside zstd -{LEVEL} of the whole"
    return compared(figure, "times", [(len(data) / stored, len(data) / whole)], "" if kind == "logs" else ">= 0.9")


def _cut(data: bytes) -> Iterator[bytes]:
    return (data[start : start + PIECE_BYTES] for start in range(0, len(data), PIECE_BYTES))


async def _pages(on: Servers, count: int, rounds: int) -> list[Row]:
    """The same original, compressed by one worker, as it is by another; the pages are read in turn."""
    data = unlike_text(json_text(ORIGINAL_BYTES // _REPEATED))[: ORIGINAL_BYTES // _REPEATED] * _REPEATED
    async with AsyncExitStack() as stack:
        pairs = [await stack.enter_async_context(running(on, "ours", form)) for form in ("zstd", "none")]
        read = [await _Read.of(one, data) for one in pairs]
        took = [await _in_turn(read, count, seed) for seed in range(rounds)]
    figure = f"a page of {PAGE_CHARS} chars of {ORIGINAL_BYTES // PIECE_BYTES} MB, compressed, beside not"
    return [
        compared(f"{figure}, {name}", "ms", [(quantile(ours, at), quantile(plain, at)) for ours, plain in took], asked)
        for name, at, asked in (("p50", 0.5, "<= 1.5"), ("p99", 0.99, ""))
    ]


class _Read:
    """Pages of one original, which is all ASCII, so that it is known what a page must be."""

    def __init__(self, client: Client, subject: str, ref: str, data: bytes) -> None:
        self._client = client
        self._subject = subject
        self._ref = ref
        self.data = data

    @classmethod
    async def of(cls, one: Running, data: bytes) -> "_Read":
        stubs = await one.client.subscribe(f"{one.prefix}.stubs.>")
        await publish_pieces(one.client, one.subject("c"), _cut(data))
        await one.open("c")
        stub = msgspec.json.decode((await stubs.next_msg(timeout=120)).data)
        return cls(one.client, f"{one.prefix}.read.s", stub["ref"], data)

    async def page(self, offset: int) -> float:
        """Seconds; fails where it is not what the original has there."""
        body = msgspec.json.encode({"ref": self._ref, "offset": offset, "limit": PAGE_CHARS})
        began = time.perf_counter()
        answer = await self._client.request(self._subject, body, timeout=30)
        seconds = time.perf_counter() - began
        content = msgspec.json.decode(answer.data)["ok"]["content"]
        if content.encode() != self.data[offset : offset + PAGE_CHARS]:
            raise RuntimeError(f"the page at {offset} is not the original's")
        return seconds


async def _in_turn(read: list[_Read], count: int, seed: int) -> tuple[list[float], list[float]]:
    rng = random.Random(seed)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(count):
        offset = rng.randrange(len(read[0].data) - PAGE_CHARS)
        for one, into in zip(read, times, strict=True):
            into.append(await one.page(offset))
    return times
