"""What a figure comes to: ours and its floor, round by round, and how to show that."""

from statistics import median

import msgspec
from rich.table import Table

Pair = tuple[float, float]
"""Ours and the floor, of one round."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Medians over the rounds; the ratio is of each round by itself, so that a machine that slows down slows both.

    `unit` is `/s`, `MB/s`, `MB`, `s`, `ms` or `times`; ours and the floor are in it. A figure without a floor has no
    ratio.
    """

    figure: str
    unit: str
    ours: float
    floor: float | None = None
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None
    rounds: int = 1
    asked: str = ""


def compared(figure: str, unit: str, pairs: list[Pair], asked: str = "") -> Row:
    """Of pairs in the unit, or in seconds where that is `ms`."""
    scale = 1000 if unit == "ms" else 1
    ratios = sorted(ours / floor for ours, floor in pairs)
    return Row(
        figure=figure,
        unit=unit,
        ours=scale * median(ours for ours, _ in pairs),
        floor=scale * median(floor for _, floor in pairs),
        ratio=median(ratios),
        lowest=ratios[0],
        highest=ratios[-1],
        rounds=len(pairs),
        asked=asked,
    )


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least this share of all are not above."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def table(rows: list[Row]) -> Table:
    shown = Table(title="Coatcheck, beside its floor in the same run")
    for column in ("figure", "ours", "floor", "ours / floor", "asked", "rounds"):
        shown.add_column(column, justify="left" if column == "figure" else "right")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f} ({row.lowest:.2f} to {row.highest:.2f})"
        shown.add_row(
            row.figure, _show(row.ours, row.unit), _show(row.floor, row.unit), ratio, row.asked, str(row.rounds)
        )
    return shown


def _show(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit in ("MB", "MB/s"):
        return f"{value:.0f} {unit}"
    return f"{value:.0f}/s" if unit == "/s" else f"{value:.2f} {unit}"
