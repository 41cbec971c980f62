"""The one place that turns what became of a result into ack, retry with a growing delay, or dead letter.

handled                              ack
InvalidInput                         dead letter with the reason, `failed` stub, term: no retry can mend it
StoreError, PublishError             nak with a growing delay, for ever: nothing is lost
anything else                        nak likewise; after a few failures of its own, dead letter `internal`
cancelled at the end of the grace    nothing: the message is handed back by who cancels
"""

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from coatcheck_core.failure import BODY_HEADER, failed_event, letter_headers
from coatcheck_core.retry import retry_delay
from coatcheck_schemas.errors import InvalidInput, InvalidResult, InvalidSubject, StoreError
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import NOWHERE, Subjects
from coatcheck_workers.publishing import Publisher, PublishError

log = logging.getLogger("coatcheck.results")

MAX_UNEXPECTED_FAILURES = 8
"""A result whose handling fails so often for a reason nobody foresaw is set aside, so that somebody looks at it."""
_REMEMBERED = 10_000


class Failures(msgspec.Struct, frozen=True):
    """Of one message. Only the unexpected ones make it a dead letter: a store that was away long is none of them."""

    total: int = 0
    unexpected: int = 0


class Settling(msgspec.Struct, kw_only=True):
    """Settles each message; remembers the failures of those that it sent back, at most so many."""

    client: Client
    subjects: Subjects
    keys: Keys
    store: Store
    publisher: Publisher
    ack_wait_seconds: float
    longest_delay_seconds: float
    failures: OrderedDict[int, Failures] = msgspec.field(default_factory=OrderedDict)

    async def settle(self, message: Msg, handling: Awaitable[Any]) -> None:
        """Await the handling and settle the message by what comes of it."""
        with _heartbeat(message, self.ack_wait_seconds / 3):
            try:
                await handling
            except InvalidInput as error:
                await self._set_aside(message, error, self._failed(message))
            except (StoreError, PublishError) as error:
                await self._retry(message, error, self._failed(message))
            except Exception as error:
                log.exception("a result could not be handled: %r", message.subject)
                failed = self._failed(message, unexpected=True)
                if failed.unexpected >= MAX_UNEXPECTED_FAILURES:
                    await self._set_aside(message, error, failed)
                else:
                    await self._retry(message, error, failed)
            else:
                self.failures.pop(_sequence(message), None)
                await message.ack()

    def _failed(self, message: Msg, *, unexpected: bool = False) -> Failures:
        before = self.failures.pop(_sequence(message), Failures())
        failed = Failures(total=before.total + 1, unexpected=before.unexpected + unexpected)
        self.failures[_sequence(message)] = failed
        if len(self.failures) > _REMEMBERED:
            self.failures.popitem(last=False)
        return failed

    async def _retry(self, message: Msg, error: Exception, failed: Failures) -> None:
        delay = retry_delay(failed.total, self.longest_delay_seconds, random.random())  # noqa: S311 - spreads, hides nothing
        log.warning("%r failed, try %d, again in %.1f s: %s", message.subject, failed.total, delay, error)
        await message.nak(delay=delay)

    async def _set_aside(self, message: Msg, error: Exception, failed: Failures) -> None:
        """Dead letter, `failed` stub, term, in this order; where either is refused the message stays in the queue."""
        try:
            await self._dead_letter(message, error, failed.total)
        except Exception as trouble:
            if not isinstance(trouble, StoreError | PublishError):
                log.exception("a dead letter could not be written: %r", message.subject)
            await self._retry(message, trouble, failed)
            return
        self.failures.pop(_sequence(message), None)
        log.error("dead letter: %r: %s", message.subject, error)
        await message.term()

    async def _dead_letter(self, message: Msg, error: Exception, attempts: int) -> None:
        address = NOWHERE
        with suppress(InvalidSubject):
            address = self.subjects.parse_result(message.subject)
        message_id = f"{message.metadata.stream}-{_sequence(message)}"
        # What nobody foresaw may quote anything: its text stays in the log.
        told = str(error) if isinstance(error, InvalidInput) else f"internal error ({type(error).__name__})"
        headers = letter_headers(
            message.headers,
            message_id=message_id,
            subject=message.subject,
            reason=_reason(error),
            error=told,
            attempts=attempts,
        )
        body = message.data
        size = len(body) + sum(len(name) + len(value.encode()) + 4 for name, value in headers.items())
        if size > self.client.max_payload - MESSAGE_RESERVE_BYTES:
            key = self.keys.dead_letter(address.session, message_id)
            await self.store.put(key, body)
            headers[BODY_HEADER], body = self.store.uri(key), b""
        await self.publisher.message(self.subjects.dlq(address), body, headers)
        if address is not NOWHERE:
            event = failed_event(address, told, message.metadata.timestamp)
            subject = self.subjects.stubs(address.session, address.turn, failed_id(address.call))
            await self.publisher.once(subject, msgspec.json.encode(event))


@contextmanager
def _heartbeat(message: Msg, every_seconds: float) -> Iterator[None]:
    """Tell the server that the work goes on: a short ack_wait finds a dead worker soon, and spares a slow one."""
    loop = asyncio.get_running_loop()
    telling: set[asyncio.Task[None]] = set()
    timer: asyncio.TimerHandle

    def beat() -> None:
        nonlocal timer
        task = loop.create_task(_tell(message))
        telling.add(task)
        task.add_done_callback(telling.discard)
        timer = loop.call_later(every_seconds, beat)

    timer = loop.call_later(every_seconds, beat)
    try:
        yield
    finally:
        timer.cancel()


async def _tell(message: Msg) -> None:
    if not message.is_acked:
        with suppress(NatsError):  # away from the server: the message comes again after ack_wait
            await message.in_progress()


def _sequence(message: Msg) -> int:
    return message.metadata.sequence.stream


def _reason(error: Exception) -> str:
    if isinstance(error, InvalidResult):
        return error.reason
    return "invalid_subject" if isinstance(error, InvalidSubject) else "internal"
