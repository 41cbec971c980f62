"""What `coatcheck top` makes of what workers and server say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from rich.console import Console

from coatcheck_workers.deployment.states import ConsumerState, StreamState
from coatcheck_workers.deployment.workers import HeardEndpoint, Histogram, WorkerFigures, WorkerStats, is_of, read_stats
from coatcheck_workers.top.rates import WorkerRow, quantile, rows
from coatcheck_workers.top.showing import lines, screen, shown_columns
from coatcheck_workers.top.snapshot import Snapshot

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def worker(name: str = "a", *, requests: int = 0, errors: int = 0, **figures: Any) -> WorkerStats:
    return WorkerStats(
        name="coatcheck",
        id=name,
        version="1.0.0",
        metadata={"host": "h1", "pid": "77"},
        endpoints=[HeardEndpoint(name="read", num_requests=requests, num_errors=errors)],
        data=WorkerFigures(**figures),
    )


def snapshot(*workers: WorkerStats, seconds: float = 0.0, pending: int = 0) -> Snapshot:
    consumer = ConsumerState(stream="COAT_RESULTS", pending=pending, ack_pending=3, redelivered=1, waiting=1)
    streams = [
        StreamState(name="stubs", stream="COAT_STUBS", messages=5, bytes=900, max_bytes=1000),
        StreamState(name="dlq", stream="COAT_DLQ", messages=2, bytes=10, max_bytes=1000),
    ]
    return Snapshot(
        at=NOW,
        seconds=seconds,
        workers=list(workers),
        streams=streams,
        consumers=[consumer],
        oldest=timedelta(seconds=5),
    )


def row_of(before: WorkerStats, now: WorkerStats, seconds: float = 2.0) -> WorkerRow:
    (row,) = rows(snapshot(before), snapshot(now, seconds=seconds))
    return row


def test_rates_are_what_came_between_two_looks() -> None:
    row = row_of(worker(results=100, requests=10, errors=1), worker(results=300, requests=20, errors=6))
    assert (row.results_per_second, row.requests_per_second, row.error_share) == (100.0, 5.0, 0.5)
    assert (row.host, row.pid) == ("h1", 77)


def test_a_worker_that_is_new_has_no_rates_yet() -> None:
    (row,) = rows(snapshot(worker("a", results=9)), snapshot(worker("b", results=4), seconds=2.0))
    assert (row.id, row.results_per_second, row.results) == ("b", None, 4)


def test_a_counter_that_went_back_is_no_rate() -> None:
    assert row_of(worker(results=300), worker(results=100)).results_per_second is None


def test_what_a_worker_does_not_say_is_not_known() -> None:
    row = row_of(worker(), worker())
    assert (row.results_per_second, row.p50_seconds, row.in_flight, row.error_share) == (None, None, None, None)


def test_the_median_is_of_what_came_since() -> None:
    bounds = [0.001, 0.01, 0.1]
    before = worker(result_seconds=Histogram(bounds=bounds, counts=[1000, 0, 0, 0]))
    now = worker(result_seconds=Histogram(bounds=bounds, counts=[1000, 0, 10, 0]))
    assert row_of(before, now).p50_seconds == pytest.approx(0.055)


@pytest.mark.parametrize(
    ("bounds", "counts", "expected"),
    [
        ([0.1, 1.0], [10, 0, 0], 0.05),
        ([0.1, 1.0], [0, 0, 4], 1.0),
        ([0.1, 1.0], [0, 0, 0], None),
        ([0.1], [1], None),
        ([], [], None),
        ([0.1], [-1, 3], None),
    ],
)
def test_a_quantile_lies_within_its_bucket(bounds: list[float], counts: list[int], expected: float | None) -> None:
    found = quantile(Histogram(bounds=bounds, counts=counts), 0.5)
    assert found == (None if expected is None else pytest.approx(expected))


def test_lines_begin_with_the_time_and_say_all() -> None:
    before, now = (
        snapshot(worker(results=0)),
        snapshot(worker(results=50, rss_bytes=100 * 1024**2), seconds=2.0, pending=7),
    )
    told = lines(now, rows(before, now), [])
    assert all(line.startswith("2026-01-31T12:00:00.000Z ") for line in told)
    text = "\n".join(told)
    for words in ("1 worker, 25 results/s, 2 dead letters", "7 wait, the oldest for 5s, 3 in hand, 1 tried again"):
        assert words in text
    assert "results/s=25 " in text
    assert "memory=100MiB" in text
    assert "stream COAT_STUBS full=90% bytes=900 max_bytes=1000 messages=5" in text


def test_a_hostile_name_moves_no_cursor() -> None:
    hostile = worker(host="a\x1b[2J\nb")
    now = snapshot(msgspec.structs.replace(hostile, version="\x07"))
    shown = "\n".join(lines(now, rows(None, now), []))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert len(shown.splitlines()) == 5


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
def test_a_screen_is_no_wider_than_its_terminal(width: int) -> None:
    now = snapshot(*(worker(f"w{n}", results=n, rss_bytes=10**8, loop_lag_seconds=0.01) for n in range(3)))
    console = Console(width=width, record=True, force_terminal=False, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(screen(now, rows(None, now), [], width))
    console.file.close()
    assert max(len(line) for line in console.export_text().splitlines()) <= width


def test_a_narrow_terminal_keeps_what_matters_most() -> None:
    assert shown_columns(10) == ["worker", "results/s"]
    assert shown_columns(40) == ["worker", "results/s", "p50"]
    assert shown_columns(300)[-1] == "version"


def test_a_screen_without_workers_says_what_to_do() -> None:
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(screen(snapshot(), [], [], 80))
    console.file.close()
    assert "coatcheck worker" in console.export_text()


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"name":"other","id":"a"}', b'{"name":"coatcheck"}', b" " * 99_999]
)
def test_a_reply_that_is_none_is_left_out(data: bytes) -> None:
    assert read_stats(data) is None


def test_what_a_worker_says_beyond_what_is_known_is_passed_over() -> None:
    found = read_stats(b'{"name":"coatcheck","id":"a","type":"x","data":{"host":"h","more":1},"endpoints":[{"z":1}]}')
    assert found is not None
    assert (found.host, found.requests) == ("h", 0)


def test_another_deployment_s_workers_are_not_ours() -> None:
    ours = WorkerStats(name="coatcheck", id="a", metadata={"prefix": "coat"})
    assert is_of(ours, "coat")
    assert not is_of(ours, "other")
    assert is_of(WorkerStats(name="coatcheck", id="a"), "other")
