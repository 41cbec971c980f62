"""Tracing by OpenTelemetry. The only file of the service that knows it; it is loaded where tracing is enabled."""

import os
import threading
import time
from collections.abc import Callable
from contextvars import Token
from importlib.metadata import version
from weakref import WeakKeyDictionary

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from coatcheck_core.decision import Case

from .tracing import IN_HAND, TRACEPARENT, TRACESTATE, Attributes, Headers, Parent, Role, Sampling, Span, parent_of

SERVICE = "coatcheck-worker"
MAX_ATTRIBUTE_CHARS = 200
CLOSE_SECONDS = 1.0

_KINDS = {"consumer": SpanKind.CONSUMER, "server": SpanKind.SERVER, "internal": SpanKind.INTERNAL}
_PROPAGATOR = TraceContextTextMapPropagator()


def exporting(sampling: Sampling) -> "OpenTelemetryTracing":
    """Spans go out by OTLP over HTTP, from a thread, as the variables `OTEL_EXPORTER_OTLP_*` say."""
    provider = provider_of(own_resource())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return OpenTelemetryTracing(provider, sampling)


def provider_of(resource: Resource) -> TracerProvider:
    """What is not to be sampled never comes to it; ids are whoever's made them, and so are cut."""
    limits = SpanLimits(max_span_attribute_length=MAX_ATTRIBUTE_CHARS)
    return TracerProvider(sampler=ALWAYS_ON, resource=resource, span_limits=limits, shutdown_on_exit=False)


def own_resource() -> Resource:
    """`OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come before our own name."""
    named = os.environ.get("OTEL_SERVICE_NAME") or f"{SERVICE_NAME}=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    own = {"service.version": version("coatcheck")}
    return Resource.create(own if named else {SERVICE_NAME: SERVICE, **own})


class OpenTelemetryTracing:
    """The worker's spans, by this provider."""

    def __init__(self, provider: TracerProvider, sampling: Sampling) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("coatcheck", version("coatcheck"))
        self._sampling = sampling
        self._origins: WeakKeyDictionary[Case, Parent] = WeakKeyDictionary()

    def begin(self, name: str, role: Role, headers: Headers, attributes: Callable[[], Attributes]) -> Span | None:
        parent = parent_of(headers) if headers else None
        if not self._sampling.takes(parent):
            return None
        return self._open(name, role, None if parent is None else _context_of(parent), attributes())

    def examined(self, case: Case, headers: Headers) -> None:
        """What is in hand has been taken already, where it is this one's own message."""
        parent = parent_of(headers)
        if parent is not None and parent.is_sampled and (IN_HAND.get() or self._sampling.takes(parent)):
            self._origins[case] = parent

    def delivering(self, case: Case, attributes: Callable[[], Attributes]) -> Span | None:
        """Where another trace's message is in hand, as the last of a turn is, the two are linked."""
        origin = self._origins.get(case) if self._origins else None
        if not IN_HAND.get():
            return None if origin is None else self._open("deliver", "internal", _context_of(origin), attributes())
        current = trace.get_current_span().get_span_context()
        if origin is None or origin.trace_id == trace.format_trace_id(current.trace_id):
            return self._open("deliver", "internal", None, attributes())
        return self._open("deliver", "internal", _context_of(origin), attributes(), current)

    def describe(self, attributes: Attributes) -> None:
        trace.get_current_span().set_attributes(dict(attributes))

    def happened(self, name: str, seconds: float, error: BaseException | None) -> None:
        now = time.time_ns()
        span = self._tracer.start_span(name, kind=SpanKind.CLIENT, start_time=now - int(seconds * 1e9))
        _close(span, error, now)

    def carried(self) -> dict[str, str]:
        if not IN_HAND.get():
            return {}
        headers: dict[str, str] = {}
        _PROPAGATOR.inject(headers)
        return headers

    def trace_id(self) -> str | None:
        if not IN_HAND.get():
            return None
        return trace.format_trace_id(trace.get_current_span().get_span_context().trace_id)

    def close(self) -> None:
        """In a thread that nobody waits for at the end: a collector that is away must not hold up a stop."""
        closing = threading.Thread(target=self._provider.shutdown, name="coatcheck-spans", daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)

    def _open(
        self, name: str, role: Role, within: Context | None, attributes: Attributes, link: SpanContext | None = None
    ) -> Span:
        span = self._tracer.start_span(
            name,
            context=within,
            kind=_KINDS[role],
            attributes=dict(attributes),
            links=[] if link is None else [Link(link)],
        )
        return _Open(span, context.attach(trace.set_span_in_context(span)), IN_HAND.set(True))


class _Open:
    """A span that is the current one; it is closed in the task that opened it."""

    __slots__ = ("_in_hand", "_span", "_token")

    def __init__(self, span: trace.Span, token: Token[Context], in_hand: Token[bool]) -> None:
        self._span = span
        self._token = token
        self._in_hand = in_hand

    def close(self, error: BaseException | None) -> None:
        IN_HAND.reset(self._in_hand)
        context.detach(self._token)
        _close(self._span, error, None)


def _close(span: trace.Span, error: BaseException | None, at_ns: int | None) -> None:
    """The error by its kind alone: its words may quote what was in a session."""
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, type(error).__name__))
    span.end(at_ns)


def _context_of(parent: Parent) -> Context:
    return _PROPAGATOR.extract({TRACEPARENT: parent.traceparent, TRACESTATE: parent.tracestate}, Context())
