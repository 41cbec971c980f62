"""The flow's watcher: it counts, sets what lines of the log are about, and opens spans where they are sampled.

Each result comes through all of it, so it is written for speed: no closure is made, and no id read, before a span or a
line of the log needs it.
"""

from contextlib import AbstractContextManager
from contextvars import Token
from datetime import datetime
from time import perf_counter
from types import TracebackType

from nats.aio.msg import Msg

from coatcheck_core.decision import Case
from coatcheck_schemas.events import StubEvent
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.streams.arriving import Arrived

from .context import ABOUT, About, ids_of
from .counts import Counts
from .histograms import Histogram
from .tracing import IN_HAND, Attributes, Headers, Role, Span, Tracing


class Watch:
    """See flow/watching.py; `now` is NATS's time. It watches requests, the store and streams as well."""

    def __init__(self, counts: Counts, tracing: Tracing | None, prefix: str, now: Clock = utc_now) -> None:
        self._counts = counts
        self._tracing = tracing
        self._prefix = prefix
        self.now = now
        self._stream_prefix = f"{prefix}_".upper()
        self._names = {stream: f"process {prefix}.{stream}" for stream in ("results", "held")}

    def handling(self, stream: str, arrived: Arrived) -> AbstractContextManager[None]:
        span = None
        if self._tracing is not None:
            span = _begin(self._tracing, self._names[stream], "consumer", arrived.headers, arrived.subject)
        return _About(arrived.subject, span, self._counts.handling_seconds[stream])

    def examined(self, case: Case, arrived: Arrived) -> None:
        if self._tracing is not None and arrived.headers:
            self._tracing.examined(case, arrived.headers)

    def delivering(self, case: Case) -> AbstractContextManager[None]:
        span = None if self._tracing is None else self._tracing.delivering(case, lambda: _ids(case))
        return _About(case, span)

    def sent(self, event: StubEvent, received_at: datetime, case: Case | None) -> None:
        self._counts.sent(event, received_at, case, self.now())
        if self._tracing is not None and IN_HAND.get():
            self._tracing.describe(_outcome(event))

    def repeated(self) -> None:
        self._counts.repeated += 1

    def retried(self, stream: str, error: Exception) -> None:
        self._counts.retried(stream.removeprefix(self._stream_prefix).lower(), error)
        if self._tracing is not None and IN_HAND.get():
            self._tracing.describe({"coatcheck.retried": type(error).__name__})

    def dead_letter(self, reason: str) -> None:
        self._counts.dead_letter(reason)
        if self._tracing is not None and IN_HAND.get():
            self._tracing.describe({"coatcheck.dead_letter": reason})

    def requesting(self, verb: str, message: Msg) -> AbstractContextManager[None]:
        """One request is answered within."""
        span = None
        if self._tracing is not None:
            span = _begin(self._tracing, f"{self._prefix}.{verb}", "server", message.headers, message.subject)
        return _About(message.subject, span)

    def carried(self) -> dict[str, str]:
        """See flow/watching.py."""
        return {} if self._tracing is None else self._tracing.carried()

    def stored(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """One request to the store has ended."""
        self._counts.stored(operation, seconds, error)
        if self._tracing is not None and IN_HAND.get():
            self._tracing.happened(f"store {operation}", seconds, error)

    def published(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """One message is in its stream, or is not."""
        self._counts.published(operation, seconds, error)
        if self._tracing is not None and IN_HAND.get():
            self._tracing.happened(f"publish {operation}", seconds, error)


class _About(AbstractContextManager[None]):
    """What is done within is about this; it takes the time, and closes the span, which its maker has opened."""

    __slots__ = ("_about", "_began", "_span", "_times", "_token")

    def __init__(self, about: About, span: Span | None, times: Histogram | None = None) -> None:
        self._about = about
        self._span = span
        self._times = times

    def __enter__(self) -> None:
        self._token: Token[About | None] = ABOUT.set(self._about)
        self._began = perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._times is not None:
            self._times.add(perf_counter() - self._began)
        if self._span is not None:
            self._span.close(error)
        ABOUT.reset(self._token)


def _begin(tracing: Tracing, name: str, role: Role, headers: Headers, subject: str) -> Span | None:
    """The name ends with what the message was in."""
    return tracing.begin(
        name,
        role,
        headers,
        lambda: {
            "messaging.system": "nats",
            "messaging.destination.name": name.rpartition(" ")[2],
            **_ids(subject),
        },
    )


def _ids(about: About) -> dict[str, str | int | bool]:
    """Never content: who may read spans need not be who may read sessions."""
    return {f"coatcheck.{name}": value for name, value in ids_of(about).items()}


def _outcome(event: StubEvent) -> Attributes:
    facts: dict[str, str | int | bool | None] = {
        "coatcheck.result_id": event.result_id,
        "coatcheck.disposition": event.disposition,
        "coatcheck.reason": event.reason,
        "coatcheck.kind": event.kind,
        "coatcheck.bytes": event.original_bytes,
    }
    return {name: value for name, value in facts.items() if value is not None}
