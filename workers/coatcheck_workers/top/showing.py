"""A snapshot for people: tables on a terminal, as wide as that is; lines into a pipe."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import format_time

from ..deployment.states import EVICTS, StreamState
from .rates import WorkerRow, total_of
from .snapshot import Snapshot

NAME_CHARS = 40
UNKNOWN = "-"
NEAR_FULL = 0.8
_COLUMNS = (
    ("worker", 12),
    ("results/s", 11),
    ("p50", 9),
    ("in flight", 11),
    ("memory", 10),
    ("requests/s", 12),
    ("errors", 8),
    ("lag", 9),
    ("host", 18),
    ("version", 9),
)
"""In the order in which they are wanted: those that find no room are left out."""


def screen(now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata], width: int) -> RenderableType:
    """Everything, for a terminal so wide."""
    parts: list[RenderableType] = [Text(headline(now, workers), "bold"), Text(queue_line(now)), Text("")]
    parts += [_workers(workers, width), Text(""), _streams(now.streams)]
    if newest:
        parts += [Text(""), _newest(newest)]
    return Group(*parts)


def lines(now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata]) -> list[str]:
    """The same without tables, one thing a line, each beginning with the time and what it is of."""
    stamp = format_time(now.at)
    told = [f"{stamp} all {headline(now, workers)}", f"{stamp} queue {queue_line(now)}"]
    titles = [title for title, _ in _COLUMNS]
    for row in workers:
        cells = _cells(row)
        pairs = " ".join(f"{title.replace(' ', '_')}={cells[title]}" for title in titles if title != "worker")
        told.append(f"{stamp} worker {row.id[:NAME_CHARS]} {pairs}")
    told += [f"{stamp} stream {one.stream} {_fill(one)} messages={one.messages}" for one in now.streams]
    told += [f"{stamp} result {one.ref} {one_line(one.tool_name, NAME_CHARS)} {one.created_at}" for one in newest]
    return told


def headline(now: Snapshot, workers: Sequence[WorkerRow]) -> str:
    rate = total_of([one.results_per_second for one in workers])
    count = f"{len(workers)} worker{'' if len(workers) == 1 else 's'}"
    return f"{count}, {_number(rate)} results/s, {now.letters:,} dead letters"


def queue_line(now: Snapshot) -> str:
    oldest = "" if now.oldest is None or not now.backlog else f", the oldest for {_span(now.oldest)}"
    again = f", {now.tried_again:,} tried again" if now.tried_again else ""
    return f"{now.backlog:,} wait{oldest}, {now.in_hand:,} in hand{again}"


def _workers(workers: Sequence[WorkerRow], width: int) -> RenderableType:
    if not workers:
        return Text("no worker answers: start one with `coatcheck worker`, or see `coatcheck doctor`", "yellow")
    titles = shown_columns(width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        left = title in ("worker", "host", "version")
        table.add_column(title, no_wrap=True, overflow="ellipsis", justify="left" if left else "right")
    for row in workers:
        cells = _cells(row)
        table.add_row(*(Text(cells[title]) for title in titles))
    return table


def shown_columns(width: int) -> list[str]:
    """Those for which there is room, two at least."""
    chosen: list[str] = []
    used = 0
    for title, wanted in _COLUMNS:
        used += wanted
        if used > width and len(chosen) >= 2:
            break
        chosen.append(title)
    return chosen


def _streams(streams: Sequence[StreamState]) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("stream", "full", "messages"):
        table.add_column(title, no_wrap=True, justify="left" if title == "stream" else "right")
    for one in streams:
        style = "red" if one.fill >= NEAR_FULL and one.name != EVICTS else ""
        table.add_row(Text(one.stream), Text(f"{one.fill:.0%}", style), Text(f"{one.messages:,}"))
    return table


def _newest(newest: Sequence[Metadata]) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, least in (("newest", 24), ("tool", 8), ("size", 14), ("ref", 12)):
        side: Literal["left", "right"] = "right" if title == "size" else "left"
        table.add_column(title, min_width=least, no_wrap=True, overflow="ellipsis", justify=side)
    for one in newest:
        tool, size = one_line(one.tool_name, NAME_CHARS), f"{one.original_bytes:,} bytes"
        table.add_row(*map(Text, (one.created_at, tool, size, one.ref)))
    return table


def _cells(row: WorkerRow) -> dict[str, str]:
    named = str(row.pid) if row.pid is not None else row.id[:8]
    return {
        "worker": one_line(named, NAME_CHARS),
        "results/s": _number(row.results_per_second),
        "p50": _seconds(row.p50_seconds),
        "in flight": UNKNOWN if row.in_flight is None else f"{row.in_flight:,}",
        "memory": UNKNOWN if row.rss_bytes is None else f"{row.rss_bytes / 1024**2:,.0f}MiB",
        "requests/s": _number(row.requests_per_second),
        "errors": UNKNOWN if row.error_share is None else f"{row.error_share:.0%}",
        "lag": _seconds(row.loop_lag_seconds),
        "host": one_line(row.host or UNKNOWN, NAME_CHARS),
        "version": one_line(row.version or UNKNOWN, NAME_CHARS),
    }


def _fill(one: StreamState) -> str:
    return f"full={one.fill:.0%} bytes={one.bytes} max_bytes={one.max_bytes}"


def _number(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _seconds(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value * 1000:.1f}ms" if value < 1 else f"{value:.1f}s"


def _span(span: timedelta) -> str:
    seconds = max(0, round(span.total_seconds()))
    return f"{seconds}s" if seconds < 120 else f"{seconds // 60}min"
