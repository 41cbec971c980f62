"""What the worker asks of tracing, and which messages are traced."""

import random
import re
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Literal, Protocol

import msgspec

from coatcheck_core.decision import Case

TRACEPARENT = "traceparent"
TRACESTATE = "tracestate"
_NAMES = (TRACEPARENT, "ce-traceparent", "Traceparent")
"""As W3C's trace context names it, as CloudEvents do, and as a library writes it that takes headers for HTTP's."""
_FORMAT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})", re.ASCII)
_CHARS = 55
_MAX_STATE_CHARS = 512

IN_HAND: ContextVar[bool] = ContextVar("traced", default=False)
"""Whether a span of ours is the current one. OpenTelemetry's own answer to that costs several times as much, and is
asked half a dozen times for each result, most of which are not traced."""

Headers = Mapping[str, str] | None
Attributes = Mapping[str, str | int | bool]
Role = Literal["consumer", "server", "internal"]


class Parent(msgspec.Struct, frozen=True):
    """The span that a message was sent within: `traceparent` is well formed."""

    traceparent: str
    tracestate: str

    @property
    def trace_id(self) -> str:
        return self.traceparent[3:35]

    @property
    def is_sampled(self) -> bool:
        return bool(int(self.traceparent[53:55], 16) & 1)


def parent_of(headers: Headers) -> Parent | None:
    """What the sender says, which may be anybody: None where it is nothing, or not well formed."""
    if not headers:
        return None
    for name in _NAMES:
        said = headers.get(name)
        if said is not None:
            state = headers.get(TRACESTATE, "")
            known = _known(said)
            return None if known is None else Parent(known, state if len(state) <= _MAX_STATE_CHARS else "")
    return None


def _known(said: str) -> str | None:
    """The part that version 00 has: a later one may go on after it, behind a further mark."""
    known, more = said[:_CHARS], said[_CHARS : _CHARS + 1]
    is_sound = _FORMAT.fullmatch(known) is not None and (not more or (more == "-" and not known.startswith("00")))
    return known if is_sound else None


class Span(Protocol):
    """A span that is open, and is the current one until it is closed."""

    def close(self, error: BaseException | None) -> None: ...


class Tracing(Protocol):
    """Everything here costs next to nothing for what is not sampled, and raises nothing."""

    def begin(self, name: str, role: Role, headers: Headers, attributes: Callable[[], Attributes]) -> Span | None:
        """A span below the sender's; None where this one is not sampled."""
        ...

    def examined(self, case: Case, headers: Headers) -> None:
        """Remember below which span a result was published: it may be delivered while another is in hand."""
        ...

    def delivering(self, case: Case, attributes: Callable[[], Attributes]) -> Span | None:
        """A span in the trace of the result's publisher."""
        ...

    def describe(self, attributes: Attributes) -> None:
        """Of the current span; to be called only where that is one of ours, as `IN_HAND` says."""
        ...

    def happened(self, name: str, seconds: float, error: BaseException | None) -> None:
        """A span within the current one, which took so long and has just ended; to be called only as `describe` is."""
        ...

    def carried(self) -> dict[str, str]:
        """The headers that let what is sent now go on with the current span."""
        ...

    def trace_id(self) -> str | None:
        """Of the current span, 32 hex digits."""
        ...

    def close(self) -> None:
        """Send what is left, for a moment; it may block."""
        ...


class Sampling:
    """Whether a message is traced: as its sender says, or a share of those that say nothing, up to a number a second.

    A sender that has everything traced would otherwise slow down all others: a trace costs more than an inline result.
    """

    def __init__(
        self,
        ratio: float,
        most_per_second: int,
        *,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ratio = ratio
        self._most = most_per_second
        self._chance = chance
        self._clock = clock
        self._second = 0
        self._taken = 0

    def takes(self, parent: Parent | None) -> bool:
        """Counts those that it takes."""
        if not (self._chance() < self._ratio if parent is None else parent.is_sampled):
            return False
        second = int(self._clock())
        if second != self._second:
            self._second, self._taken = second, 0
        self._taken += 1
        return self._taken <= self._most
