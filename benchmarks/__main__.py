"""Run every benchmark and print one table: ours, the floor, the ratio.

python -m benchmarks [--quick] [--json FILE] [NAME ...]
"""

import argparse
import asyncio
from pathlib import Path

import msgspec
from rich.console import Console

from benchmarks.deployment import servers
from benchmarks.figures import FIGURES
from benchmarks.rows import Row, table


async def measure(names: list[str], quick: bool) -> list[Row]:
    rows: list[Row] = []
    async with servers() as on:
        for name in names:
            rows += await FIGURES[name](on, quick)
    return rows


def main(names: list[str], quick: bool, file: Path | None) -> None:
    rows = asyncio.run(measure(names, quick))
    Console(width=140).print(table(rows))
    if file is not None:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one short round, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {' '.join(FIGURES)}; all unless given")
    given = parser.parse_args()
    if unknown := set(given.names) - set(FIGURES):
        parser.error(f"no such figure: {' '.join(sorted(unknown))}; there are {' '.join(FIGURES)}")
    main(given.names or list(FIGURES), given.quick, given.json)
