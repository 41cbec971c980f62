"""The one place that turns what became of a message into ack, retry with a growing delay, or dead letter.

handled                              ack
Later                                nak with its delay: no failure
InvalidInput                         dead letter with the reason, `failed` stub, term: no retry can mend it
late: deleted after it had come      the same, with an empty letter
NotTaken                             nak with a growing delay, for as long as the store is away
NotKept                              nak with a growing delay; after `storage.retry_seconds` as `on_store_failure` says,
                                     the result safe in a dead letter: ack; else it stays, with the longest delay
StoreError, PublishError             nak with a growing delay, for ever: nothing is lost
WorkerKilled                         nak likewise; the second time dead letter `killed_worker`
anything else                        nak likewise; after a few failures of its own, dead letter `internal`
cancelled at the end of the grace    nothing: the message is handed back by who cancels
"""

import logging
import random
from collections.abc import Awaitable
from typing import Any

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from coatcheck_core.failure import KILLED_WORKER, keeps_pieces
from coatcheck_core.retry import retry_delay
from coatcheck_schemas.errors import InvalidInput, InvalidResult, InvalidSubject, StoreError
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.flow.dead_letters import DeadLetters
from coatcheck_workers.flow.delivery import NotKept
from coatcheck_workers.flow.failures import FailureLog, Failures
from coatcheck_workers.flow.fallback import Fallback
from coatcheck_workers.flow.watching import Unwatched, Watching
from coatcheck_workers.isolation import WorkerKilled
from coatcheck_workers.keeping.late import is_late
from coatcheck_workers.process.recurring import Kind, Recurring, letters
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.letters import STORE_FAILURE
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.uploads.opening import NotTaken
from coatcheck_workers.uploads.receiving import Receiving

log = logging.getLogger("coatcheck.results")

MAX_UNEXPECTED_FAILURES = 8
"""A result whose handling fails so often for a reason nobody foresaw is set aside, so that somebody looks at it."""
MAX_KILLED = 2
"""A result that has killed so many of the processes that decided it alone is set aside."""
ACK_SECONDS = 2.0
"""How long the server is waited for to say that it has let go of the event of an upload."""


_HELD = "what was held"
"""In place of a stream, where a letter is of no message that is settled."""


class Settling(msgspec.Struct, frozen=True, kw_only=True):
    """Settles each message, by what came of its handling and of its own failures before."""

    dead_letters: DeadLetters
    fallback: Fallback
    failures: FailureLog
    receiving: Receiving
    longest_delay_seconds: float
    retry_seconds: float
    retries: Recurring = msgspec.field(default_factory=lambda: Recurring(log.warning))
    told_letters: Recurring = msgspec.field(default_factory=lambda: Recurring(log.error, words=letters))
    now: Clock = utc_now
    watch: Watching = Unwatched()

    async def settle(self, message: Msg, arrived: Arrived, handling: Awaitable[Any]) -> None:
        """Await the handling and settle the message; `arrived` is what it bears: a result, or the event of one."""
        try:
            await handling
        except Later as later:
            await message.nak(delay=later.seconds)
        except InvalidInput as error:
            await self._set_aside(message, arrived, error, await self._failed(message))
        except NotKept as error:
            await self._do_without_store(message, arrived, error, await self._failed(message, store=True))
        except NotTaken as error:
            await self._retry(message, error, await self._failed(message, store=True))
        except (StoreError, PublishError) as error:
            await self._retry(message, error, await self._failed(message))
        except WorkerKilled as error:
            failed = await self._failed(message, killed=True)
            await self._retry_or_set_aside(message, arrived, error, failed, failed.killed >= MAX_KILLED)
        except Exception as error:
            log.exception("a result could not be handled: %r", message.subject)
            failed = await self._failed(message, unexpected=True)
            is_hopeless = failed.unexpected >= MAX_UNEXPECTED_FAILURES
            await self._retry_or_set_aside(message, arrived, error, failed, is_hopeless)
        else:
            await self._succeeded(message, arrived)

    async def refuse(self, arrived: Arrived, message_id: str, error: InvalidInput) -> None:
        """Tell what can never be processed, where there is no message to settle."""
        await self.dead_letters.set_aside(arrived, message_id, _reason(error), str(error), attempts=1)
        self.watch.dead_letter(_reason(error))
        self._tell_of_letter(_HELD, f"dead letter: {arrived.subject!r}: {error}", error, arrived.subject)

    def is_overdue(self, failed: Failures) -> bool:
        """Whether the store has failed the message for as long as it is tried."""
        return (self.now() - (failed.store_since or failed.first_at)).total_seconds() >= self.retry_seconds

    async def _succeeded(self, message: Msg, arrived: Arrived) -> None:
        """A message that failed before may have been given up by a worker that died before it let go of it."""
        try:
            if message.metadata.num_delivered > 1 and await self.failures.of(*_place(message)) is not None:
                await self.fallback.withdraw(arrived, _message_id(message))
            await self.receiving.note(arrived)
        except PublishError as error:
            await self._retry(message, error, await self._failed(message))
            return
        self.failures.forget(*_place(message))
        if self.receiving.opening(arrived) is None:
            await message.ack()
        else:
            await self._let_go(message, arrived)

    async def _let_go(self, message: Msg, arrived: Arrived) -> None:
        """What is left of its pieces tells a redelivery that there is nothing to do: it goes after the event."""
        try:
            await message.ack_sync(timeout=ACK_SECONDS)
            await self.receiving.forget(arrived)
        except (NatsError, TimeoutError) as error:
            log.warning("%r comes again, if its ack was lost: %r", message.subject, error)
        except PublishError as error:
            log.warning("what is left of the pieces of %r goes by its age: %s", message.subject, error)

    async def _failed(
        self, message: Msg, *, store: bool = False, unexpected: bool = False, killed: bool = False
    ) -> Failures:
        return await self.failures.add(*_place(message), store=store, unexpected=unexpected, killed=killed)

    async def _retry(self, message: Msg, error: Exception, failed: Failures) -> None:
        delay = retry_delay(failed.total, self.longest_delay_seconds, random.random())  # noqa: S311 - spreads, hides nothing
        told = f"{message.subject!r} failed, try {failed.total}, again in {delay:.1f} s: {error}"
        log.debug(told)
        self.retries.happened(Kind(_place(message)[0], type(error).__name__), told, message.subject)
        self.watch.retried(_place(message)[0], error)
        await message.nak(delay=delay)

    async def _retry_or_set_aside(
        self, message: Msg, arrived: Arrived, error: Exception, failed: Failures, is_hopeless: bool
    ) -> None:
        if is_hopeless:
            await self._set_aside(message, arrived, error, failed)
        else:
            await self._retry(message, error, failed)

    async def _do_without_store(self, message: Msg, arrived: Arrived, error: NotKept, failed: Failures) -> None:
        if not self.is_overdue(failed):
            await self._retry(message, error, failed)
            return
        try:
            is_safe = await self.fallback.give_up(arrived, error, _message_id(message), failed.total)
        except Later as later:
            await message.nak(delay=later.seconds)
            return
        except InvalidInput as wrong:
            await self._set_aside(message, arrived, wrong, failed)
            return
        except Exception as trouble:
            if not isinstance(trouble, StoreError | PublishError):
                log.exception("the store's failure could not be told: %r", message.subject)
            await self._retry(message, trouble, failed)
            return
        if is_safe:
            self.watch.dead_letter(STORE_FAILURE)
            self._tell_of_letter(
                _place(message)[0],
                f"dead letter, to be stored later: {message.subject!r}: {error}",
                error,
                arrived.subject,
            )
            await message.ack()
        else:
            await message.nak(delay=self.longest_delay_seconds)

    async def _set_aside(self, message: Msg, arrived: Arrived, error: Exception, failed: Failures) -> None:
        """Dead letter, `failed` stub, term; where any of it is refused the message stays in the queue."""
        # What nobody foresaw may quote anything: its text stays in the log.
        is_ours = isinstance(error, InvalidInput | WorkerKilled)
        told = str(error) if is_ours else f"internal error ({type(error).__name__})"
        try:
            if await self.receiving.is_gone(arrived, message.metadata.sequence.stream):
                log.info("%r was handled by another worker", message.subject)
                return
            await self.dead_letters.set_aside(arrived, _message_id(message), _reason(error), told, failed.total)
            if is_late(error):
                await self.receiving.free(arrived)
            elif not keeps_pieces(_reason(error)):
                # Where this dies before the event is out of the queue, another finds no pieces and says the same again.
                await self.receiving.forget(arrived)
        except Later as later:
            await message.nak(delay=later.seconds)
            return
        except Exception as trouble:
            if not isinstance(trouble, StoreError | PublishError):
                log.exception("a dead letter could not be written: %r", message.subject)
            await self._retry(message, trouble, failed)
            return
        self.failures.forget(*_place(message))
        self.watch.dead_letter(_reason(error))
        self._tell_of_letter(_place(message)[0], f"dead letter: {message.subject!r}: {error}", error, message.subject)
        await message.term()

    def _tell_of_letter(self, stream: str, told: str, error: Exception, subject: str) -> None:
        """Anybody makes as many of them as messages: their stream has each, the log the first and how many came."""
        log.debug(told)
        self.told_letters.happened(Kind(stream, type(error).__name__), told, subject)


def _place(message: Msg) -> tuple[str, int]:
    return message.metadata.stream, message.metadata.sequence.stream


def _message_id(message: Msg) -> str:
    stream, sequence = _place(message)
    return f"{stream}-{sequence}"


def _reason(error: Exception) -> str:
    if isinstance(error, InvalidResult):
        return error.reason
    if isinstance(error, WorkerKilled):
        return KILLED_WORKER
    return "invalid_subject" if isinstance(error, InvalidSubject) else "internal"
