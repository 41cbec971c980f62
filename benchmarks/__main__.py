"""Run every benchmark and print one table: ours, the floor, the ratio.

python -m benchmarks [--quick]
"""

import argparse
import asyncio
from collections.abc import Callable
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.deployment import Servers, servers
from benchmarks.offloading import KB, Figure, latency, throughput
from benchmarks.starting import read_first_byte, up_to_ready


async def main(quick: bool) -> None:
    rounds = 1 if quick else 5
    table = Table(title="Coatcheck, beside its floor in the same run")
    for column in ("figure", "ours", "floor", "ours / floor", "rounds"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    async with servers() as on:
        for name, figure in await _figures(on, rounds, quick):
            table.add_row(name, *figure)
    table.add_row("`coatcheck up` to ready, empty folder", f"{await up_to_ready():.2f} s", "", "", "1")
    Console(width=120).print(table)


async def _figures(on: Servers, rounds: int, quick: bool) -> list[tuple[str, list[str]]]:
    few, many = (100, 1000) if quick else (1000, 6000)
    rates = [
        ("offload 120 kB, 16 in flight", await _paired(rounds, throughput, on, "offload", 120 * KB, few, 16)),
        ("pass 1 kB through inline, 64 in flight", await _paired(rounds, throughput, on, "inline", KB, many, 64)),
    ]
    times = [
        (
            "publish to stub, 120 kB, one at a time, p50",
            await _paired(rounds, latency, on, "offload", 120 * KB, 100, 16),
        ),
        ("publish to stub, 1 kB, one at a time, p50", await _paired(rounds, latency, on, "inline", KB, 300, 16)),
    ]
    rows = [(name, _row(pairs, lambda value: f"{value:.0f}/s")) for name, pairs in rates]
    rows += [(name, _row(pairs, lambda value: f"{value * 1000:.2f} ms")) for name, pairs in times]
    first = await read_first_byte(on)
    rows.append(("`coatcheck read` to first byte", [f"{first:.2f} s", "", "", "1"]))
    return rows


async def _paired(rounds: int, measure: Figure, *arguments: object) -> list[tuple[float, float]]:
    """Ours and the floor in turn, so that a machine that slows down slows both."""
    return [(await measure("ours", *arguments), await measure("floor", *arguments)) for _ in range(rounds)]


def _row(pairs: list[tuple[float, float]], show: Callable[[float], str]) -> list[str]:
    ours, floor = median(a for a, _ in pairs), median(b for _, b in pairs)
    ratios = sorted(a / b for a, b in pairs)
    spread = f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    return [show(ours), show(floor), spread, str(len(pairs))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to see that it runs")
    asyncio.run(main(parser.parse_args().quick))
