"""What a worker has counted since it started: plain integers, so that a result costs a microsecond or two."""

from collections import Counter
from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import TypeVar

from coatcheck_core.decision import Case
from coatcheck_schemas.errors import (
    ObjectChanged,
    ObjectExists,
    ObjectNotFound,
    StoreError,
    StoreRejected,
    StoreUnavailable,
)
from coatcheck_schemas.events import StubEvent
from coatcheck_workers.flow.delivery import NotKept
from coatcheck_workers.intake.answered import DROPPED, Answered
from coatcheck_workers.isolation import WorkerKilled
from coatcheck_workers.streams.publishing import PublishError, WrongLastSequence
from coatcheck_workers.uploads.opening import NotTaken

from .histograms import LAG_SECONDS, RESULT_SECONDS, WORK_SECONDS, Histogram, Histograms
from .saving import Saved, saved

NONE = "none"
OK = "ok"
OTHER = "other"
MOST_LABELS = 200
"""More values than any label here has: a metric grows no further, whatever somebody's own function raises."""

_SECOND = timedelta(seconds=1)
_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (ObjectNotFound, "not_found"),
    (ObjectExists, "exists"),
    (ObjectChanged, "changed"),
    (StoreUnavailable, "unavailable"),
    (StoreRejected, "rejected"),
    (Exception, "error"),
    (BaseException, "cancelled"),
)
K = TypeVar("K", bound=Hashable)


class Counts:
    """Of one worker. Label values are few by their making, and bounded where a user's code could make them."""

    def __init__(self) -> None:
        self.results: Counter[tuple[str, str, str]] = Counter()
        """By disposition, reason and kind."""
        self.result_bytes: Counter[str] = Counter()
        self.repeated = 0
        self.saved = Saved(chars=0, tokens=0)
        self.result_seconds = Histograms(RESULT_SECONDS)
        self.handling_seconds = Histograms(WORK_SECONDS)
        self.retries: Counter[tuple[str, str]] = Counter()
        self.dead_letters: Counter[str] = Counter()
        self.unopened = 0
        """Uploads that were dropped."""
        self.requests: Counter[tuple[str, str, str]] = Counter()
        """By verb, operation and code."""
        self.request_bytes_in: Counter[str] = Counter()
        self.request_bytes_out: Counter[str] = Counter()
        self.request_seconds = Histograms(WORK_SECONDS)
        self.request_work_seconds = Histograms(WORK_SECONDS)
        self.store: Counter[tuple[str, str]] = Counter()
        """By operation and outcome."""
        self.store_seconds = Histograms(WORK_SECONDS)
        self.publish_seconds = Histograms(WORK_SECONDS)
        self.publish_failures: Counter[str] = Counter()
        self.loop_lag = Histogram(LAG_SECONDS)

    def sent(self, event: StubEvent, received_at: datetime, case: Case | None, now: datetime) -> None:
        disposition = event.disposition
        self.results[disposition, event.reason or NONE, event.kind or NONE] += 1
        self.result_bytes[disposition] += event.original_bytes or 0
        self.result_seconds[disposition].add((now - received_at) / _SECOND)
        if case is not None and disposition != "inline":
            self.saved += saved(event, case.contents)

    def retried(self, stream: str, error: Exception) -> None:
        self.retries[stream, _cause(error)] += 1

    def dead_letter(self, reason: str) -> None:
        self.dead_letters[_bounded(self.dead_letters, reason, OTHER)] += 1

    def uploads_unopened(self, count: int) -> None:
        self.unopened += count

    def answered(self, answered: Answered) -> None:
        verb = answered.verb
        self.requests[verb, answered.operation or NONE, answered.error_code or OK] += 1
        self.request_bytes_in[verb] += answered.bytes_in
        self.request_bytes_out[verb] += answered.bytes_out
        if answered.error_code != DROPPED:  # its reader would take a flood of these for quick answers
            self.request_seconds[verb].add(answered.seconds)
        if answered.work_seconds is not None:
            self.request_work_seconds[verb].add(answered.work_seconds)

    def stored(self, operation: str, seconds: float, error: BaseException | None) -> None:
        self.store[operation, _outcome(error)] += 1
        self.store_seconds[operation].add(seconds)

    def published(self, operation: str, seconds: float, error: BaseException | None) -> None:
        self.publish_seconds[operation].add(seconds)
        if isinstance(error, PublishError) and not isinstance(error, WrongLastSequence):
            self.publish_failures[operation] += 1


def _bounded(counter: Counter[K], key: K, other: K) -> K:
    return key if key in counter or len(counter) < MOST_LABELS else other


def _cause(error: Exception) -> str:
    if isinstance(error, NotKept | NotTaken | StoreError):
        return "store"
    if isinstance(error, PublishError):
        return "nats"
    return "killed_worker" if isinstance(error, WorkerKilled) else "internal"


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return OK
    return next(name for kind, name in _OUTCOMES if isinstance(error, kind))
