"""Take back what the handling of one result has left: its stub event, its objects, its place in the list."""

from datetime import datetime

import msgspec

from coatcheck_core.layout import output_key_of
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.keeping.keeping import kept_metadata
from coatcheck_workers.streams.ports import Kept, Log
from coatcheck_workers.streams.tombstone import is_of_before


class Undoing(msgspec.Struct, frozen=True, kw_only=True):
    """Where it was left. Each step is safe to repeat; of what is younger than the deletion nothing is touched."""

    store: Store
    keys: Keys
    subjects: Subjects
    stubs: Log

    async def undo(self, at: CallAddress, result_id: str, received_at: datetime, deleted_at: datetime) -> None:
        """Raises PublishError and StoreError."""
        await self._unsay(self.subjects.stubs(at.session, at.turn, result_id), deleted_at)
        entry = TimeEntry(to_milliseconds(received_at), turn_hash(at.turn), result_id)
        await self._erase(at.session, result_id, deleted_at)
        await self.store.delete(self.keys.time_entry(at.session, entry))

    async def _unsay(self, subject: str, deleted_at: datetime) -> None:
        """Whoever has heard the stub gets `gone` for its reference; who comes later does not hear it."""
        kept = await self.stubs.last(subject)
        if kept is not None and is_of_before(_created_at(kept), deleted_at):
            await self.stubs.purge(subject, kept.sequence)

    async def _erase(self, session: str, result_id: str, deleted_at: datetime) -> None:
        """The metadata first: without it nothing of the result can be read.

        Without any it is not known whose the rest is: maybe somebody's who is just storing the result anew.
        """
        there = await kept_metadata(self.store, self.keys, session, result_id)
        if there is None or not is_of_before(there.created_at, deleted_at):
            return
        await self.store.delete(self.keys.metadata(session, result_id))
        await self.store.delete(output_key_of(self.keys, there, session))
        async for key in self.store.list(self.keys.result(session, result_id)):
            await self.store.delete(key)


def _created_at(kept: Kept) -> str:
    """Empty where it cannot be read: whose it is cannot be told either."""
    try:
        return msgspec.json.decode(kept.body, type=StubEvent).created_at
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
