"""A worker that nobody watches: `python -m benchmarks.unwatched worker ...`, as `coatcheck worker ...`.

It is the worker itself without counts, spans and what lines of the log are about: what these cost is the difference.
"""

from contextlib import AbstractContextManager, nullcontext

from nats.aio.msg import Msg

from coatcheck.cli import main
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.flow.watching import Unwatched
from coatcheck_workers.telemetry import instruments
from coatcheck_workers.telemetry.counts import Counts
from coatcheck_workers.telemetry.tracing import Tracing


class Blind(Unwatched):
    """In place of the worker's watch."""

    def __init__(self, counts: Counts, tracing: Tracing | None, prefix: str, now: Clock = utc_now) -> None:
        self.now = now

    def requesting(self, verb: str, message: Msg) -> AbstractContextManager[None]:
        return nullcontext()

    def stored(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """Nothing."""

    def published(self, operation: str, seconds: float, error: BaseException | None) -> None:
        """Nothing."""

    def carried(self) -> dict[str, str]:
        return {}


if __name__ == "__main__":
    setattr(instruments, "Watch", Blind)  # noqa: B010 - it is the module's own name
    main()
