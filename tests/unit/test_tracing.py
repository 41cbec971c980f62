"""Which messages are traced, and what their spans are."""

import sys
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from tests.support.deciding import arrived, rules

from coatcheck_core.decision import Case
from coatcheck_core.settings.operating import TracingSettings
from coatcheck_workers.flow.joining import Unusable
from coatcheck_workers.telemetry import spans
from coatcheck_workers.telemetry.counts import Counts
from coatcheck_workers.telemetry.opening import open_tracing
from coatcheck_workers.telemetry.spans import (
    MAX_ATTRIBUTE_CHARS,
    OpenTelemetryTracing,
    own_resource,
    provider_of,
)
from coatcheck_workers.telemetry.tracing import Parent, Sampling, parent_of
from coatcheck_workers.telemetry.watch import Watch

TRACE, OTHER = "0af7651916cd43dd8448eb211c80319c", "1bf7651916cd43dd8448eb211c80319c"
SAMPLED = f"00-{TRACE}-b7ad6b7169203331-01"
UNSAMPLED = f"00-{TRACE}-b7ad6b7169203331-00"


class Traced:
    """Tracing into memory; `spans` are those that have ended, by name."""

    def __init__(self, ratio: float = 0.0, most: int = 100) -> None:
        self._exporter = InMemorySpanExporter()
        provider = provider_of(Resource.create({}))
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracing = OpenTelemetryTracing(provider, Sampling(ratio, most, chance=lambda: 0.5, clock=lambda: 1.0))

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._exporter.get_finished_spans()}

    def begin(self, headers: dict[str, str] | None, attributes: Callable[[], Any] = dict) -> Any:
        return self.tracing.begin("process", "consumer", headers, attributes)


@pytest.mark.parametrize("name", ["traceparent", "Traceparent", "ce-traceparent"])
def test_the_sender_s_span_is_read_by_each_of_its_names(name: str) -> None:
    assert parent_of({name: SAMPLED, "tracestate": "a=b"}) == Parent(SAMPLED, "a=b")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "00",
        SAMPLED[:-1],
        f"{SAMPLED}-extra",
        SAMPLED.upper(),
        SAMPLED.replace(TRACE, "0" * 32),
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff{SAMPLED[2:]}",
        f"{SAMPLED[:-2]}\n1",
        "x" * 1_000_000,
        "\u0660" * 55,
    ],
)
def test_what_is_no_traceparent_is_as_none(said: str) -> None:
    assert parent_of({"traceparent": said}) is None


def test_a_later_version_is_read_as_far_as_it_is_known() -> None:
    later = f"01{SAMPLED[2:]}"
    assert parent_of({"traceparent": f"{later}-more"}) == Parent(later, "")
    assert parent_of({"traceparent": f"{later}more"}) is None


def test_a_state_that_is_too_long_is_left_out() -> None:
    assert parent_of({"traceparent": SAMPLED, "tracestate": "x" * 10_000}) == Parent(SAMPLED, "")


@pytest.mark.parametrize(
    ("headers", "ratio", "is_traced"),
    [
        ({"traceparent": SAMPLED}, 0.0, True),
        ({"traceparent": UNSAMPLED}, 1.0, False),
        (None, 1.0, True),
        (None, 0.4, False),
        (None, 0.0, False),
        ({"traceparent": "nonsense"}, 0.0, False),
    ],
)
def test_a_message_is_traced_as_its_sender_says_or_by_the_share(
    headers: dict[str, str] | None, ratio: float, is_traced: bool
) -> None:
    span = Traced(ratio).begin(headers)
    assert (span is not None) is is_traced
    if span is not None:
        span.close(None)


def test_no_more_are_traced_in_a_second_than_are_to_be_whoever_asks() -> None:
    now = [5.0]
    sampling = Sampling(0.0, 3, clock=lambda: now[0])
    assert [sampling.takes(Parent(SAMPLED, "")) for _ in range(5)] == [True, True, True, False, False]
    now[0] += 1
    assert sampling.takes(Parent(SAMPLED, ""))


def test_a_result_that_comes_with_another_s_message_counts_as_well() -> None:
    traced, cases = Traced(most=1), [case(), case()]
    for one in cases:
        traced.tracing.examined(one, {"traceparent": SAMPLED})
    first = traced.tracing.delivering(cases[0], dict)
    assert first is not None
    first.close(None)
    assert traced.tracing.delivering(cases[1], dict) is None


def test_what_is_not_traced_costs_no_attributes() -> None:
    def attributes() -> Any:
        raise AssertionError("nobody needs them")

    assert Traced().begin(None, attributes) is None


def test_a_span_is_below_the_sender_s_and_what_happens_within_is_below_it() -> None:
    traced = Traced()
    span = traced.begin({"traceparent": SAMPLED}, lambda: {"coatcheck.call": "c" * 9999})
    traced.tracing.happened("store put", 0.25, None)
    carried, trace_id = traced.tracing.carried(), traced.tracing.trace_id()
    span.close(None)
    process, put = traced.spans["process"], traced.spans["store put"]
    assert process.kind is SpanKind.CONSUMER
    assert process.parent is not None
    assert put.parent is not None
    assert f"{process.parent.span_id:016x}" == SAMPLED[36:52]
    assert put.parent.span_id == process.context.span_id
    assert (put.end_time or 0) - (put.start_time or 0) == 250_000_000
    assert len(str((process.attributes or {})["coatcheck.call"])) == MAX_ATTRIBUTE_CHARS
    assert (trace_id, carried["traceparent"]) == (TRACE, f"00-{TRACE}-{process.context.span_id:016x}-01")
    assert traced.tracing.trace_id() is None
    assert traced.tracing.carried() == {}


def test_an_error_is_told_by_its_kind_and_never_by_its_words() -> None:
    traced = Traced()
    span = traced.begin({"traceparent": SAMPLED})
    traced.tracing.happened("store put", 0.1, ValueError("what a session holds"))
    span.close(KeyError("what a session holds"))
    told = [(span.status.status_code, span.status.description, span.events) for span in traced.spans.values()]
    assert told == [(StatusCode.ERROR, "ValueError", ()), (StatusCode.ERROR, "KeyError", ())]


def case() -> Case:
    return Case(arrived("text"), rules())


def test_a_result_is_delivered_within_its_own_message() -> None:
    traced, one = Traced(), case()
    span = traced.begin({"traceparent": SAMPLED})
    traced.tracing.examined(one, {"traceparent": SAMPLED})
    delivering = traced.tracing.delivering(one, dict)
    assert delivering is not None
    delivering.close(None)
    span.close(None)
    deliver = traced.spans["deliver"]
    assert deliver.parent is not None
    assert deliver.parent.span_id == traced.spans["process"].context.span_id
    assert deliver.links == ()


def test_a_result_that_waited_is_delivered_in_its_publisher_s_trace_and_linked() -> None:
    traced, one = Traced(), case()
    traced.tracing.examined(one, {"traceparent": SAMPLED})
    span = traced.begin({"traceparent": SAMPLED.replace(TRACE, OTHER)})
    delivering = traced.tracing.delivering(one, dict)
    assert delivering is not None
    assert traced.tracing.trace_id() == TRACE
    delivering.close(None)
    assert traced.tracing.trace_id() == OTHER
    span.close(None)
    (link,) = traced.spans["deliver"].links
    assert link.context == traced.spans["process"].context


def test_a_result_that_nobody_traced_is_delivered_without_a_span() -> None:
    assert Traced().tracing.delivering(case(), dict) is None


def test_a_state_of_the_sender_goes_on() -> None:
    traced = Traced()
    span = traced.begin({"traceparent": SAMPLED, "tracestate": "vendor=1"})
    assert traced.tracing.carried()["tracestate"] == "vendor=1"
    span.close(None)


def test_a_hostile_state_breaks_nothing() -> None:
    traced = Traced()
    span = traced.begin({"traceparent": SAMPLED, "tracestate": "\x00,=,a==b;" * 40})
    assert traced.tracing.trace_id() == TRACE
    span.close(None)


def test_without_tracing_nothing_is_loaded_or_carried() -> None:
    assert open_tracing(TracingSettings()) is None
    assert Watch(Counts(), None, "coat").carried() == {}


def test_tracing_that_cannot_be_had_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coatcheck_workers.telemetry.spans", None)
    with pytest.raises(Unusable, match=r"pip install 'coatcheck\[otel\]'"):
        open_tracing(TracingSettings(enabled=True))


def test_the_service_is_named_as_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_resource().attributes["service.name"] == "coatcheck-worker"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
    assert own_resource().attributes["service.name"] == "mine"


def test_a_collector_that_does_not_answer_holds_up_no_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "CLOSE_SECONDS", 0.01)
    provider, answers = provider_of(Resource.create({})), Event()
    monkeypatch.setattr(provider, "shutdown", lambda: answers.wait(60))
    OpenTelemetryTracing(provider, Sampling(0.0, 100)).close()
    assert not answers.is_set()
    answers.set()


def test_spans_go_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318")
    made: list[str] = []

    class Exporter(OTLPSpanExporter):
        def __init__(self) -> None:
            super().__init__()
            made.append(self._endpoint)

    monkeypatch.setattr(spans, "OTLPSpanExporter", Exporter)
    opened = open_tracing(TracingSettings(enabled=True))
    assert opened is not None
    opened.close()
    assert made == ["http://collector.example:4318/v1/traces"]
