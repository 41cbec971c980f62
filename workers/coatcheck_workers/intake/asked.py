"""A request as it came, and what refuses it."""

from typing import NamedTuple

from nats.aio.msg import Msg


class Asked(NamedTuple):
    """A request; `since` is when it came, `began` when its turn came, by `time.perf_counter`.

    The event loop's clock is for deadlines: uvloop's has steps of a millisecond and stands still within one round.
    """

    message: Msg
    since: float
    began: float | None = None


class Refusal(NamedTuple):
    body: bytes
    headers: dict[str, str]


def verb_of(subject: str) -> str:
    """Of the pattern `PREFIX.VERB.*`, or of `PREFIX.fs.*.*`."""
    return subject.split(".", 2)[1]


def session_of(subject: str) -> str:
    """The segment after the verb, which nobody has checked yet: here it only says who shares a turn."""
    return subject.split(".", 3)[2]


def size_of(message: Msg) -> int:
    """Of body and headers, as far as it matters for memory."""
    headers = message.headers or {}
    return len(message.data) + sum(len(name) + len(value) for name, value in headers.items())
