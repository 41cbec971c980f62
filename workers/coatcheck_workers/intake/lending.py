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


IN_HAND: ContextVar[tuple[Lender, Msg] | None] = ContextVar("in_hand", default=None)


@contextmanager
def lending() -> Iterator[None]:
    """While what is within takes long, the place of the message in hand is lent."""
    in_hand = IN_HAND.get()
    if in_hand is None:
        yield
        return
    lender, message = in_hand
    timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, lender.lend, message)
    try:
        yield
    finally:
        timer.cancel()
        lender.take_back(message)
