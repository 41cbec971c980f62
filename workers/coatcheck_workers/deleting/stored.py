"""What stays in storage of what was deleted: when it was. It outlasts the stream's word."""

from contextlib import suppress
from datetime import datetime

import msgspec

from coatcheck_schemas.errors import ObjectNotFound, StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.segments import decode_segment
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import format_time


class _Note(msgspec.Struct, frozen=True, kw_only=True):
    deleted_at: datetime
    session_id: str
    result_id: str | None = None


class StoredTombstones:
    """The notes of one deployment. Raises StoreError."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys

    async def put(self, session: str, result_id: str | None, deleted_at: datetime) -> None:
        note = {
            "deleted_at": format_time(deleted_at),
            "session_id": decode_segment(session),
            "result_id": result_id,
        }
        await self._store.put(self._keys.deleted(session, result_id), msgspec.json.encode(note))

    async def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        """The later of the session's and the result's."""
        moments = [await self._read(self._keys.deleted(session))]
        if result_id is not None:
            moments.append(await self._read(self._keys.deleted(session, result_id)))
        return max((moment for moment in moments if moment is not None), default=None)

    async def _read(self, key: str) -> datetime | None:
        with suppress(ObjectNotFound):
            try:
                moment = msgspec.json.decode(await self._store.get(key), type=_Note).deleted_at
                return moment if moment.tzinfo is not None else None
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise StoreUnavailable(f"{key} is no note of a deletion: {error}") from error
        return None
