"""The trace that the caller is in goes on in the worker, where the caller uses OpenTelemetry."""

import sys

MAX_STATE_CHARS = 512


def trace_headers() -> dict[str, str]:
    """W3C's `traceparent`, and `tracestate`, of the span that is active here; empty where none is.

    OpenTelemetry is not loaded for it: where nobody else has, no span can be active.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return {}
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return {}
    headers = {"traceparent": f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"}
    state = span.trace_state.to_header()
    if state and len(state) <= MAX_STATE_CHARS and state.isascii():
        headers["tracestate"] = state
    return headers
