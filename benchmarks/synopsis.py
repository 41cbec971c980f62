"""How fast a synopsis is made, beside the obvious implementation; whether its cost and memory stay in proportion."""

import asyncio
import sys

import msgspec

from benchmarks.baselines import BASELINES
from benchmarks.rows import Row, compared
from benchmarks.synopsis_child import Taken
from benchmarks.synopsis_texts import MB, SHAPES

_ASKED = {"json": 8, "ndjson": 8, "csv": 3, "tsv": 3, "quoted csv": 1, "xml": 3, "yaml": 20, "code": 10, "text": 1.5}
_ROUNDS = {1: 5, 10: 3, 100: 1}
_QUICK_ROUNDS = {1: 1, 10: 1}
_ONCE_AT_1_MB = {"yaml"}
"""Their baseline takes seconds for a megabyte, and minutes for more."""


async def synopses(quick: bool) -> list[Row]:
    """For each kind and size the rate, and for each kind how cost grows and what memory its largest text takes."""
    rows: list[Row] = []
    for kind in SHAPES:
        rounds = _QUICK_ROUNDS if quick else _ROUNDS
        taken = {megabytes: await _take(kind, megabytes, count) for megabytes, count in rounds.items()}
        rows += [_rate(kind, megabytes, one) for megabytes, one in taken.items()]
        rows += [_growth(kind, taken), _memory(kind, taken)]
    return rows


async def _take(kind: str, megabytes: int, rounds: int) -> Taken:
    with_baseline = megabytes == 1 or kind not in _ONCE_AT_1_MB
    if kind in _ONCE_AT_1_MB:
        rounds = 1
    arguments = [kind, str(megabytes * MB), str(rounds), str(int(with_baseline))]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.synopsis_child", *arguments, stdout=asyncio.subprocess.PIPE
    )
    written, _ = await child.communicate()
    if child.returncode:
        raise SystemExit(f"the measure of {kind} of {megabytes} MB ended with {child.returncode}")
    return msgspec.json.decode(written, type=Taken)


def _rate(kind: str, megabytes: int, taken: Taken) -> Row:
    figure = f"synopsis of {kind}, {megabytes} MB"
    rates = [taken.size / MB / seconds for seconds in taken.ours]
    floors = [taken.size / MB / seconds for seconds in taken.baseline]
    if not floors:
        return Row(figure=figure, unit="MB/s", ours=max(rates), rounds=len(rates))
    pairs = list(zip(rates, floors, strict=True))
    return compared(f"{figure}, beside {BASELINES[kind][0]}", "MB/s", pairs, f">= {_ASKED[kind]}")


def _growth(kind: str, taken: dict[int, Taken]) -> Row:
    """Nanoseconds a byte; the least of each size, since the first round warms up."""
    first, last = min(taken), max(taken)
    cost = {size: 1e9 * min(taken[size].ours) / taken[size].size for size in (first, last)}
    pairs = [(cost[last], cost[first])]
    return compared(f"cost a byte of {kind}, {last} MB beside {first} MB", "ns", pairs, "<= 1.3")


def _memory(kind: str, taken: dict[int, Taken]) -> Row:
    last = max(taken)
    pairs = [(taken[last].peak / MB, taken[last].size / MB)]
    return compared(f"memory for {kind} beside the text of {last} MB itself", "MB", pairs, "<= 1")
