"""Carry one decision out: keep what is to be kept, then publish the stub event, once.

Each step is safe to repeat: the stub event goes out last and once, so that whatever dies in between, a redelivery
walks the same way to the same bytes.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

import msgspec

from coatcheck_core.arrival import Result, identify
from coatcheck_core.decision import Case
from coatcheck_core.expiry import FOR_EVER
from coatcheck_core.rules import Decision, Rules, Stored
from coatcheck_core.sizes import is_large, is_quick, is_small
from coatcheck_core.turns import ResultEntry
from coatcheck_core.uploaded import received_whole
from coatcheck_schemas.errors import CoatcheckError, InvalidResult, StoreError
from coatcheck_schemas.events import Disposition, Reason
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.said import Said, what_is_said
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.flow.repeated import withdraw_repeated
from coatcheck_workers.flow.telling_apart import TellingApart
from coatcheck_workers.flow.watching import Unwatched, Watching
from coatcheck_workers.intake.lending import lending
from coatcheck_workers.isolation.synopses import Describing
from coatcheck_workers.keeping.forming import formed
from coatcheck_workers.keeping.keeping import keep
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.ports import Publishing

T = TypeVar("T")

ON_LOOP_BYTES = 256 * 1024
"""A larger message is not even decoded on the event loop, where that takes a millisecond for each third of it."""


class NotKept(CoatcheckError):
    """The store did not take a result that is to be kept; `decision` is what was to be carried out."""

    def __init__(self, case: Case, decision: Decision, cause: StoreError) -> None:
        super().__init__(str(cause))
        self.case = case
        self.decision = decision
        self.cause = cause


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """The rules it decides by, and the edges it acts on."""

    rules: Rules
    subjects: Subjects
    store: Store
    publisher: Publishing
    executor: Executor
    synopses: Describing
    late: Late
    apart: TellingApart
    watch: Watching = Unwatched()

    async def examine(self, arrived: Arrived) -> Case:
        """Decode and identify. Raises InvalidInput for what can never be processed, and what `Late.check` raises."""
        case = await self.read(arrived)
        await self.late.check_result(case)
        return case

    async def read(self, arrived: Arrived) -> Case:
        """As `examine`, whatever was deleted. Raises InvalidInput, and PublishError where it has media."""
        case = await self.apart.told(await self.identified(arrived))
        self.watch.examined(case, arrived)
        if arrived.uploaded is not None and arrived.uploaded.synopsis is not None:
            case.describe(arrived.uploaded.synopsis)
        return case

    async def said(self, arrived: Arrived) -> Said:
        """What can be told of a result that is wrong otherwise. Never raises."""
        said = partial(what_is_said, arrived.headers, arrived.body)
        return said() if len(arrived.body) <= ON_LOOP_BYTES else await self._off_loop(said)

    async def identified(self, arrived: Arrived) -> Case:
        """Under its ordinary id. Raises InvalidInput."""
        identified = partial(self._identified, arrived)
        is_small = len(arrived.body) <= ON_LOOP_BYTES and arrived.uploaded is None
        return identified() if is_small else await self._off_loop(identified)

    def _identified(self, arrived: Arrived) -> Case:
        """Its parts are hashed here as well: that takes as long as they are large."""
        case = Case(identify_arrived(self.subjects, arrived), self.rules)
        case.parts  # noqa: B018 - found once
        return case

    async def entry(self, case: Case) -> ResultEntry:
        """What the ledger of its turn must know."""
        return await self._compute(case, case.entry)

    async def deliver(self, case: Case, disposition: Disposition, reason: Reason | None) -> None:
        """Raises NotKept, PublishError, and InvalidResult where the decision cannot be carried out at all."""
        with self.watch.delivering(case):
            await self._carry_out(case, await self._compute(case, partial(case.carry_out, disposition, reason)))

    async def deliver_alone(self, case: Case) -> None:
        """As the budget of one result says."""
        with self.watch.delivering(case):
            await self._carry_out(case, await self._compute(case, case.decide))

    async def store_only(self, case: Case) -> None:
        """Keep the original of a result whose stub has gone out. Raises NotKept."""
        decision = await self._compute(case, case.keep_only)
        await self.keep(case, decision)
        if decision.stored is not None:
            await self._withdraw_repeated(case, decision, decision.stored)

    async def publish(self, case: Case, decision: Decision) -> bool:
        address = case.result.address
        subject = self.subjects.stubs(address.session, address.turn, case.result.result_id)
        is_first = await self.publisher.once(subject, decision.encoded)
        if is_first:
            self.watch.sent(decision.event, case.result.received_at, case)
        else:
            self.watch.repeated()
        return is_first

    async def keep(self, case: Case, decision: Decision) -> None:
        """Raises NotKept, and what `Late` raises of a result that is or was deleted."""
        if decision.stored is None:
            return
        with self.late.room(case):
            await self._keep(case, decision, decision.stored)
            await self.late.check_done(case)

    async def _keep(self, case: Case, decision: Decision, output: Stored) -> None:
        session = case.result.address.session
        try:
            with lending():
                stored = await formed(output, self.rules.settings.storage)
                is_void, renews = partial(self._is_void, case.result), self.late.retention_days != FOR_EVER
                await keep(self.store, self.rules.keys, session, stored, is_void, renews=renews)
        except StoreError as error:
            raise NotKept(case, decision, error) from error

    def _is_void(self, result: Result, there: Metadata) -> bool:
        return self.late.is_void(result.address.session, there, result.received_at)

    async def _carry_out(self, case: Case, decision: Decision) -> None:
        await self.keep(case, decision)
        if not await self.publish(case, decision):
            if decision.stored is not None:
                await self._withdraw_repeated(case, decision, decision.stored)
            await self.apart.check_own(case)
        await self.late.check_done(case)

    async def _withdraw_repeated(self, case: Case, decision: Decision, stored: Stored) -> None:
        address = case.result.address
        subject = self.subjects.stubs(address.session, address.turn, case.result.result_id)
        stubs = self.late.undoing.stubs
        try:
            await withdraw_repeated(self.store, self.rules.keys, stubs, subject, address.session, stored.entry)
        except StoreError as error:
            raise NotKept(case, decision, error) from error

    async def _compute(self, case: Case, function: Callable[[], T]) -> T:
        """On the loop what takes a few milliseconds; where that turns out otherwise, off it after these."""
        if is_small(case.result):
            return function()
        is_here = is_quick(case.result)
        if case.is_to_be_described and (is_here or is_large(case.result)):
            data, mime_type = case.contents.data, case.received.mime_type
            synopsis = self.synopses.soon(data, mime_type) if is_here else await self.synopses.far(data, mime_type)
            if synopsis is not None:
                case.describe(synopsis)
            is_here = is_here and synopsis is not None
        return function() if is_here else await self._off_loop(function)

    async def _off_loop(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.executor, function)


def identify_arrived(subjects: Subjects, arrived: Arrived) -> Result:
    """Raises InvalidInput."""
    address = subjects.parse_result(arrived.subject)
    received = decode_result(arrived.headers, arrived.body)
    if received.upload is None:
        return identify(address, received, arrived.received_at)
    if arrived.uploaded is None:
        raise InvalidResult("internal", "the pieces of a result are asked for where it has not been put together")
    whole = received_whole(received, arrived.uploaded)
    return identify(address, whole, arrived.received_at, arrived.uploaded.contents)
