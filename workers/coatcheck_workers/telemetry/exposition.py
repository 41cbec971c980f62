"""The metrics as Prometheus reads them, made of the counts and of what is so now when it asks."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector

from . import catalogue
from .catalogue import Metric
from .counts import Counts
from .histograms import Histogram
from .standing import Standing

FRESH_SECONDS = 1.0
"""To make the page takes the event loop some milliseconds."""

_OPEN = "application/openmetrics-text"

Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily
V = TypeVar("V")
L = TypeVar("L", bound=str | tuple[str, ...])


class WorkerCollector(Collector):
    """Every metric of the catalogue, whether it has a value yet or not."""

    def __init__(self, counts: Counts, standing: Standing, version: str) -> None:
        self._counts = counts
        self._standing = standing
        self._version = version

    def collect(self) -> Iterator[Family]:
        yield from _results(self._counts)
        yield from _requests(self._counts, self._standing)
        yield from _effects(self._counts, self._standing)
        yield from _streams(self._standing)
        yield from _worker(self._counts, self._standing, self._version)


class Exposition:
    """What /metrics answers; made anew at most once in `FRESH_SECONDS`, whoever asks how often."""

    def __init__(self, collector: Collector, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made: dict[bool, tuple[float, bytes]] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(collector)
        ProcessCollector(registry=self._registry)

    def page(self, accept: str) -> tuple[bytes, str]:
        """The body, and its content type: OpenMetrics where it is asked for.

        prometheus-client's own choice takes any version that is asked for at its word, and says it back.
        """
        is_open = _OPEN in accept
        made_at, body = self._made.get(is_open, (-FRESH_SECONDS, b""))
        if self._clock() - made_at >= FRESH_SECONDS:
            make = openmetrics.generate_latest if is_open else generate_latest
            body = make(self._registry)
            self._made[is_open] = self._clock(), body
        return body, openmetrics.CONTENT_TYPE_LATEST if is_open else CONTENT_TYPE_PLAIN_0_0_4


def _results(counts: Counts) -> Iterator[Family]:
    yield _counter(catalogue.RESULTS, counts.results)
    yield _counter(catalogue.RESULTS_REPEATED, {(): counts.repeated})
    yield _counter(catalogue.RESULT_BYTES, counts.result_bytes)
    yield _counter(catalogue.CHARS_SAVED, {(): counts.saved.chars})
    yield _counter(catalogue.TOKENS_SAVED, {(): counts.saved.tokens})
    yield _histogram(catalogue.RESULT_DURATION, counts.result_seconds)
    yield _histogram(catalogue.HANDLING_DURATION, counts.handling_seconds)
    yield _counter(catalogue.RETRIES, counts.retries)
    yield _counter(catalogue.DEAD_LETTERS, counts.dead_letters)
    yield _counter(catalogue.UNOPENED, {(): counts.unopened})


def _requests(counts: Counts, standing: Standing) -> Iterator[Family]:
    requests = standing.requests
    yield _counter(catalogue.REQUESTS, counts.requests)
    yield _histogram(catalogue.REQUEST_DURATION, counts.request_seconds)
    yield _histogram(catalogue.REQUEST_WORK, counts.request_work_seconds)
    yield _counter(catalogue.REQUEST_BYTES_IN, counts.request_bytes_in)
    yield _counter(catalogue.REQUEST_BYTES_OUT, counts.request_bytes_out)
    limited = {(one.verb, limit): count for one in requests for limit, count in one.tally.counts.items()}
    yield _counter(catalogue.REQUESTS_LIMITED, limited)
    yield _gauge(catalogue.REQUESTS_AT_WORK, {one.verb: one.at_work for one in requests})
    yield _gauge(catalogue.REQUESTS_WAITING, {one.verb: one.waiting for one in requests})


def _effects(counts: Counts, standing: Standing) -> Iterator[Family]:
    gate = standing.gate
    yield _counter(catalogue.STORE_REQUESTS, counts.store)
    yield _histogram(catalogue.STORE_DURATION, counts.store_seconds)
    yield _gauge(catalogue.STORE_AWAY, {} if gate is None else {(): int(gate.is_open)})
    yield _counter(catalogue.STORE_OPENINGS, {} if gate is None else {(): gate.openings})
    yield _counter(catalogue.STORE_REFUSED, {} if gate is None else {(): gate.refused})
    yield _counter(catalogue.DAMAGED, {} if standing.damage is None else {(): standing.damage.found})
    yield _histogram(catalogue.PUBLISH_DURATION, counts.publish_seconds)
    yield _counter(catalogue.PUBLISH_FAILURES, counts.publish_failures)


def _streams(standing: Standing) -> Iterator[Family]:
    streams, consumers, age = standing.streams.streams, standing.streams.consumers, standing.streams.age_seconds
    yield _gauge(catalogue.BACKLOG, {name: state.pending for name, state in consumers.items()})
    yield _gauge(catalogue.UNACKNOWLEDGED, {name: state.unacknowledged for name, state in consumers.items()})
    yield _gauge(catalogue.STREAM_MESSAGES, {name: state.messages for name, state in streams.items()})
    yield _gauge(catalogue.STREAM_BYTES, {name: state.bytes for name, state in streams.items()})
    yield _gauge(catalogue.STREAM_MAX_BYTES, {name: state.max_bytes for name, state in streams.items()})
    yield _gauge(catalogue.POLLED_AGO, {} if age is None else {(): age})


def _worker(counts: Counts, standing: Standing, version: str) -> Iterator[Family]:
    pulls, health, seats = standing.pulls, standing.health, standing.seats
    yield _gauge(catalogue.IN_FLIGHT, {stream: pull.in_flight for stream, pull in pulls.items()})
    yield _gauge(catalogue.IN_FLIGHT_BYTES, {stream: pull.in_flight_bytes for stream, pull in pulls.items()})
    yield _gauge(catalogue.UPLOADS, {} if seats is None else {(): seats.taken})
    yield _histogram(catalogue.LOOP_LAG, {(): counts.loop_lag})
    yield _gauge(catalogue.CHILDREN, {(): sum(one.children for one in standing.children)})
    yield _gauge(catalogue.READY, {(): int(not health.why_not_ready())})
    yield _gauge(catalogue.CONNECTED, {(): int(health.is_connected)})
    yield _counter(catalogue.RECONNECTS, {(): standing.reconnects()})
    yield _gauge(catalogue.BUILD, {version: 1})


def _counter(metric: Metric, values: Mapping[L, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(metric.name, _plain(metric.meaning), labels=metric.labels)
    for labels, value in _labelled(values):
        family.add_metric(labels, value)
    return family


def _gauge(metric: Metric, values: Mapping[L, int] | Mapping[L, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(metric.name, _plain(metric.meaning), labels=metric.labels)
    for labels, value in _labelled(values):
        family.add_metric(labels, value)
    return family


def _histogram(metric: Metric, values: Mapping[L, Histogram]) -> Family:
    family = HistogramMetricFamily(metric.name, _plain(metric.meaning), labels=metric.labels)
    for labels, histogram in _labelled(values):
        family.add_metric(labels, histogram.cumulative(), histogram.total)
    return family


def _labelled(values: Mapping[Any, V]) -> Iterable[tuple[tuple[str, ...], V]]:
    return [((labels,) if isinstance(labels, str) else labels, value) for labels, value in sorted(values.items())]


def _plain(meaning: str) -> str:
    return meaning.replace("`", "")
