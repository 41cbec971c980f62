"""The flow's watcher: it counts, sets what lines of the log are about, and opens spans where they are sampled."""

from collections.abc import Callable
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

from .context import ABOUT, About, ids_now, ids_of
from .counts import Counts
from .tracing import Attributes, Span, Tracing

_UNTIMED: Callable[[float], None] = lambda seconds: None  # noqa: E731


class Watch:
    """See flow/watching.py; `now` is NATS's time. It watches requests, the store and streams as well."""

    def __init__(self, counts: Counts, tracing: Tracing, prefix: str, now: Clock = utc_now) -> None:
        self._counts = counts
        self._tracing = tracing
        self._prefix = prefix
        self.now = now
        self._stream_prefix = f"{prefix}_".upper()

    def handling(self, stream: str, arrived: Arrived) -> AbstractContextManager[None]:
        def begin() -> Span | None:
            where = f"{self._prefix}.{stream}"
            return self._tracing.begin(f"process {where}", "consumer", arrived.headers, lambda: _message(where))

        return _About(arrived.subject, begin, self._counts.handling_seconds[stream].add)

    def examined(self, case: Case, arrived: Arrived) -> None:
        self._tracing.examined(case, arrived.headers)

    def delivering(self, case: Case) -> AbstractContextManager[None]:
        return _About(case, lambda: self._tracing.delivering(case, lambda: _ids(case)), _UNTIMED)

    def sent(self, event: StubEvent, received_at: datetime, case: Case | None) -> None:
        self._counts.sent(event, received_at, case, self.now())
        self._tracing.describe(lambda: _outcome(event))

    def repeated(self) -> None:
        self._counts.repeated += 1

    def retried(self, stream: str, error: Exception) -> None:
        self._counts.retried(stream.removeprefix(self._stream_prefix).lower(), error)
        self._tracing.describe(lambda: {"coatcheck.retried": type(error).__name__})

    def dead_letter(self, reason: str) -> None:
        self._counts.dead_letter(reason)
        self._tracing.describe(lambda: {"coatcheck.dead_letter": reason})

    def requesting(self, verb: str, message: Msg) -> AbstractContextManager[None]:
        """One request is answered within."""
        where = f"{self._prefix}.{verb}"

        def begin() -> Span | None:
            return self._tracing.begin(where, "server", message.headers, lambda: {**_message(where), **_ids(None)})

        return _About(message.subject, begin, _UNTIMED)

    def carried(self) -> dict[str, str]:
        """See flow/watching.py."""
        return self._tracing.carried()

    def stored(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """One request to the store has ended."""
        self._counts.stored(operation, seconds, error)
        self._tracing.happened(f"store {operation}", seconds, error)

    def published(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """One message is in its stream, or is not."""
        self._counts.published(operation, seconds, error)
        self._tracing.happened(f"publish {operation}", seconds, error)


class _About(AbstractContextManager[None]):
    """What is done within is about this, and timed; a class of its own, for each result enters two of them."""

    __slots__ = ("_about", "_began", "_begin", "_span", "_timed", "_token")

    def __init__(self, about: About, begin: Callable[[], Span | None], timed: Callable[[float], None]) -> None:
        self._about = about
        self._begin = begin
        self._timed = timed

    def __enter__(self) -> None:
        self._token: Token[About | None] = ABOUT.set(self._about)
        self._span = self._begin()
        self._began = perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timed(perf_counter() - self._began)
        if self._span is not None:
            self._span.close(error)
        ABOUT.reset(self._token)


def _message(where: str) -> Attributes:
    return {"messaging.system": "nats", "messaging.destination.name": where, **_ids(None)}


def _ids(case: Case | None) -> Attributes:
    """Never content: who may read spans need not be who may read sessions."""
    ids = ids_now() if case is None else ids_of(case)
    return {f"coatcheck.{name}": value for name, value in ids.items()}


def _outcome(event: StubEvent) -> Attributes:
    facts: dict[str, str | int | bool | None] = {
        "coatcheck.result_id": event.result_id,
        "coatcheck.disposition": event.disposition,
        "coatcheck.reason": event.reason,
        "coatcheck.kind": event.kind,
        "coatcheck.bytes": event.original_bytes,
    }
    return {name: value for name, value in facts.items() if value is not None}
