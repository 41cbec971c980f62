"""A result into its stream, exactly once: a publish whose acknowledgement is lost is repeated under the same id."""

import asyncio
import logging
from typing import Literal, NamedTuple

import msgspec
import nats.errors

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.subjects import Subjects

from .connection import Connection, header_bytes
from .encoding import Outgoing

logger = logging.getLogger("coatcheck")

PUBLISH_SECONDS = 30.0
TRY_SECONDS = 5.0
NO_STREAM_SECONDS = 2.0
"""A server that has just started may not have its streams yet."""
ELECTION_SECONDS = 20.0
"""In a cluster nothing takes what a stream's dead leader took until it is missed, 4 to 9 s, and another is voted."""
FIRST_DELAY = 0.1
LONGEST_DELAY = 2.0

_BUSY = frozenset({429, 503})
_FULL = ("maximum bytes", "maximum messages")
"""What a full stream says; a message that is larger than a stream takes "exceeds maximum allowed"."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A result that its stream has taken.

    `result_id` is what it is known by wherever it ends up; `sequence` its place in the stream; `duplicate` says that
    the stream had it already, from a try whose acknowledgement was lost. `upload` is the name under which its content
    came apart from its event.
    """

    call_id: str
    result_id: str
    subject: str
    message_id: str
    sequence: int
    duplicate: bool
    upload: str | None = None


class _ApiError(msgspec.Struct, frozen=True, kw_only=True):
    code: int = 0
    err_code: int = 0
    description: str = ""


class Ack(msgspec.Struct, frozen=True, kw_only=True):
    """A stream's acknowledgement: the message's place in it, and whether the stream had it already."""

    stream: str = ""
    seq: int = 0
    duplicate: bool = False
    error: _ApiError | None = None


class Refused(NamedTuple):
    """Why a try led to no acknowledgement, as an error that says what to do; `why` tells whether time may mend it."""

    error: RequestError
    why: Literal["full", "busy", "no_stream", "no_answer", "refused"]


async def send(connection: Connection, subjects: Subjects, message: Outgoing, seconds: float) -> Published:
    """Publish a result; raises as `store` does."""
    subject = subjects.results(message.at)
    ack = await store(connection, subject, message.headers, message.body, seconds)
    return published(message, subject, ack)


def published(message: Outgoing, subject: str, ack: Ack) -> Published:
    """What is known of a result that its stream has acknowledged."""
    return Published(
        call_id=message.call_id,
        result_id=message.result_id,
        subject=subject,
        message_id=message.message_id,
        sequence=ack.seq,
        duplicate=ack.duplicate,
    )


def fits(connection: Connection, headers: dict[str, str], body: bytes) -> bool:
    """Whether one message carries it, and leaves room for the headers that it may get on its way."""
    return len(body) + header_bytes(headers) <= connection.max_payload - MESSAGE_RESERVE_BYTES


async def store(connection: Connection, subject: str, headers: dict[str, str], body: bytes, seconds: float) -> Ack:
    """Publish, and again where it is not known whether the stream has it: `headers` bear the message id that tells.

    Raises RequestError that says what to do.
    """
    clock = asyncio.get_running_loop().time
    start = clock()
    delay = FIRST_DELAY
    while True:
        left = start + seconds - clock()
        answer = await attempt(connection, subject, headers, body, min(TRY_SECONDS, max(left, 0.001)))
        if isinstance(answer, Ack):
            return answer
        if clock() + delay - start >= min(seconds, _patience(answer, connection)):
            raise answer.error
        logger.info("publishing to %s is tried again: %s", subject, answer.error)
        await asyncio.sleep(delay)
        delay = min(delay * 2, LONGEST_DELAY)


def _patience(refused: Refused, connection: Connection) -> float:
    """How many seconds after the first try another may still help."""
    if refused.why == "no_stream":
        return stream_seconds(connection)
    return float("inf") if refused.why in ("busy", "no_answer") else 0.0


def stream_seconds(connection: Connection) -> float:
    """How long a stream may be missing that was there, or is about to be."""
    return ELECTION_SECONDS if connection.is_clustered else NO_STREAM_SECONDS


async def attempt(
    connection: Connection, subject: str, headers: dict[str, str], body: bytes, seconds: float
) -> Ack | Refused:
    """One try of so many seconds. Raises RequestError where no further one can help."""
    try:
        answer = await connection.request(subject, body, headers, timeout=seconds)
    except nats.errors.NoRespondersError:
        why = f"no stream takes {subject}: run `coatcheck up` or `coatcheck provision`; or is nats.prefix another?"
        return Refused(RequestError(Code.UNAVAILABLE, why), "no_stream")
    except TimeoutError:
        why = f"no acknowledgement of {subject}: NATS may be overloaded or away; the result may be there all the same"
        return Refused(RequestError(Code.UNAVAILABLE, why), "no_answer")
    except RequestError as error:
        if error.code is Code.TOO_LARGE or error.details or connection.closed is not None:
            raise
        return Refused(error, "no_answer")
    try:
        ack = msgspec.json.decode(answer.data, type=Ack)
    except msgspec.DecodeError:
        why = f"what answers on {subject} is no stream: check nats.prefix and who subscribes to results"
        raise RequestError(Code.INTERNAL, why) from None
    return ack if ack.error is None else _refusal(ack.error, subject)


def _refusal(error: _ApiError, subject: str) -> Refused:
    if error.description.startswith(_FULL):
        name = "chunks" if subject.split(".")[1] == "chunks" else "results"
        text = (
            f"the stream of {subject} is full ({error.description}) and takes nothing more until workers have caught "
            f"up: start more (`coatcheck worker`), or raise streams.{name}.max_bytes; `coatcheck doctor` says who "
            "fills it"
        )
        return Refused(RequestError(Code.UNAVAILABLE, text), "full")
    text = f"the stream refuses {subject}: {error.description or error.code} ({error.err_code})"
    return Refused(RequestError(Code.UNAVAILABLE, text), "busy" if error.code in _BUSY else "refused")
