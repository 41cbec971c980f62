"""A page at the end of a gigabyte, beside the same page of a megabyte and beside a bare ranged GET of its bytes."""

from statistics import median

import msgspec

from benchmarks.deployment import Servers, consumer
from benchmarks.large.memory import MB
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.contents import KINDS
from benchmarks.retrieval.floor import Range
from benchmarks.retrieval.keeping import Deployment, Kept, deployment
from benchmarks.rows import Pair, Row, compared

PAGE_CHARS = 20_000
LARGE, QUICK_LARGE = 1000, 200
PAGES, QUICK_PAGES = 100, 40
WORKERS, QUICK_WORKERS = 9, 3
FORMS = ("none", "zstd")
OTHERS = (MB // 2, 2 * MB)
WARMING = 10


class _Case(msgspec.Struct, frozen=True, kw_only=True):
    """`plain` is the large one as its bytes, which the floor reads."""

    large: Kept
    small: Kept
    plain: Kept

    @property
    def name(self) -> str:
        form = ", compressed" if self.large.form == "zstd" else ""
        return f"end of {self.large.size // MB} MB of {self.large.kind}{form}"

    @property
    def wanted(self) -> Range:
        size = len(self.plain.last(PAGE_CHARS).encode())
        return Range(self.plain.key, self.plain.size - size, self.plain.size)


async def ends(on: Servers, quick: bool) -> list[Row]:
    async with deployment(on) as one:
        cases = await _cases(one, QUICK_LARGE if quick else LARGE)
        others = await one.keep("none", "logs", OTHERS)
        asking = Asking(one.client, one.prefix)
        warm = await _warm(one, asking, cases, QUICK_PAGES if quick else PAGES, 1 if quick else 3)
        first = [await _first(one, asking, others, cases) for _ in range(QUICK_WORKERS if quick else WORKERS)]
    return [
        row
        for number, case in enumerate(cases)
        for row in _rows(case.name, [of[number] for of in warm], [of[number] for of in first])
    ]


def _rows(name: str, warm: list[tuple[float, float, float]], first: list[Pair]) -> list[Row]:
    beside_small = [(large, small) for large, small, _ in warm]
    beside_floor = [(large, floor) for large, _, floor in warm]
    return [
        compared(f"{name}: {PAGE_CHARS} chars, beside those of 1 MB", "ms", beside_small, "<= 1.3"),
        compared(f"{name}: beside a bare ranged GET", "ms", beside_floor, "<= 2"),
        compared(f"{name}: a worker's first read, beside that of 1 MB", "ms", first, "<= 1.3"),
    ]


async def _cases(one: Deployment, count: int) -> list[_Case]:
    kept = {(form, kind): await one.keep(form, kind, (count * MB, MB)) for form in FORMS for kind in KINDS}
    return [_Case(large=large, small=small, plain=kept["none", kind][0]) for (_, kind), (large, small) in kept.items()]


async def _warm(
    one: Deployment, asking: Asking, cases: list[_Case], count: int, rounds: int
) -> list[list[tuple[float, float, float]]]:
    """For each round and case the medians of the large, the small and the floor, which are read in turn."""
    settings = one.settings
    async with consumer(one.on, "ours", "requests", settings), consumer(one.on, "floor", "requests", settings):
        for case in cases:
            await _in_turn(asking, case, 5)
        return [[await _in_turn(asking, case, count) for case in cases] for _ in range(rounds)]


async def _in_turn(asking: Asking, case: _Case, count: int) -> tuple[float, float, float]:
    wanted, expected = case.wanted, case.plain.last(PAGE_CHARS).encode()
    times: list[tuple[float, float, float]] = []
    for _ in range(count):
        large, small = await _end(asking, case.large), await _end(asking, case.small)
        floor, content = await asking.floor("range", wanted)
        if content != expected:
            raise RuntimeError(f"the floor read another end of {case.plain.key}")
        times.append((large, small, floor))
    return median(t[0] for t in times), median(t[1] for t in times), median(t[2] for t in times)


async def _first(one: Deployment, asking: Asking, others: list[Kept], cases: list[_Case]) -> list[Pair]:
    """By a worker that has read no original of these; others it has, so that its connections are there."""
    async with consumer(one.on, "ours", "requests", one.settings):
        for other in WARMING * others:
            await _end(asking, other)
        return [(await _end(asking, case.large), await _end(asking, case.small)) for case in cases]


async def _end(asking: Asking, kept: Kept) -> float:
    seconds, reply = await asking.ours("read", ref=kept.ref, offset=-PAGE_CHARS, limit=PAGE_CHARS)
    if reply["content"] != kept.last(PAGE_CHARS):
        raise RuntimeError(f"the end of {kept.ref} is not the original's")
    return seconds
