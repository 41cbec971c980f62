"""Which message a task works on, so that deep inside its flow it can lend its place while it waits."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from nats.aio.msg import Msg

PATIENCE_SECONDS = 0.25
"""What object storage usually answers within; who waits longer lends its place to results that need no store."""


class Lender(Protocol):
    def lend(self, message: Msg) -> None: ...

    def take_back(self, message: Msg) -> None: ...


class InHand:
    """A message that is worked on. Its work may wait in several places at once: only the last takes its place back."""

    def __init__(self, lender: Lender, message: Msg) -> None:
        self._lender = lender
        self._message = message
        self._waiting = 0

    def wait(self) -> None:
        self._waiting += 1
        self._lender.lend(self._message)

    def go_on(self) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._lender.take_back(self._message)


IN_HAND: ContextVar[InHand | None] = ContextVar("in_hand", default=None)


@contextmanager
def lending() -> Iterator[None]:
    """While what is within takes long, the place of the message in hand is lent."""
    in_hand = IN_HAND.get()
    if in_hand is None:
        yield
        return
    waits = False

    def wait() -> None:
        nonlocal waits
        waits = True
        in_hand.wait()

    timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, wait)
    try:
        yield
    finally:
        timer.cancel()
        if waits:
            in_hand.go_on()
