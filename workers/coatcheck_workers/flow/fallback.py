"""What the agent gets where the store fails for long, and the tries that go on until the original is stored.

The stub goes out now, as `on_store_failure` says; the result lies whole in COAT_DLQ, and a timer in COAT_HELD brings
the letter back to a worker again and again. Once it is stored its ref works and the letter is gone; who drops the
letter gives it up.
"""

import logging
import random
from collections.abc import Callable
from contextlib import suppress

import msgspec

from coatcheck_core.retry import retry_delay
from coatcheck_core.turns import RawEntry
from coatcheck_schemas.errors import InvalidInput, InvalidSubject, StoreError
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import TurnAddress
from coatcheck_workers.flow.dead_letters import DeadLetters
from coatcheck_workers.flow.delivery import Delivery, NotKept
from coatcheck_workers.flow.turns import Turns
from coatcheck_workers.keeping.late import is_late
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.held import Held
from coatcheck_workers.streams.letters import STORE_FAILURE, Letter, Letters, restored_headers
from coatcheck_workers.streams.publishing import PublishError

log = logging.getLogger("coatcheck.fallback")

NOT_STORED = "object storage could not take the original"
"""All that an agent is told of it: the store's own words name servers, and objects of other sessions."""


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """The policy `on_store_failure`, carried out."""

    delivery: Delivery
    turns: Turns
    dead_letters: DeadLetters
    letters: Letters
    held: Held
    opens_upload: Callable[[Arrived], bool]
    longest_delay_seconds: float

    async def give_up(self, arrived: Arrived, not_kept: NotKept, message_id: str, attempts: int) -> bool:
        """Whether the result is safe in a dead letter; where it is not, its message must stay where it is.

        The event of an upload is no letter: what it opened would be lost. It stays, and so do its pieces. Raises
        InvalidResult where the result was deleted meanwhile: nothing of it is kept anywhere; Later where another
        result's event was under its id.
        """
        await self.delivery.late.check_result(not_kept.case)
        case, error = not_kept.case, f"{NOT_STORED}: {not_kept.cause}"
        decision = case.without_store(not_kept.decision, NOT_STORED, raw=await self._may_go_raw(not_kept))
        is_safe = not self.opens_upload(arrived) and await self._write_letter(
            arrived, case.result.address.at_turn, message_id, error, attempts
        )
        if not await self.delivery.publish(case, decision):
            await self.delivery.apart.check_own(case)
        return is_safe

    async def withdraw(self, arrived: Arrived, message_id: str) -> None:
        """Take back the letter of a result that is stored after all."""
        with suppress(InvalidSubject):
            letter = await self.letters.find(self.delivery.subjects.parse_result(arrived.subject), message_id)
            if letter is not None and letter.reason == STORE_FAILURE:
                await self.letters.delete(letter)

    async def try_letter(self, at: TurnAddress, sequence: int, tries: int) -> None:
        """Store the original of a letter, and be done with it; or set the time of the next try."""
        letter = await self.letters.get(sequence)
        if letter is None:
            return
        try:
            await self.delivery.late.check(at.session, None, letter.received_at)
            await self._store(letter)
        except StoreError as error:
            delay = retry_delay(tries, self.longest_delay_seconds, random.random())  # noqa: S311 - spreads, hides nothing
            log.warning("letter %d, try %d, again in %.1f s: %s", sequence, tries, delay, error)
            await self.held.letter(at, sequence, tries + 1, delay)
        except InvalidInput as error:
            if is_late(error):
                log.info("letter %d is dropped: %s", sequence, error)
                await self.letters.delete(letter)
            else:
                log.error("letter %d stays, and is not tried again: %s", sequence, error)
        else:
            log.info("letter %d: its original is stored", sequence)
            await self.letters.delete(letter)

    async def _store(self, letter: Letter) -> None:
        arrived = Arrived(
            subject=letter.subject,
            headers=restored_headers(letter),
            body=await self.letters.body(letter),
            received_at=letter.received_at,
        )
        case = await self.delivery.examine(arrived)
        try:
            await self.delivery.store_only(case)
        except NotKept as error:
            raise error.cause from error

    async def _may_go_raw(self, not_kept: NotKept) -> bool:
        case = not_kept.case
        settings = self.delivery.rules.settings
        if settings.on_store_failure != "preserve_raw" or not case.fits_raw():
            return False
        if case.result.address.turn == EMPTY or not_kept.decision.event.disposition == "inline":
            return True
        stub_length = case.stub_length(not_kept.decision.event.reason)
        budget = settings.turn.inline_budget
        entry = RawEntry(result_id=case.result.result_id, length=case.length, stub_length=stub_length, budget=budget)
        return await self.turns.may_go_raw(case.result.address.at_turn, entry)

    async def _write_letter(
        self, arrived: Arrived, at: TurnAddress, message_id: str, error: str, attempts: int
    ) -> bool:
        try:
            sequence = await self.dead_letters.write_whole(arrived, message_id, STORE_FAILURE, error, attempts)
            if sequence is None:
                log.warning("%r is too large for a letter and stays in the queue", arrived.subject)
                return False
            await self.held.letter(at, sequence, 1, self.longest_delay_seconds)
        except PublishError as trouble:
            log.warning("%r stays in the queue: %s", arrived.subject, trouble)
            return False
        return True
