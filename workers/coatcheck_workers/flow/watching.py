"""What the flow tells of itself: metrics, traces and the log learn from it, and it knows none of them."""

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Protocol

from coatcheck_core.decision import Case
from coatcheck_schemas.events import StubEvent
from coatcheck_workers.streams.arriving import Arrived


class Watching(Protocol):
    """Each call costs a result some microseconds of its own at most, waits for nothing, and raises nothing."""

    def handling(self, stream: str, arrived: Arrived) -> AbstractContextManager[None]:
        """One message is in hand within: `stream` is `results`, or `held` for what was held and has fallen due."""
        ...

    def examined(self, case: Case, arrived: Arrived) -> None:
        """What was in the message is known; the case may be delivered while another message is in hand."""
        ...

    def delivering(self, case: Case) -> AbstractContextManager[None]:
        """The decision on a result is carried out within."""
        ...

    def sent(self, event: StubEvent, received_at: datetime, case: Case | None) -> None:
        """A stub event went out, which is once for each result; there is no case of what could not be read."""
        ...

    def repeated(self) -> None:
        """A stub event was there already."""
        ...

    def retried(self, stream: str, error: Exception) -> None:
        """A message failed and comes again; `stream` by its name in NATS."""
        ...

    def dead_letter(self, reason: str) -> None:
        """A message was set aside."""
        ...


class WatchingEdges(Watching, Protocol):
    """Who watches what the flow acts on as well."""

    def published(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """One message is in its stream, or is not known to be."""
        ...

    def carried(self) -> dict[str, str]:
        """Headers that let what is published now go on with the trace in hand."""
        ...


class Unwatched:
    """Nobody looks."""

    _NOTHING: AbstractContextManager[None] = nullcontext()

    def handling(self, stream: str, arrived: Arrived) -> AbstractContextManager[None]:
        return self._NOTHING

    def examined(self, case: Case, arrived: Arrived) -> None:
        """Nothing."""

    def delivering(self, case: Case) -> AbstractContextManager[None]:
        return self._NOTHING

    def sent(self, event: StubEvent, received_at: datetime, case: Case | None) -> None:
        """Nothing."""

    def repeated(self) -> None:
        """Nothing."""

    def retried(self, stream: str, error: Exception) -> None:
        """Nothing."""

    def dead_letter(self, reason: str) -> None:
        """Nothing."""
