"""Whose a result's ordinary id is, where results of one call differ in their media alone: `coatcheck_core.apart`.

The first has it: the one that the turn's ledger has under it, or without a turn the stub event; else the one that is
stored. Two that come at the same time are told apart where one of them finds the other's entry, event or held message.
"""

import msgspec

from coatcheck_core.apart import has_objects, is_apart, is_told_of_another, objects_digest, twin_id
from coatcheck_core.decision import Case
from coatcheck_core.rules import Rules
from coatcheck_schemas.errors import CoatcheckError, StoreError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.keeping.keeping import kept_metadata
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ledger import Ledger
from coatcheck_workers.streams.ports import Log

SOON_SECONDS = 0.1


class IsAnothers(CoatcheckError):
    """The turn has the result under its other id, or under this one another result of the call, with other media."""


def under_its_other_id(case: Case) -> Case:
    """The same, ordinary or by its media as well; itself where it has but one id."""
    other_id = twin_id(case.result, case.parts)
    if other_id is None:
        return case
    other = Case(msgspec.structs.replace(case.result, result_id=other_id), case.rules)
    if "synopsis" in case.__dict__:
        other.describe(case.synopsis)
    return other


def objects_of(case: Case) -> str:
    return objects_digest(case.parts)


class TellingApart(msgspec.Struct, frozen=True, kw_only=True):
    """Where a result may stand under its ordinary id. What has no media is asked for nowhere."""

    rules: Rules
    subjects: Subjects
    store: Store
    stubs: Log
    ledger: Ledger
    late: Late

    async def told(self, case: Case) -> Case:
        """Under the id that is the result's own. Raises PublishError.

        A store that does not answer has nothing: nothing is stored there now, and the result gets its stub anyway.
        """
        if not has_objects(case.parts):
            return case
        result, other = case.result, under_its_other_id(case)
        if result.address.turn != EMPTY:
            turn = await self.ledger.read(result.address.at_turn)
            own_id, other_id, objects = result.result_id, other.result.result_id, objects_of(case)
            if turn.is_anothers(own_id, objects) or (other_id in turn and not turn.is_anothers(other_id, objects)):
                return other
        elif (event := await self._event(case)) is not None:
            return other if is_told_of_another(case.parts, event) else case
        return other if await self._is_stored_otherwise(case) else case

    async def check_own(self, case: Case) -> None:
        """Raises Later where the event under the id of a result without a turn is another's, which came just before."""
        if case.result.address.turn == EMPTY and has_objects(case.parts):
            event = await self._event(case)
            if event is not None and is_told_of_another(case.parts, event):
                raise Later(SOON_SECONDS)

    async def _event(self, case: Case) -> StubEvent | None:
        at = case.result.address
        kept = await self.stubs.last(self.subjects.stubs(at.session, at.turn, case.result.result_id))
        try:
            return None if kept is None else msgspec.json.decode(kept.body, type=StubEvent)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    async def _is_stored_otherwise(self, case: Case) -> bool:
        session, result = case.result.address.session, case.result
        try:
            there = await kept_metadata(self.store, self.rules.keys, session, result.result_id)
        except StoreError:
            return False
        if there is None or self.late.is_void(session, there, result.received_at):
            return False
        return is_apart(case.parts, there.parts)
