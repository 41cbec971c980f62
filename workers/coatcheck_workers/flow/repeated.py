"""The place in the list of a result that came again in its turn: the one that its stub event names, and no other."""

from datetime import datetime

import msgspec

from coatcheck_schemas.keys import Keys, TimeEntry
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.streams.ports import Log


class _Event(msgspec.Struct, frozen=True):
    created_at: datetime


async def withdraw_repeated(store: Store, keys: Keys, stubs: Log, subject: str, session: str, entry: TimeEntry) -> None:
    """Remove the entry of a result whose stub event under `subject` was there before, unless it is that one's own.

    To be called after the entry was put: whichever of two workers comes second removes its own. Raises StoreError and
    PublishError.
    """
    kept = await stubs.last(subject)
    if kept is None:
        return
    try:
        moment = msgspec.json.decode(kept.body, type=_Event).created_at
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    if to_milliseconds(moment) != entry.milliseconds:
        await store.delete(keys.time_entry(session, entry))
