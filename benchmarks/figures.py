"""Every figure: how often it is taken, beside which floor, and what is asked of it."""

from collections.abc import Awaitable, Callable
from statistics import median

from benchmarks.agent import KB
from benchmarks.clearing import clearings
from benchmarks.counting import counting
from benchmarks.deployment import Servers
from benchmarks.faults import hang, killed, refuse, store_away
from benchmarks.hostile import longest
from benchmarks.large.commanding import through_exec
from benchmarks.large.compressing import compressing
from benchmarks.large.eight import eight_at_once
from benchmarks.large.pieces import in_pieces
from benchmarks.observing import observing
from benchmarks.offloading import Figure, latency, throughput
from benchmarks.responsive import responsive
from benchmarks.retrieval.clears import clears
from benchmarks.retrieval.ends import ends
from benchmarks.retrieval.files import files
from benchmarks.retrieval.lists import lists
from benchmarks.retrieval.reads import reads
from benchmarks.retrieval.searches import searches
from benchmarks.rows import Pair, Row, compared, quantile
from benchmarks.scaling import scale
from benchmarks.starting import read_first_byte, up_to_ready
from benchmarks.synopsis import synopses
from benchmarks.turns import Cost, cost, settling
from benchmarks.weighing import weighing

_WORKERS = 4


async def offload(on: Servers, quick: bool) -> list[Row]:
    pairs = await _alternating(_rounds(quick), throughput, on, "offload", 120 * KB, 60 if quick else 600, 16)
    times = await _alternating(_rounds(quick), latency, on, "offload", 120 * KB, 20 if quick else 100, 16)
    return [
        compared("offload 120 kB, 16 in flight", "/s", pairs),
        compared("publish to stub, 120 kB, one at a time, p50", "ms", times),
    ]


async def inline(on: Servers, quick: bool) -> list[Row]:
    pairs = await _alternating(_rounds(quick), throughput, on, "inline", KB, 1000 if quick else 4000, 64)
    times = await _alternating(_rounds(quick), latency, on, "inline", KB, 100 if quick else 300, 16)
    return [
        compared("pass 1 kB through inline, 64 in flight", "/s", pairs, ">= 0.5"),
        compared("publish to stub, 1 kB, one at a time, p50", "ms", times),
    ]


async def turns(on: Servers, quick: bool) -> list[Row]:
    """The floor is the plain inline path: as many results without a turn, on the same worker in the same moments."""
    took = [await settling(on, 20 if quick else 100) for _ in range(_rounds(quick))]
    p50 = [(median(one.last), median(one.plain)) for one in took]
    p99 = [(quantile(one.last, 0.99), quantile(one.plain, 0.99)) for one in took]
    bursts = [(median(one.burst), median(one.plain_burst)) for one in took]
    return [
        compared("turn of 10: last arrival to last stub, beside a result without, p50", "ms", p50, "<= 3"),
        compared("turn of 10: last arrival to last stub, beside a result without, p99", "ms", p99),
        compared("turn of 10 at once: first arrival to last stub, beside 10 without, p50", "ms", bursts),
        *await _ledger(on, 300 if quick else 1500, _rounds(quick)),
    ]


async def _ledger(on: Servers, count: int, rounds: int) -> list[Row]:
    costs = [(await cost(on, count, turns=True), await cost(on, count, turns=False)) for _ in range(rounds)]
    rates = [(ours.rate, plain.rate) for ours, plain in costs]
    return [
        compared("turns of 10, 64 in flight, beside results without turns", "/s", rates),
        *_cpu("the worker's CPU for each of these", costs, ""),
    ]


async def workers(on: Servers, quick: bool) -> list[Row]:
    """The floor is one worker."""
    count = 30 if quick else 200
    costs = [(await scale(on, _WORKERS, 4 * count), await scale(on, 1, count)) for _ in range(1 if quick else 3)]
    rates = [(four.rate, one.rate) for four, one in costs]
    return [
        compared("4 workers of 4 in flight beside one, 30 kB, store 20 ms away", "/s", rates, ">= 3.5"),
        *_cpu("the workers' CPU for each of these", costs, "<= 1.2"),
    ]


async def faults(on: Servers, quick: bool) -> list[Row]:
    """The floor is ack_wait, or how long small results take while the store answers."""
    ack_wait = 2.0 if quick else 5.0
    out = [(await killed(on, ack_wait), ack_wait) for _ in range(1 if quick else 2)]
    rows = [compared("SIGKILL of a worker that had 100 results: to the last stub, beside ack_wait", "s", out, "<= 1.5")]
    for go_away, how in ((refuse, "refuses"), (hang, "hangs")):
        waits = [await store_away(on, go_away, 1.5 if quick else 5) for _ in range(1 if quick else 3)]
        p99 = [(quantile(one.away, 0.99), quantile(one.usual, 0.99)) for one in waits]
        rows.append(compared(f"small results while the store {how}, beside the usual, p99", "ms", p99, "<= 2"))
    return rows


async def starting(on: Servers, _: bool) -> list[Row]:
    return [
        Row(figure="`coatcheck read` to first byte", unit="s", ours=await read_first_byte(on)),
        Row(figure="`coatcheck up` to ready, empty folder", unit="s", ours=await up_to_ready()),
    ]


async def synopsis(_: Servers, quick: bool) -> list[Row]:
    return await synopses(quick)


async def clearing(on: Servers, quick: bool) -> list[Row]:
    return [*clearings(quick), *await clears(on, quick)]


async def tokens(_: Servers, quick: bool) -> list[Row]:
    return counting(quick)


async def hostile(_: Servers, quick: bool) -> list[Row]:
    return longest(quick)


FIGURES: dict[str, Callable[[Servers, bool], Awaitable[list[Row]]]] = {
    "offload": offload,
    "inline": inline,
    "observing": observing,
    "turns": turns,
    "workers": workers,
    "faults": faults,
    "responsive": responsive,
    "starting": starting,
    "pieces": in_pieces,
    "eight": eight_at_once,
    "compression": compressing,
    "exec": through_exec,
    "ends": ends,
    "reads": reads,
    "searches": searches,
    "lists": lists,
    "files": files,
    "synopsis": synopsis,
    "clearing": clearing,
    "tokens": tokens,
    "hostile": hostile,
    "weighing": weighing,
}


def _rounds(quick: bool) -> int:
    return 1 if quick else 3


async def _alternating(rounds: int, measure: Figure, *arguments: object) -> list[Pair]:
    """Ours and the floor in turn, so that a machine that slows down slows both."""
    return [(await measure("ours", *arguments), await measure("floor", *arguments)) for _ in range(rounds)]


def _cpu(figure: str, costs: list[tuple[Cost, Cost]], asked: str) -> list[Row]:
    """Nothing where the system does not tell it."""
    pairs = [(ours.cpu, floor.cpu) for ours, floor in costs if ours.cpu is not None and floor.cpu]
    return [compared(figure, "ms", pairs, asked)] if pairs else []
