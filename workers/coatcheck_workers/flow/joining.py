"""Join the parts of the flow of results: one place makes them, and takes each message to its part."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

import msgspec
from nats.aio.msg import Msg

from coatcheck_core.layout import Layout, layout_of
from coatcheck_core.rules import Rules
from coatcheck_core.settings import ConfigError, Settings
from coatcheck_core.stub import Render, styles_of
from coatcheck_core.suspicion import is_suspect
from coatcheck_core.tokens import counter
from coatcheck_schemas.errors import CoatcheckError, InvalidResult
from coatcheck_schemas.events import EVENT_RESERVE_BYTES, MESSAGE_RESERVE_BYTES
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.results import decode_turn_end
from coatcheck_schemas.segments import EMPTY, encode_segment
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.flow.dead_letters import DeadLetters
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.edges import Edges
from coatcheck_workers.flow.failures import FailureLog
from coatcheck_workers.flow.fallback import Fallback
from coatcheck_workers.flow.finishing import Finishing, unpack_held
from coatcheck_workers.flow.overdue import Overdue
from coatcheck_workers.flow.results import Results
from coatcheck_workers.flow.settling import Settling
from coatcheck_workers.flow.telling_apart import TellingApart
from coatcheck_workers.flow.turns import Turns
from coatcheck_workers.flow.watching import Watching
from coatcheck_workers.keeping.late import Late, is_late
from coatcheck_workers.keeping.undoing import Undoing
from coatcheck_workers.streams.arriving import Arrived, unpack
from coatcheck_workers.streams.held import LETTER, TIMER, TRIES_HEADER, Held
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.ports import Kept, Log
from coatcheck_workers.uploads.consumed import Consumed
from coatcheck_workers.uploads.direct import Direct
from coatcheck_workers.uploads.known import Known
from coatcheck_workers.uploads.receiving import Receiving
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.taking import Taking

log = logging.getLogger("coatcheck.worker")


class Unusable(CoatcheckError):
    """The settings and the server do not go together; the message says what to change."""


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """What takes a message of COAT_RESULTS, and one of COAT_HELD that has fallen due."""

    subjects: Subjects
    results: Results
    turns: Turns
    fallback: Fallback
    settling: Settling
    failures: FailureLog
    late: Late
    held: Log
    longest_held_seconds: float
    rehearse: Callable[[Arrived], Awaitable[None]]
    watch: Watching

    @classmethod
    def join(cls, settings: Settings, edges: Edges) -> "Flow":
        """Raises Unusable where `budget.unit` or `stub.style` names no function."""
        subjects, publisher, now = Subjects(settings.nats.prefix), edges.publisher, edges.now
        max_message_bytes = edges.max_payload - MESSAGE_RESERVE_BYTES
        rules = Rules(
            settings=settings,
            keys=Keys(settings.storage.prefix),
            count=_count(settings),
            uri=edges.store.uri,
            max_event_bytes=edges.max_payload - EVENT_RESERVE_BYTES,
            layout=_layout(settings),
            render=_styles(settings),
            synopsize=edges.synopses.here,
        )
        late = Late(
            tombstones=edges.tombstones,
            undoing=Undoing(store=edges.store, keys=rules.keys, subjects=subjects, stubs=edges.stubs),
            retention_days=settings.storage.retention_days,
        )
        ledger = Ledger(publisher, edges.ledger, subjects, now, edges.tombstones)
        delivery = Delivery(
            rules=rules,
            subjects=subjects,
            store=edges.store,
            publisher=publisher,
            executor=edges.executor,
            synopses=edges.synopses,
            late=late,
            apart=TellingApart(
                rules=rules, subjects=subjects, store=edges.store, stubs=edges.stubs, ledger=ledger, late=late
            ),
            watch=edges.watch,
        )
        held = Held(publisher, edges.held, subjects, max_message_bytes, now)
        turns = Turns(
            delivery=delivery,
            ledger=ledger,
            held=held,
            finishing=Finishing(
                delivery=delivery,
                held=held,
                publisher=publisher,
                subjects=subjects,
                max_event_bytes=rules.max_event_bytes,
            ),
            results=edges.results,
            subjects=subjects,
            budget=settings.turn.inline_budget,
            deadline_seconds=settings.turn.deadline_seconds,
            now=now,
        )
        taking = Taking(
            store=edges.store,
            storage=settings.storage,
            executor=edges.pieces_executor,
            describer=edges.describer,
            spool_bytes=edges.spool_bytes,
        )
        seats = Seats(settings.worker.uploads)
        receiving = Receiving(
            subjects=subjects,
            keys=rules.keys,
            results=edges.results,
            chunks=edges.chunks,
            store=edges.store,
            taking=taking,
            direct=Direct(
                keys=rules.keys,
                store=edges.store,
                taking=taking,
                seats=seats,
                late=late,
                idle_seconds=settings.upload.idle_seconds,
                now=now,
            ),
            late=late,
            seats=seats,
            consumed=Consumed(subjects=subjects, publisher=publisher, ledger=edges.ledger),
            idle_seconds=settings.upload.idle_seconds,
            now=now,
            is_known=Known(subjects=subjects, ledger=ledger, stubs=edges.stubs).is_known,
        )
        dead_letters = DeadLetters(
            subjects=subjects,
            keys=rules.keys,
            store=edges.store,
            publisher=publisher,
            letters=edges.letters,
            delivery=delivery,
            turns=turns,
            max_bytes=max_message_bytes,
            said_apart=edges.said_apart,
            watch=edges.watch,
        )
        fallback = Fallback(
            delivery=delivery,
            turns=turns,
            dead_letters=dead_letters,
            letters=edges.letters,
            held=held,
            opens_upload=receiving.opens_upload,
            longest_delay_seconds=settings.storage.retry_max_seconds,
        )
        failures = FailureLog(publisher, edges.ledger, subjects, now)
        settling = Settling(
            dead_letters=dead_letters,
            fallback=fallback,
            failures=failures,
            receiving=receiving,
            longest_delay_seconds=settings.storage.retry_max_seconds,
            retry_seconds=settings.storage.retry_seconds,
            now=now,
            watch=edges.watch,
        )
        results = Results(receiving=receiving, delivery=delivery, turns=turns)
        return cls(
            subjects=subjects,
            results=results,
            turns=turns,
            fallback=fallback,
            settling=settling,
            failures=failures,
            late=late,
            held=edges.held,
            longest_held_seconds=max(settings.turn.deadline_seconds, settings.storage.retry_max_seconds),
            rehearse=edges.rehearse,
            watch=edges.watch,
        )

    async def on_result(self, message: Msg) -> None:
        """Take a result, or the end of a turn."""
        arrived = Arrived.from_message(message)
        is_end = message.subject.startswith(self.subjects.turn_ends)
        handling = self._end(message) if is_end else self._handle(message, arrived)
        with self.watch.handling("results", arrived):
            await self.settling.settle(message, arrived, handling)

    async def on_due(self, message: Msg) -> None:
        """Take what was held and has fallen due."""
        arrived = _held_in(message)
        with self.watch.handling("held", arrived):
            await self.settling.settle(message, arrived, self._fall_due(message, arrived))

    async def _handle(self, message: Msg, arrived: Arrived) -> None:
        await self._examine_suspect(message, arrived)
        await self.results.handle(arrived, without_store=await self._store_failed_long(message, arrived))

    async def _store_failed_long(self, message: Msg, arrived: Arrived) -> bool:
        """Whether an upload has waited for the store for `storage.retry_seconds`."""
        if message.metadata.num_delivered == 1 or not self.results.receiving.opens_upload(arrived):
            return False
        known = await self.failures.of(message.metadata.stream, message.metadata.sequence.stream)
        return known is not None and self.settling.is_overdue(known)

    async def _examine_suspect(self, message: Msg, arrived: Arrived) -> None:
        """Raises WorkerKilled where the message kills."""
        deliveries = message.metadata.num_delivered
        if not is_suspect(deliveries, own_failures=0):
            return
        known = await self.failures.of(message.metadata.stream, message.metadata.sequence.stream)
        if is_suspect(deliveries, own_failures=0 if known is None else known.total):
            await self.rehearse(arrived)

    async def _end(self, message: Msg) -> None:
        at = self.subjects.parse_turn_end(message.subject)
        end, _ = decode_turn_end(message.data)
        if at.turn == EMPTY:
            raise InvalidResult("invalid_field", "results without a turn belong to no turn that could end")
        _check_id(end.session_id, at.session, "session_id")
        _check_id(end.turn_id, at.turn, "turn_id")
        await self.late.check(at.session, None, message.metadata.timestamp)
        await self.turns.end(at, end, message.metadata.sequence.stream, message.metadata.num_delivered)

    @property
    def overdue(self) -> Overdue:
        """What looks for what should have come to `on_due` long ago."""
        return Overdue(self.held, self.subjects.everything_held, self.longest_held_seconds, self._take_overdue)

    async def _take_overdue(self, kept: Kept, at: datetime) -> None:
        due = self.subjects.due_of(kept.subject)
        arrived = Arrived(subject=due, headers=None, body=b"", received_at=at)
        with self.watch.handling("held", arrived):
            await self._try_overdue(kept, due, at)

    async def _try_overdue(self, kept: Kept, due: str, at: datetime) -> None:
        turn, kind, name = self.subjects.parse_due(due)
        try:
            await self._take_due(due, kept.headers, kept.body, at)
        except InvalidResult as error:
            if not is_late(error):
                raise
            await self.settling.refuse(unpack_held(kept.body), f"{self.subjects.stream('held')}-{kept.sequence}", error)
            await self.held.purge(kept.subject, kept.sequence)
            return
        if kind == LETTER or await self.turns.is_done(turn, name):
            await self.held.purge(kept.subject, kept.sequence)

    async def _fall_due(self, message: Msg, arrived: Arrived) -> None:
        _, kind, name = self.subjects.parse_due(message.subject)
        if kind != LETTER and name != TIMER:
            await self._examine_suspect(message, arrived)
        await self._take_due(message.subject, message.headers or {}, message.data, message.metadata.timestamp)

    async def _take_due(self, subject: str, headers: Mapping[str, str], body: bytes, due_at: datetime) -> None:
        at, kind, name = self.subjects.parse_due(subject)
        if name == TIMER:
            try:
                await self.late.check(at.session, None, due_at)
            except InvalidResult as gone:
                log.info("the timer of turn %s does nothing: %s", at.turn, gone)
                return
        if kind != LETTER:
            await self.turns.fall_due(at, name, body, due_at)
            return
        letter = _number(name)
        if letter:
            await self.fallback.try_letter(at, letter, _number(headers.get(TRIES_HEADER, "")) or 1)


def _number(text: str) -> int:
    """0 where it is none that a stream could have for a sequence."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _held_in(message: Msg) -> Arrived:
    """The result that a held message bears; of a timer the message itself."""
    if message.subject.rpartition(".")[2] != TIMER and message.data:
        try:
            return unpack(message.data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
    return Arrived.from_message(message)


def _check_id(given: str | None, segment: str, name: str) -> None:
    if given is not None and encode_segment(given) != segment:
        raise InvalidResult("id_mismatch", f"{name} {given[:200]!r} does not belong under the segment {segment}")


def _count(settings: Settings) -> Callable[[str], int]:
    try:
        return counter(settings.budget.unit)
    except ValueError as error:
        raise Unusable(str(error)) from error


def _layout(settings: Settings) -> Layout:
    try:
        return layout_of(settings.storage.layout, Keys(settings.storage.prefix))
    except ConfigError as error:
        raise Unusable(str(error)) from error


def _styles(settings: Settings) -> Render:
    try:
        return styles_of(settings, log.error)
    except ValueError as error:
        raise Unusable(str(error)) from error
