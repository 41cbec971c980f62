"""The client carries on the trace that is active where it is called, and loads nothing for it."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from opentelemetry import context, trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState

from coatcheck.client.asking import ask
from coatcheck.client.encoding import Envelope, describe, encode_opening, encode_whole
from coatcheck.client.tracing import MAX_STATE_CHARS, trace_headers
from coatcheck_schemas.requests import ListReply, ListRequest
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.telemetry.tracing import parent_of

TRACE, SPAN = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
TRACEPARENT = f"00-{TRACE:032x}-{SPAN:016x}-01"


def active(state: TraceState | None = None, trace_id: int = TRACE) -> object:
    span = SpanContext(trace_id, SPAN, is_remote=False, trace_flags=TraceFlags(1), trace_state=state)
    return context.attach(trace.set_span_in_context(NonRecordingSpan(span)))


@pytest.fixture
def span() -> Iterator[None]:
    token = active()
    yield
    context.detach(cast(Any, token))


def envelope() -> Envelope:
    return describe("s", "cat", {"turn": "t", "call": "c"})


@pytest.mark.usefixtures("span")
def test_a_result_bears_the_trace_that_is_active() -> None:
    assert encode_whole(envelope(), "text").headers["traceparent"] == TRACEPARENT
    assert encode_opening(envelope(), "upload")[0]["traceparent"] == TRACEPARENT


@pytest.mark.usefixtures("span")
def test_what_the_client_sends_is_what_a_worker_takes() -> None:
    parent = parent_of(trace_headers())
    assert parent is not None
    assert parent.is_sampled


@pytest.mark.usefixtures("span")
async def test_a_request_bears_the_trace_that_is_active() -> None:
    seen: list[Any] = []

    async def request(subject: str, payload: bytes, headers: Any = None, *, timeout: float) -> Any:  # noqa: ASYNC109
        seen.append(headers)
        return SimpleNamespace(data=b'{"ok": {"tool_results": [], "has_more": false, "cursor": ""}}')

    connection = cast(Any, SimpleNamespace(request=request))
    await ask(connection, Subjects("coat"), "list", "s", ListRequest(), ListReply, 1.0)
    assert seen == [{"traceparent": TRACEPARENT}]


def test_where_no_span_is_active_nothing_is_added() -> None:
    assert trace_headers() == {}
    assert "traceparent" not in encode_whole(envelope(), "text").headers


def test_a_span_that_is_none_adds_nothing() -> None:
    token = active(trace_id=0)
    try:
        assert trace_headers() == {}
    finally:
        context.detach(cast(Any, token))


@pytest.mark.parametrize(("value", "kept"), [("1", True), ("x" * 200, True), ("x" * 256, False)])
def test_a_state_goes_along_unless_it_is_too_long(value: str, kept: bool) -> None:
    entries = [(f"vendor{number}", value) for number in range(2)]
    token = active(TraceState(entries))
    try:
        assert ("tracestate" in trace_headers()) is kept
        assert len(trace_headers().get("tracestate", "")) <= MAX_STATE_CHARS
    finally:
        context.detach(cast(Any, token))
