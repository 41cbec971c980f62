"""A result in pieces, from the event that opens it to the message that ends it."""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple
from uuid import uuid4

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.pieces import clip_reason
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.subjects import Subjects

from .connection import Connection, header_bytes
from .encoding import Envelope, Outgoing, encode_opening
from .persisting import Progress, persist
from .pieces import Pieces
from .sending import Ack, Published, fits, published
from .submitting import Awaited

logger = logging.getLogger("coatcheck")

DRAIN_SECONDS = 5.0
GIVE_UP_SECONDS = 5.0
"""How long a producer that gives up tries to say so; without it its pieces wait until workers take them for dead."""


class Edges(NamedTuple):
    """What a result acts on; `awaited` makes what waits for its stub."""

    connection: Connection
    subjects: Subjects
    awaited: Callable[[Envelope], Awaited]


class Upload:
    """Opened by `open`, which publishes its event; what follows goes by `pieces`, until `end` or `give_up` says so.

    `known` is what it will be known by, where that is not of its bytes.
    """

    def __init__(self, edges: Edges, envelope: Envelope, progress: Progress, known: Outgoing | None = None) -> None:
        self.id = uuid4().hex
        self.is_open = False
        self.is_ended = False
        self.pieces = Pieces(edges.connection, edges.subjects.chunks(envelope.at, self.id), self.id, progress)
        self.awaited = edges.awaited(envelope)
        self._edges = edges
        self._known = known
        self._envelope = envelope
        self._progress = progress
        self._opened = Ack()

    async def open(self) -> None:
        """Raises RequestError; the event may be there all the same."""
        headers, body = encode_opening(self._envelope, self.id)
        await self.awaited.hear_failure()
        subject = self._edges.subjects.results(self._envelope.at)
        self._progress.renew()
        self._opened = await persist(self._edges.connection, subject, headers, body, self._progress)
        self.is_open = True

    @property
    def result(self) -> Outgoing:
        """What was sent until now, as one result."""
        at = self._envelope.at
        return Outgoing(
            at=at,
            call_id=self._envelope.call_id,
            message_id=self._envelope.message_id,
            result_id=self._known.result_id if self._known else result_id(at.call, self.pieces.sha256),
            twin=self._known.twin if self._known else None,
            headers={},
            body=b"",
        )

    async def end(self, *, is_error: bool, failure: str | None) -> Published:
        """Say that this is all, or why it is not. Raises RequestError."""
        self.is_ended = True
        told = self._unsaid(is_error)
        if failure is None:
            await self.pieces.finish(is_error=told)
        else:
            await self.pieces.fail(failure, is_error=told)
        done = published(self.result, self._edges.subjects.results(self._envelope.at), self._opened)
        return msgspec.structs.replace(done, upload=self.id)

    async def give_up(self, error: BaseException, rest: bytes | None, *, is_error: bool, failure: str | None) -> None:
        """Say that no more comes and why, unless it has ended: nobody is to wait. `rest` is still worth keeping."""
        if self.is_ended:
            return
        self.is_ended = True
        try:
            await self._save(rest)
            async with asyncio.timeout(GIVE_UP_SECONDS):
                await self.pieces.fail(failure or _reason(error), is_error=self._unsaid(is_error))
        except (RequestError, TimeoutError) as problem:
            call = self._envelope.call_id[:100]
            logger.warning("that the result of call %r failed could not be told: %s", call, problem)

    async def close(self) -> None:
        """Send and hear nothing any more."""
        await self.pieces.cancel()
        await self.awaited.close()

    async def _save(self, rest: bytes | None) -> None:
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                if rest and self.pieces.failure is None:
                    await self.pieces.send(rest)
                await self.pieces.drain()
        except (RequestError, TimeoutError):
            await self.pieces.cancel()

    def _unsaid(self, is_error: bool) -> bool | None:
        """What the opening event has not said of it."""
        return None if is_error == bool(self._envelope.event.get("is_error")) else is_error


def check_opening(edges: Edges, envelope: Envelope) -> None:
    """Raises InvalidInput for fields that a worker would refuse, RequestError where no message carries them."""
    headers, body = encode_opening(envelope, uuid4().hex)
    if fits(edges.connection, headers, body):
        return
    size, most = len(body) + header_bytes(headers), edges.connection.max_payload - MESSAGE_RESERVE_BYTES
    raise RequestError(
        Code.TOO_LARGE,
        f"without its content the result has {size} bytes, more than the {most} that one NATS message carries here: "
        "shorten arguments, structured_content and ids, or raise max_payload at the NATS server",
        bytes=size,
        max_bytes=most,
    )


def _reason(error: BaseException) -> str:
    """The error's type and message: a traceback would show more of the producer than it wants to tell."""
    if isinstance(error, asyncio.CancelledError):
        return "the producer was cancelled"
    return clip_reason(f"{type(error).__name__}: {error}")
