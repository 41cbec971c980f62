"""The states of streams and consumers, of what the server says of them what is judged and shown."""

from datetime import datetime

import msgspec

NEAR_FULL = 0.8
"""From here on it is told who holds a stream."""
EVICTS = "deleted"
"""The one stream that lets the oldest go: it is full for good, and that is as it should be."""


class StreamState(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is ours (`results`), `stream` the server's (`COAT_RESULTS`); `first_at` is the oldest message's time."""

    name: str
    stream: str
    messages: int
    bytes: int
    max_bytes: int
    first_at: datetime | None = None
    replicas_behind: tuple[str, ...] = ()
    holders: tuple[tuple[str, int], ...] = ()
    """Of one that is nearly full: the sessions with the most messages in it, by segment, and how many each has."""

    @property
    def fill(self) -> float:
        """0 to 1; 0 without a limit."""
        return self.bytes / self.max_bytes if self.max_bytes > 0 else 0.0


class ConsumerState(msgspec.Struct, frozen=True, kw_only=True):
    """`waiting` is how many requests of workers for messages are open: none, where nobody asks."""

    stream: str
    pending: int
    ack_pending: int
    redelivered: int
    waiting: int
