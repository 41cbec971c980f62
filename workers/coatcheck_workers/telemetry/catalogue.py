"""Every metric there is: name, kind, labels, meaning. The table in docs/observability.md is this one."""

from typing import Literal

import msgspec


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """Units are in the name, as Prometheus wants them. `values` says for each label which values it may have."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    meaning: str
    values: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.values)


def _counter(name: str, meaning: str, **values: str) -> Metric:
    return Metric(name=name, kind="counter", meaning=meaning, values=values)


def _gauge(name: str, meaning: str, **values: str) -> Metric:
    return Metric(name=name, kind="gauge", meaning=meaning, values=values)


def _histogram(name: str, meaning: str, **values: str) -> Metric:
    return Metric(name=name, kind="histogram", meaning=meaning, values=values)


_STREAM = "`results`, or `held` for what was held and fell due"
_VERB = "the request, as `read`"
_OPERATION = "the store's method, as `put`"

RESULTS = _counter(
    "coatcheck_results_total",
    "stub events sent, which is one for each result",
    disposition="`inline`, `offloaded`, `preview_only`, `failed`",
    reason="why, or `none`",
    kind="the synopsis's, or `none`",
)
RESULTS_REPEATED = _counter("coatcheck_results_repeated_total", "results that came again and had their stub already")
RESULT_BYTES = _counter("coatcheck_result_bytes_total", "bytes of the originals of these", disposition="as above")
CHARS_SAVED = _counter("coatcheck_context_saved_chars_total", "chars kept out of contexts: originals less their stubs")
TOKENS_SAVED = _counter("coatcheck_context_saved_tokens_total", "the same in tokens, by an estimate")
RESULT_DURATION = _histogram(
    "coatcheck_result_duration_seconds",
    "from NATS's receipt of a result to its stub; the waiting for its turn is in it",
    disposition="as above",
)
HANDLING_DURATION = _histogram(
    "coatcheck_handling_duration_seconds", "a worker's time with one message", stream=_STREAM
)
RETRIES = _counter(
    "coatcheck_retries_total",
    "messages that failed and come again",
    stream=_STREAM,
    cause="`store`, `nats`, `killed_worker`, `internal`",
)
DEAD_LETTERS = _counter("coatcheck_dead_letters_total", "messages set aside in COAT_DLQ", reason="as the letter has it")
UNOPENED = _counter("coatcheck_uploads_dropped_total", "uploads in pieces that no event opened, and were dropped")
IN_FLIGHT = _gauge("coatcheck_in_flight_messages", "messages in hand now", stream=_STREAM)
IN_FLIGHT_BYTES = _gauge("coatcheck_in_flight_bytes", "bytes of these", stream=_STREAM)
UPLOADS = _gauge("coatcheck_uploads_in_flight", "results in pieces that are followed now")

REQUESTS = _counter(
    "coatcheck_requests_total",
    "requests answered, refused or dropped; a miss is `not_found` or `gone`",
    verb=_VERB,
    operation="of `fs`, as `grep`, else `none`",
    code="`ok`, the error's code, `dropped` (no inbox to answer to) or `unsent`",
)
REQUEST_DURATION = _histogram("coatcheck_request_duration_seconds", "from a request's receipt to its reply", verb=_VERB)
REQUEST_WORK = _histogram("coatcheck_request_work_seconds", "the same without the waiting for its turn", verb=_VERB)
REQUEST_BYTES_IN = _counter("coatcheck_request_received_bytes_total", "bytes of the bodies of requests", verb=_VERB)
REQUEST_BYTES_OUT = _counter("coatcheck_request_sent_bytes_total", "bytes of the bodies of their replies", verb=_VERB)
REQUESTS_LIMITED = _counter(
    "coatcheck_requests_limited_total",
    "requests that met a limit, or no reply",
    verb=_VERB,
    limit="the setting, `inbox` (no reply may go there) or `unsent`",
)
REQUESTS_AT_WORK = _gauge("coatcheck_requests_in_flight", "requests at work now", verb=_VERB)
REQUESTS_WAITING = _gauge("coatcheck_requests_waiting", "requests that wait for their turn now", verb=_VERB)

STORE_REQUESTS = _counter(
    "coatcheck_store_requests_total",
    "requests to object storage",
    operation=_OPERATION,
    outcome="`ok`, `not_found`, `exists`, `changed`, `unavailable`, `rejected`, `cancelled`, `error`",
)
STORE_DURATION = _histogram("coatcheck_store_request_duration_seconds", "of one of these", operation=_OPERATION)
STORE_AWAY = _gauge("coatcheck_store_away", "1 while object storage counts as away, and results are not tried on it")
STORE_OPENINGS = _counter("coatcheck_store_outages_total", "how often that began")
STORE_REFUSED = _counter("coatcheck_store_refused_requests_total", "requests not made because of it")
DAMAGED = _counter("coatcheck_damage_found_total", "answers that failed because what is stored is damaged")
PUBLISH_DURATION = _histogram(
    "coatcheck_publish_duration_seconds",
    "a message's way into a stream, to the acknowledgement",
    operation="`stub`, or `append` for ledgers, held results and letters",
)
PUBLISH_FAILURES = _counter(
    "coatcheck_publish_failures_total", "of these, what no stream is known to have taken", operation="as above"
)

BACKLOG = _gauge("coatcheck_backlog_messages", "messages that no worker has taken yet", stream=_STREAM)
UNACKNOWLEDGED = _gauge("coatcheck_unacknowledged_messages", "messages that some worker has in hand", stream=_STREAM)
STREAM_MESSAGES = _gauge("coatcheck_stream_messages", "messages in a stream", stream="`results`, `stubs`, ...")
STREAM_BYTES = _gauge("coatcheck_stream_bytes", "their bytes", stream="as above")
STREAM_MAX_BYTES = _gauge("coatcheck_stream_max_bytes", "bytes at which the stream refuses", stream="as above")
POLLED_AGO = _gauge("coatcheck_streams_polled_ago_seconds", "how old the figures of streams are; old ones are left out")

LOOP_LAG = _histogram("coatcheck_event_loop_lag_seconds", "by how much the event loop was late, each half second")
CHILDREN = _gauge("coatcheck_child_processes", "processes that make synopses of large results")
READY = _gauge("coatcheck_ready", "1 where /readyz says so")
CONNECTED = _gauge("coatcheck_nats_connected", "1 while connected to NATS")
RECONNECTS = _counter("coatcheck_nats_reconnects_total", "how often that was lost and found again")
BUILD = _gauge("coatcheck_build_info", "always 1", version="of Coatcheck")

METRICS: tuple[Metric, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Metric))
PROCESS = (
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_virtual_memory_bytes",
)
"""What prometheus-client adds of any process, where the system tells it."""


def table() -> str:
    """The metrics as a Markdown table."""
    rows = ["| metric | kind | labels | meaning |", "| --- | --- | --- | --- |"]
    for metric in METRICS:
        labels = "; ".join(f"`{label}`: {values}" for label, values in metric.values.items())
        rows.append(f"| `{metric.name}` | {metric.kind} | {labels} | {metric.meaning} |")
    return "\n".join(rows) + "\n"
