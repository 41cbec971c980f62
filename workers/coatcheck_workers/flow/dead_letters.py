"""Write dead letters: what cannot be processed, whole, with the reason; nobody waits for it in vain."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from coatcheck_core.failure import KILLED_WORKER, failed_entry, failed_event, letter_headers
from coatcheck_schemas.errors import InvalidSubject
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.letters import BODY_HEADER
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.said import Said
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import NOWHERE, CallAddress, Subjects
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.turns import Turns
from coatcheck_workers.flow.watching import Unwatched, Watching
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.letters import DELETED, Letters
from coatcheck_workers.streams.ports import Publishing


class DeadLetters(msgspec.Struct, frozen=True, kw_only=True):
    """`max_bytes` is what body and headers of one message may have; `said_apart` reads what may kill who reads it."""

    subjects: Subjects
    keys: Keys
    store: Store
    publisher: Publishing
    letters: Letters
    delivery: Delivery
    turns: Turns
    max_bytes: int
    said_apart: Callable[[Arrived], Awaitable[Said]]
    watch: Watching = Unwatched()

    async def set_aside(self, arrived: Arrived, message_id: str, reason: str, error: str, attempts: int) -> None:
        """The letter, the arrival in the turn's ledger, the `failed` stub, in this order; each is safe to repeat.

        Of what was deleted, whatever else was wrong with it, the letter has no more than where it came from, and why.
        """
        address, kills = self._address(arrived.subject), reason == KILLED_WORKER
        late = await self.delivery.late.refusal(address.session, None, arrived.received_at)
        if late is not None:
            reason, error = DELETED, str(late)
        result_id = None if kills else await self._result_id(arrived)
        said = await (self.said_apart(arrived) if kills else self.delivery.said(arrived))
        if reason == DELETED:
            arrived = msgspec.structs.replace(arrived, headers=None, body=b"")
        body, headers = arrived.body, self.headers(arrived, message_id, reason, error, attempts)
        if not self.fits(body, headers):
            key = self.keys.dead_letter(address.session, message_id)
            await self.store.put(key, body)
            headers[BODY_HEADER], body = self.store.uri(key), b""
        await self._write(address, message_id, body, headers, attempts)
        with suppress(InvalidSubject):
            await self._tell(self.subjects.parse_result(arrived.subject), arrived, error, said, result_id)

    async def write_whole(
        self, arrived: Arrived, message_id: str, reason: str, error: str, attempts: int
    ) -> int | None:
        """The letter alone, with its body; its sequence, or None where one message does not carry it."""
        headers = self.headers(arrived, message_id, reason, error, attempts)
        if not self.fits(arrived.body, headers):
            return None
        return await self._write(self._address(arrived.subject), message_id, arrived.body, headers, attempts)

    def headers(self, arrived: Arrived, message_id: str, reason: str, error: str, attempts: int) -> dict[str, str]:
        return letter_headers(
            arrived.headers,
            message_id=message_id,
            subject=arrived.subject,
            reason=reason,
            error=error,
            attempts=attempts,
            received_at=arrived.received_at,
        )

    def fits(self, body: bytes, headers: dict[str, str]) -> bool:
        """Whether one message carries the letter; over it the server would drop the connection."""
        size = len(body) + sum(len(name) + len(value.encode()) + 4 for name, value in headers.items())
        return size <= self.max_bytes

    async def _write(
        self, at: CallAddress, message_id: str, body: bytes, headers: dict[str, str], attempts: int
    ) -> int:
        """One letter a message, however long what comes after it fails: its id is known to the stream for minutes only.

        Nothing comes after a letter under NOWHERE, where the letters of all such messages lie.
        """
        if attempts > 1 and at != NOWHERE and (there := await self.letters.find(at, message_id)) is not None:
            return there.sequence
        return await self.publisher.append(self.subjects.dlq(at), body, headers)

    async def _result_id(self, arrived: Arrived) -> str | None:
        """Of a result that can be read, and yet cannot be delivered."""
        try:
            return (await self.delivery.read(arrived)).result.result_id
        except Exception:
            return None

    async def _tell(
        self, address: CallAddress, arrived: Arrived, error: str, said: Said, result_id: str | None
    ) -> None:
        event = self._failed_event(address, arrived, error, said)
        # The ledger that a session had goes with it, and would take with it what is said there now.
        if address.turn != EMPTY and not self.delivery.late.is_being_erased(address.session):
            length = self.delivery.rules.count(str(event.content))
            entry = failed_entry(address, event, length, said, result_id)
            await self.turns.fail(address.at_turn, address.call, entry)
        subject = self.subjects.stubs(address.session, address.turn, failed_id(address.call))
        if await self.publisher.once(subject, msgspec.json.encode(event)):
            self.watch.sent(event, arrived.received_at, None)
        else:
            self.watch.repeated()

    def _failed_event(self, address: CallAddress, arrived: Arrived, error: str, said: Said) -> StubEvent:
        """Where names are too long for one message, the segments have to do."""
        event = failed_event(address, error, arrived.received_at, said)
        if len(msgspec.json.encode(event)) > self.delivery.rules.max_event_bytes:
            return failed_event(address, error, arrived.received_at)
        return event

    def _address(self, subject: str) -> CallAddress:
        """Where the letter goes; NOWHERE where the subject names nothing."""
        with suppress(InvalidSubject):
            return self.subjects.parse_result(subject)
        with suppress(InvalidSubject):
            at = self.subjects.parse_turn_end(subject)
            return CallAddress(at.session, at.turn, "end")
        return NOWHERE
