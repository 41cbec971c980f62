"""What happened between two snapshots. Pure."""

from collections.abc import Sequence

import msgspec

from ..deployment.workers import Histogram, WorkerStats
from .snapshot import Snapshot

MEDIAN = 0.5


class WorkerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One worker; None is what it does not say, or what takes a second look.

    Rates are per second since the snapshot before, `p50_seconds` of the results handled since then.
    """

    id: str
    host: str | None
    pid: int | None
    version: str
    results_per_second: float | None
    requests_per_second: float | None
    error_share: float | None
    p50_seconds: float | None
    in_flight: int | None
    rss_bytes: int | None
    loop_lag_seconds: float | None
    results: int | None
    dead_letters: int | None


def rows(before: Snapshot | None, now: Snapshot) -> list[WorkerRow]:
    """One for each worker that answers now; one that has started since has no rates yet."""
    known = {one.id: one for one in before.workers} if before is not None else {}
    seconds = now.seconds - before.seconds if before is not None else 0.0
    return [_row(known.get(one.id), one, seconds) for one in now.workers]


def _row(before: WorkerStats | None, now: WorkerStats, seconds: float) -> WorkerRow:
    figures = now.figures
    earlier = None if before is None else before.figures
    requests = None if before is None else now.requests - before.requests
    errors = None if before is None else now.errors - before.errors
    return WorkerRow(
        id=now.id,
        host=now.host,
        pid=now.pid,
        version=now.version,
        results_per_second=_rate(_less(figures.results, None if earlier is None else earlier.results), seconds),
        requests_per_second=_rate(requests, seconds),
        error_share=None if not requests or errors is None else max(0, errors) / requests,
        p50_seconds=quantile(
            _since(None if earlier is None else earlier.result_seconds, figures.result_seconds), MEDIAN
        ),
        in_flight=figures.in_flight,
        rss_bytes=figures.rss_bytes,
        loop_lag_seconds=figures.loop_lag_seconds,
        results=figures.results,
        dead_letters=figures.dead_letters,
    )


def quantile(histogram: Histogram | None, share: float) -> float | None:
    """The seconds that this share of what is counted took at most, as evenly as a bucket allows; None of nothing.

    In the open bucket it is its lower bound: more is not known.
    """
    if histogram is None or not _fits(histogram) or sum(histogram.counts) <= 0:
        return None
    wanted = share * sum(histogram.counts)
    lower = 0.0
    for count, upper in zip(histogram.counts, histogram.bounds, strict=False):
        if count and wanted <= count:
            return lower + (upper - lower) * wanted / count
        wanted -= count
        lower = upper
    return lower


def total_of(numbers: Sequence[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _since(before: Histogram | None, now: Histogram | None) -> Histogram | None:
    """What was counted since; all, where there is nothing before, or it is of other buckets."""
    if now is None or not _fits(now):
        return None
    if before is None or before.bounds != now.bounds or len(before.counts) != len(now.counts):
        return now
    counts = [later - earlier for later, earlier in zip(now.counts, before.counts, strict=True)]
    return Histogram(bounds=now.bounds, counts=counts) if min(counts) >= 0 else now


def _fits(histogram: Histogram) -> bool:
    return bool(histogram.bounds) and len(histogram.counts) == len(histogram.bounds) + 1 and min(histogram.counts) >= 0


def _less(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before


def _rate(count: int | None, seconds: float) -> float | None:
    """Of a counter that has gone back nothing is known."""
    return None if count is None or count < 0 or seconds <= 0 else count / seconds
