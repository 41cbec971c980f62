"""Free in storage what was deleted. Everything here is safe to repeat, and to take up where another died.

Nothing of it is read any more, by the tombstone. What is younger than the deletion stays: it has metadata that says so.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b

import msgspec

from coatcheck_schemas.errors import ObjectNotFound
from coatcheck_schemas.keys import Keys, TimeEntry, parse_time_entry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.storage.deleting import delete_many
from coatcheck_workers.streams.tombstone import is_of_before

PAGE = 1000
"""Keys in memory at a time."""
MOST_LISTED = 10_000
"""Entries that are gone through for those of one result; what stays behind is passed over by lists."""
MOST_TOLD_APART = 100_000
"""Results of which a count remembers that it has counted them, the last ones."""
_AFTER_ALL_OF_A_MILLISECOND = "~"


class Erasing:
    """The objects of one deployment. Raises StoreError."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys

    async def result(self, session: str, result_id: str, deleted_at: datetime) -> int | None:
        """Erase one result, unless what is there is younger than its deletion. Its metadata's milliseconds, if known.

        The metadata goes after what it alone may know the place of, for whoever takes this up. Whoever makes a copy
        looks for the metadata when it is made; and what came before that went is found by looking once more.
        """
        metadata = await self._metadata(session, result_id)
        if metadata is not None and not is_of_before(metadata.created_at, deleted_at):
            return None
        others = [key async for key in self._store.list(self._keys.result(session, result_id))]
        if metadata is not None and metadata.output_key is not None:
            await self._store.delete(metadata.output_key)
        others += await self._copies(session, result_id)
        if others:
            await delete_many(self._store, others)
        late = await self._copies(session, result_id)
        if late:
            await delete_many(self._store, late)
        return _milliseconds(metadata)

    async def entries(
        self,
        session: str,
        result_id: str,
        deleted_at: datetime,
        known: Sequence[TimeEntry] = (),
        since: int | None = None,
    ) -> None:
        """Forget its places in the list, in whichever turns it came; a list passes over them meanwhile.

        `known` are places of it, `since` is the milliseconds at which it was first stored: with either, no more than
        `MOST_LISTED` entries are gone through; with neither, all up to its deletion.
        """
        prefix, last = self._keys.by_time(session), to_milliseconds(deleted_at)
        places = {self._keys.time_entry(session, entry) for entry in known if entry.milliseconds <= last}
        starts = [entry.milliseconds for entry in known] + ([] if since is None else [since])
        after = f"{prefix}{min(starts):013d}" if starts else ""
        listed = 0
        async for key in self._store.list(prefix, after=after):
            entry, listed = parse_time_entry(key.removeprefix(prefix)), listed + 1
            if (entry is not None and entry.milliseconds > last) or (starts and listed > MOST_LISTED):
                break
            if entry is not None and entry.result_id == result_id:
                places.add(key)
        if places:
            await delete_many(self._store, sorted(places))

    async def passing(self, session: str, *, puts: bool) -> None:
        """What a session has left on the way: pieces that no result was made of yet, and copies.

        With `puts` also what was put to URLs: of that nobody can tell of which life it is.
        """
        keys = self._keys
        puts_of = [keys.upload(session, ""), keys.taken(session, "")] if puts else []
        for folder in (keys.incoming_of(session), keys.link(session, ""), keys.renewed_of(session), *puts_of):
            await self._erase(self._store.list(folder))

    async def session(self, session: str, deleted_at: datetime) -> None:
        """All that lies below the session's prefix and is not younger.

        Then once more what somebody may have made of it before it went: whoever does looks at it again when it is made.
        """
        spared = await self._younger(session, deleted_at)
        await self._erase(self._doomed(session, deleted_at, spared))
        for folder in (self._keys.link(session, ""), self._keys.renewed_of(session), self._keys.facts(session, "")):
            await self._erase(self._store.list(folder))

    async def count(self, session: str, deleted_at: datetime) -> int:
        """How many results the session had then: distinct ones, since one may have come in several turns.

        One that comes again after `MOST_TOLD_APART` others is counted again: memory is bounded.
        """
        seen: dict[bytes, None] = {}
        count, last = 0, to_milliseconds(deleted_at)
        prefix = self._keys.by_time(session)
        async for key in self._store.list(prefix):
            entry = parse_time_entry(key.removeprefix(prefix))
            if entry is not None and entry.milliseconds > last:
                break
            if entry is None:
                continue
            name = blake2b(entry.result_id.encode(), digest_size=16).digest()
            count += name not in seen
            seen.pop(name, None)  # the last met last
            seen[name] = None
            if len(seen) > MOST_TOLD_APART:
                del seen[next(iter(seen))]
        return count

    async def _doomed(self, session: str, deleted_at: datetime, spared: set[str]) -> AsyncIterator[str]:
        prefix = self._keys.session(session)
        async for key in self._store.list(prefix):
            folder, _, rest = key.removeprefix(prefix).partition("/")
            if folder == "by-time":
                entry = parse_time_entry(rest)
                if entry is not None and entry.milliseconds > to_milliseconds(deleted_at):
                    continue
            elif folder == "dead-letters" and session == EMPTY:
                continue  # of messages that name no session, as of those of a session without an id
            elif spared and folder != "dead-letters" and not spared.isdisjoint(_names(key.removeprefix(prefix))):
                continue
            yield key

    async def _younger(self, session: str, deleted_at: datetime) -> set[str]:
        """The results that came after the deletion: few, since what is to be stored waits until all is erased."""
        prefix = self._keys.by_time(session)
        after = f"{prefix}{to_milliseconds(deleted_at):013d}{_AFTER_ALL_OF_A_MILLISECOND}"
        found = {
            entry.result_id
            async for key in self._store.list(prefix, after=after)
            if (entry := parse_time_entry(key.removeprefix(prefix))) is not None
        }
        younger: set[str] = set()
        for result_id in found:
            metadata = await self._metadata(session, result_id)
            if metadata is not None and not is_of_before(metadata.created_at, deleted_at):
                younger.add(result_id)
        return younger

    async def _erase(self, keys: AsyncIterator[str]) -> None:
        page: list[str] = []
        async for key in keys:
            page.append(key)
            if len(page) >= PAGE:
                await delete_many(self._store, page)
                page = []
        if page:
            await delete_many(self._store, page)

    async def _copies(self, session: str, result_id: str) -> list[str]:
        """Those for links, and those that a renewal has left aside."""
        found = [key async for key in self._store.list(self._keys.renewed(session, result_id, ""))]
        folder = self._keys.link(session, "")
        async for key in self._store.list(folder, after=f"{folder}{result_id}."):
            if not key.startswith(f"{folder}{result_id}."):
                break
            found.append(key)
        return found

    async def _metadata(self, session: str, result_id: str) -> Metadata | None:
        """None where there is none, or none that can be read: nobody can read that result then."""
        with suppress(ObjectNotFound, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return msgspec.json.decode(await self._store.get(self._keys.metadata(session, result_id)), type=Metadata)
        return None


def _milliseconds(metadata: Metadata | None) -> int | None:
    with suppress(ValueError):
        return None if metadata is None else to_milliseconds(datetime.fromisoformat(metadata.created_at))
    return None


def _names(path: str) -> set[str]:
    """What of a key may be a result's id: any piece, without its ending (`coatcheck_core.layout`)."""
    return {name for piece in path.split("/") for name in (piece, piece.partition(".")[0])}
