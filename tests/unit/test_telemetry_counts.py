"""What is counted of results, requests and effects, and how it is exposed."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.support.deciding import arrived, rules
from tests.support.http import Scraped
from tests.support.telemetry import exposition, standing

from coatcheck_core.decision import Case, decide
from coatcheck_core.rules import Decision
from coatcheck_schemas.errors import ObjectNotFound, StoreRejected, StoreUnavailable
from coatcheck_workers.intake.answered import Answered
from coatcheck_workers.isolation import WorkerKilled
from coatcheck_workers.streams.publishing import PublishError, WrongLastSequence
from coatcheck_workers.telemetry.counts import MOST_LABELS, Counts
from coatcheck_workers.telemetry.exposition import FRESH_SECONDS, Exposition, WorkerCollector
from coatcheck_workers.telemetry.histograms import Histogram
from coatcheck_workers.telemetry.saving import saved

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def decided(content: str) -> tuple[Case, Decision]:
    result = arrived(content)
    return Case(result, rules()), decide(result, rules())


def test_a_result_counts_by_what_became_of_it() -> None:
    counts = Counts()
    for content, seconds in (("short", 0.004), ("short", 0.004), ("line\n" * 10_000, 3.0)):
        case, decision = decided(content)
        counts.sent(decision.event, NOW - timedelta(seconds=seconds), case, NOW)
    metrics = Scraped(exposition(counts))
    assert metrics.value("coatcheck_results_total", disposition="inline", reason="none", kind="none") == 2
    assert metrics.value("coatcheck_results_total", disposition="offloaded", reason="single_threshold") == 1
    assert metrics.value("coatcheck_result_bytes_total", disposition="offloaded") == 50_000
    bucket = "coatcheck_result_duration_seconds_bucket"
    assert metrics.value(bucket, disposition="inline", le="0.002") == 0
    assert metrics.value(bucket, disposition="inline", le="0.005") == 2
    assert metrics.value(bucket, disposition="offloaded", le="5.0") == 1
    assert metrics.value("coatcheck_result_duration_seconds_sum", disposition="offloaded") == pytest.approx(3.0)


def test_a_stub_saves_about_the_tokens_that_it_keeps_out() -> None:
    case, decision = decided("the quick brown fox\n" * 5000)
    savings = saved(decision.event, case.contents)
    assert savings.chars == 100_000 - len(str(decision.event.content))
    assert 20_000 < savings.tokens < 30_000


def test_an_inline_result_saves_nothing() -> None:
    case, decision = decided("short")
    savings = saved(decision.event, case.contents)
    assert (savings.chars, savings.tokens) == (0, 0)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (StoreUnavailable("away"), "store"),
        (PublishError("no answer"), "nats"),
        (WorkerKilled("ran out of memory"), "killed_worker"),
        (RuntimeError("anything"), "internal"),
    ],
)
def test_a_retry_counts_by_its_cause(error: Exception, cause: str) -> None:
    counts = Counts()
    counts.retried("results", error)
    assert counts.retries == {("results", cause): 1}


def test_a_reason_that_is_always_new_makes_no_metric_grow_without_end() -> None:
    counts = Counts()
    for number in range(10 * MOST_LABELS):
        counts.dead_letter(f"reason {number}")
    assert len(counts.dead_letters) == MOST_LABELS + 1
    assert sum(counts.dead_letters.values()) == 10 * MOST_LABELS


def answered(code: str | None, *, seconds: float = 0.2, work_seconds: float | None = 0.1) -> Answered:
    return Answered(
        verb="fs",
        operation="read",
        seconds=seconds,
        work_seconds=work_seconds,
        error_code=code,
        error_message=None,
        bytes_in=10,
        bytes_out=100,
    )


def test_requests_that_nobody_can_be_answered_make_the_others_look_no_quicker() -> None:
    counts = Counts()
    counts.answered(answered(None))
    counts.answered(answered("dropped", seconds=0.0, work_seconds=None))
    metrics = Scraped(exposition(counts))
    assert metrics.value("coatcheck_requests_total", verb="fs", operation="read", code="dropped") == 1
    assert metrics.value("coatcheck_request_duration_seconds_count", verb="fs") == 1


def test_work_counts_however_short_it_was_and_none_where_there_was_none() -> None:
    counts = Counts()
    counts.answered(answered(None, work_seconds=0.0))
    counts.answered(answered("unavailable", work_seconds=None))
    assert Scraped(exposition(counts)).value("coatcheck_request_work_seconds_count", verb="fs") == 1


def test_a_miss_is_told_from_other_answers() -> None:
    counts = Counts()
    for code in (None, "not_found", "gone", "gone"):
        counts.answered(answered(code))
    metrics = Scraped(exposition(counts))
    requests = "coatcheck_requests_total"
    assert metrics.value(requests, verb="fs", operation="read", code="ok") == 1
    assert metrics.value(requests, verb="fs", operation="read", code="gone") == 2
    assert metrics.value("coatcheck_request_sent_bytes_total", verb="fs") == 400
    assert metrics.value("coatcheck_request_work_seconds_sum", verb="fs") == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "ok"),
        (ObjectNotFound("k"), "not_found"),
        (StoreUnavailable("k"), "unavailable"),
        (StoreRejected("k"), "rejected"),
        (ValueError("k"), "error"),
        (KeyboardInterrupt(), "cancelled"),
    ],
)
def test_a_request_to_the_store_counts_by_its_outcome(error: BaseException | None, outcome: str) -> None:
    counts = Counts()
    counts.stored("get", 0.01, error)
    assert counts.store == {("get", outcome): 1}


@pytest.mark.parametrize(("error", "failures"), [(None, 0), (WrongLastSequence("s"), 0), (PublishError("s"), 1)])
def test_a_publish_that_comes_second_is_no_failure(error: Exception | None, failures: int) -> None:
    counts = Counts()
    counts.published("stub", 0.01, error)
    assert counts.publish_failures["stub"] == failures


def test_a_value_counts_up_to_its_bound_and_a_negative_time_as_none() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (-5.0, 1.0, 1.5, 99.0):
        histogram.add(value)
    assert histogram.cumulative() == [("1.0", 2), ("2.0", 3), ("+Inf", 4)]
    assert histogram.total == 101.5


def test_the_page_is_made_once_a_second_however_often_it_is_asked_for() -> None:
    counts, now = Counts(), [0.0]
    page = Exposition(WorkerCollector(counts, standing(), "1"), lambda: now[0]).page
    first, content_type = page("")
    counts.repeated = 7
    assert page("")[0] == first
    open_metrics = page("application/openmetrics-text;version=99.evil;q=0.5,text/plain")
    assert open_metrics[0].endswith(b"# EOF\n")
    assert "evil" not in open_metrics[1] != content_type
    now[0] += FRESH_SECONDS
    assert Scraped(page("")[0]).value("coatcheck_results_repeated_total") == 7


def test_a_dead_letter_s_stub_counts_without_a_case() -> None:
    counts = Counts()
    _, decision = decided("x")
    counts.sent(decision.event, NOW, None, NOW)
    assert counts.saved.tokens == 0
    assert sum(counts.results.values()) == 1
