"""A result into its stream, exactly once: a publish whose acknowledgement is lost is repeated under the same id."""

import asyncio
import logging

import msgspec
import nats.errors

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.subjects import Subjects

from .connection import Connection
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
_FULL = "maximum"


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A result that its stream has taken.

    `result_id` is what it is known by wherever it ends up; `sequence` its place in the stream; `duplicate` says that
    the stream had it already, from a try whose acknowledgement was lost.
    """

    call_id: str
    result_id: str
    subject: str
    message_id: str
    sequence: int
    duplicate: bool


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


async def send(connection: Connection, subjects: Subjects, message: Outgoing, seconds: float) -> Published:
    """Publish a result; raises as `store` does."""
    subject = subjects.results(message.at)
    ack = await store(connection, subject, message.headers, message.body, seconds)
    return Published(
        call_id=message.call_id,
        result_id=message.result_id,
        subject=subject,
        message_id=message.message_id,
        sequence=ack.seq,
        duplicate=ack.duplicate,
    )


async def store(connection: Connection, subject: str, headers: dict[str, str], body: bytes, seconds: float) -> Ack:
    """Publish, and again where it is not known whether the stream has it: `headers` bear the message id that tells.

    Raises RequestError that says what to do.
    """
    clock = asyncio.get_running_loop().time
    start = clock()
    delay = FIRST_DELAY
    while True:
        left = start + seconds - clock()
        problem, patience = await _try(connection, subject, headers, body, min(TRY_SECONDS, max(left, 0.001)))
        if isinstance(problem, Ack):
            return problem
        if clock() + delay - start >= min(seconds, patience):
            raise problem
        logger.info("publishing to %s is tried again: %s", subject, problem)
        await asyncio.sleep(delay)
        delay = min(delay * 2, LONGEST_DELAY)


async def _try(
    connection: Connection, subject: str, headers: dict[str, str], body: bytes, seconds: float
) -> tuple[Ack, float] | tuple[RequestError, float]:
    """The acknowledgement; or the error, and how many seconds after the first try another may still help."""
    try:
        answer = await connection.request(subject, body, headers, timeout=seconds)
    except nats.errors.NoRespondersError:
        why = f"no stream takes {subject}: run `coatcheck up` or `coatcheck provision`; or is nats.prefix another?"
        return RequestError(Code.UNAVAILABLE, why), ELECTION_SECONDS if connection.is_clustered else NO_STREAM_SECONDS
    except TimeoutError:
        why = f"no acknowledgement of {subject}: NATS may be overloaded or away; the result may be there all the same"
        return RequestError(Code.UNAVAILABLE, why), float("inf")
    except RequestError as error:
        if error.code is Code.TOO_LARGE or error.details or connection.closed is not None:
            raise
        return error, float("inf")
    try:
        ack = msgspec.json.decode(answer.data, type=Ack)
    except msgspec.DecodeError:
        why = f"what answers on {subject} is no stream: check nats.prefix and who subscribes to results"
        raise RequestError(Code.INTERNAL, why) from None
    if ack.error is not None:
        return _refusal(ack.error, subject), float("inf") if ack.error.code in _BUSY and not _full(ack.error) else 0.0
    return ack, 0.0


def _full(error: _ApiError) -> bool:
    return _FULL in error.description


def _refusal(error: _ApiError, subject: str) -> RequestError:
    if _full(error):
        why = (
            f"the stream of {subject} is full ({error.description}) and takes nothing more until workers have caught "
            "up: start more (`coatcheck worker`), or raise streams.results.max_bytes"
        )
    else:
        why = f"the stream refuses {subject}: {error.description or error.code} ({error.err_code})"
    return RequestError(Code.UNAVAILABLE, why)
