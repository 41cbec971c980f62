"""One result in pieces: how fast it gets to its stub beside piping the same pieces, and what it costs in memory."""

from benchmarks.deployment import Servers
from benchmarks.large.running import Took, laid, live
from benchmarks.rows import Row, compared

COUNT, QUICK_COUNT = 1000, 200
MOST_GROWN_MB = 96


async def in_pieces(on: Servers, quick: bool) -> list[Row]:
    """The floor is never compressed: piping alone."""
    count = QUICK_COUNT if quick else COUNT
    size = f"{count} MB in pieces of 1 MB"
    rounds = 1 if quick else 2
    plain = [(await laid("ours", on, count, "none"), await laid("floor", on, count, "none")) for _ in range(rounds)]
    alive = [(await live("ours", on, count, "none"), await live("floor", on, count, "none")) for _ in range(rounds)]
    floors = [floor for _, floor in plain]
    packed = [(await laid("ours", on, count, "zstd"), floor) for floor in floors]
    return [
        _rate(f"{size}, not compressed, all there before", plain, ">= 0.6"),
        _rate(f"{size}, not compressed, while they are published", alive),
        _rate(f"{size}, compressed, beside the same floor", packed),
        _memory("the worker's memory meanwhile, over idle", [ours for ours, _ in plain + alive]),
        _memory("the same, compressed", [ours for ours, _ in packed]),
    ]


def _rate(figure: str, pairs: list[tuple[Took, Took]], asked: str = "") -> Row:
    return compared(figure, "MB/s", [(ours.rate, floor.rate) for ours, floor in pairs], asked)


def _memory(figure: str, took: list[Took]) -> Row:
    """The most of all rounds. The children make synopses, and are bounded by themselves."""
    most = max(one.grown for one in took)
    children = max(one.grown_children for one in took)
    return Row(
        figure=f"{figure} (its children: {children:.0f} MB)",
        unit="MB",
        ours=most,
        rounds=len(took),
        asked=f"< {MOST_GROWN_MB}",
    )
