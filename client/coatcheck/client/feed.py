"""What a subscription has received and nobody has taken yet, bounded; and whether something may have been missed."""

import asyncio
from collections import deque

from nats.aio.msg import Msg

MAX_MESSAGES = 1024
"""With as many in nats-py's own queue still well below the generation of events that `Seen` remembers."""
MAX_BYTES = 32 * 1024 * 1024


class Feed:
    """A bounded buffer between a subscription and its one reader.

    `interruptions` counts the times when messages may have been missed: the connection broke, or the reader was too
    slow. Then what is buffered is dropped as well where there is no room: all of it can be replayed.
    """

    def __init__(self, max_messages: int = MAX_MESSAGES, max_bytes: int = MAX_BYTES) -> None:
        self.interruptions = 0
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._messages: deque[Msg] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()

    def __len__(self) -> int:
        return len(self._messages)

    async def receive(self, message: Msg) -> None:
        """The callback of the subscription."""
        if len(self._messages) >= self._max_messages or self._bytes + len(message.data) > self._max_bytes:
            self._messages.clear()
            self._bytes = 0
            self.interrupt()
            return
        self._messages.append(message)
        self._bytes += len(message.data)
        self._wake.set()

    def take(self) -> Msg | None:
        """The oldest message, or None."""
        if not self._messages:
            return None
        message = self._messages.popleft()
        self._bytes -= len(message.data)
        return message

    def interrupt(self) -> None:
        """Something may have been missed."""
        self.interruptions += 1
        self._wake.set()

    def wake(self) -> None:
        """End a wait: something has come that is no message."""
        self._wake.set()

    async def wait(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - an elapsed one is no error here
        """Until a message, an interruption, a `wake`, or the time (seconds) is over; spurious returns are possible."""
        self._wake.clear()
        if self._messages:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            return
