"""One trace goes from the publisher over the worker to the reader."""

from collections.abc import Iterator

import msgspec
import pytest
from nats.aio.msg import Msg
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext
from tests.support.agents import agent
from tests.support.servers import connected
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings
from coatcheck_core.settings.operating import TracingSettings
from coatcheck_workers.telemetry import spans
from coatcheck_workers.telemetry.spans import OpenTelemetryTracing
from coatcheck_workers.telemetry.tracing import Sampling


class Traces:
    """Where agent and worker send their spans."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(resource=Resource.create({}))
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("agent")

    def of(self, span: SpanContext) -> dict[str, ReadableSpan]:
        """The spans of its trace, by name."""
        found = self.exporter.get_finished_spans()
        return {one.name: one for one in found if one.context.trace_id == span.trace_id}

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Traces]:
    """Everything ends up here, and nothing of what comes without a trace."""
    made = Traces()
    monkeypatch.setattr(spans, "exporting", lambda sampling: OpenTelemetryTracing(made.provider, Sampling(0.0, 100)))
    yield made
    made.provider.shutdown()


def traced(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, tracing=TracingSettings(enabled=True))


async def test_one_trace_from_publish_over_the_worker_to_a_read(deployment: Settings, traces: Traces) -> None:
    settings, prefix = traced(deployment), deployment.nats.prefix
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    async with worker_here(settings), connected(settings) as client:
        await client.subscribe(f"{prefix}.stubs.>", cb=hear)
        await client.flush()
        async with coatcheck.connect(settings.nats.url, prefix=prefix) as agent_client:
            with traces.tracer.start_as_current_span("agent") as span:
                active = span.get_span_context()
                event = await agent_client.submit("s1", "line\n" * 8000, tool_name="cat", call="c1")
                await agent_client.read("s1", str(event.ref))
            await agent_client.list("s1")  # no span is active: no trace
        await eventually(lambda: f"process {prefix}.results" in traces.of(active), expecting="the message is settled")
        await eventually(lambda: heard, expecting="the stub")
        found = traces.of(active)
    process, deliver, read = found[f"process {prefix}.results"], found["deliver"], found[f"{prefix}.read"]
    assert _parent(process) == _parent(read) == active.span_id
    assert _parent(deliver) == process.context.span_id
    assert _parent(found["store put"]) == _parent(found["publish stub"]) == deliver.context.span_id
    assert _parent(found["store get_range" if "store get_range" in found else "store get"]) == read.context.span_id
    assert (process.attributes or {})["coatcheck.session"] == "s1"
    assert (deliver.attributes or {})["coatcheck.result_id"] == event.result_id
    assert (heard[0].headers or {})["traceparent"].split("-")[1:3] == [
        f"{active.trace_id:032x}",
        f"{deliver.context.span_id:016x}",
    ]
    assert not traces.named(f"{prefix}.list")
    assert not [span for span in found.values() if "line" in str(span.attributes)]


async def test_each_result_of_a_turn_is_delivered_in_its_own_trace(deployment: Settings, traces: Traces) -> None:
    settings = traced(deployment)
    contexts = []
    async with worker_here(settings), agent(settings) as it:
        for call in ("c1", "c2"):
            with traces.tracer.start_as_current_span(call) as span:
                active = span.get_span_context()
                contexts.append(active)
                headers = {"traceparent": f"00-{active.trace_id:032x}-{active.span_id:016x}-01"}
                body = msgspec.json.encode({"tool_name": "cat", "content": call, "turn_size": 2})
                await it.publish_raw(it.subjects.results(it.address(call, "t1")), body, headers)
        for call in ("c1", "c2"):
            await it.stub(call, "t1")
        await eventually(lambda: len(traces.named("deliver")) == 2, expecting="both are delivered")
    assert {span.context.trace_id for span in traces.named("deliver")} == {one.trace_id for one in contexts}


def _parent(span: ReadableSpan) -> int:
    assert span.parent is not None
    return span.parent.span_id
