"""A result that its producer has put into the store by a presigned URL, from the event that names it.

What was put is read once: counted, hashed, looked at. A large one is then copied to its place as it was when it was
read. A note of what was taken, written once, is what all later tries go by: another PUT to the URL changes nothing
any more. Not proof against it are a list of blocks, and a large original in a layout of one's own, where a worker dies
between the stub and the end of its note: of these the note names what may be replaced. What was put is deleted when
the event is done with; what no event ever takes goes by the bucket's rule.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial

import msgspec

from coatcheck_core.contents import Contents
from coatcheck_schemas.direct import announced_bytes
from coatcheck_schemas.errors import (
    InvalidResult,
    ObjectChanged,
    ObjectExists,
    ObjectNotFound,
    StoreError,
)
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.store import Store
from coatcheck_workers.clock import Clock
from coatcheck_workers.intake.lending import lending
from coatcheck_workers.keeping.keeping import kept_metadata
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.later import Later
from coatcheck_workers.uploads.awaiting import Awaiting
from coatcheck_workers.uploads.large import Check
from coatcheck_workers.uploads.opening import NO_SEAT_SECONDS, NotTaken, Opening, whole_result
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.taking import Taken, Taking

log = logging.getLogger("coatcheck.uploads")

TRIES = 5
"""So often what was put is read anew where another PUT has come meanwhile."""


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was taken of an upload, for the call in `turn` and `call`: its bytes themselves where they are few.

    Else they lie under `key`, and are of `version` there unless that is None. `at` is when the result counts as come.
    """

    turn: str
    call: str
    sha256: str
    at: datetime
    data: bytes | None = None
    key: str | None = None
    version: str | None = None
    is_done: bool = False


class Direct(msgspec.Struct, frozen=True, kw_only=True):
    """Errors are those of `Receiving`."""

    keys: Keys
    store: Store
    taking: Taking
    seats: Seats
    late: Late
    idle_seconds: float
    now: Clock

    @asynccontextmanager
    async def whole(self, arrived: Arrived, opening: Opening) -> AsyncIterator[Arrived | None]:
        announced = announced_bytes(opening.upload)
        awaiting = self._awaiting(arrived, opening)
        try:
            async with self._seat(awaiting):
                taken, note = await self._taken(opening, awaiting, announced)
        except StoreError as error:
            raise NotTaken(error) from error
        if note.is_done:
            yield None
            return
        yield whole_result(arrived, taken, note.at)
        await self.store.put(self._taken_key(opening), _encoded(_done(note)))

    async def until_put(self, arrived: Arrived, opening: Opening) -> None:
        """Wait for the PUT, as `whole` does: before it takes room that others need. Raises as `whole` does."""
        awaiting = self._awaiting(arrived, opening)
        try:
            if await self._note(opening) is None:
                async with self._seat(awaiting):
                    await awaiting.head(self.store, self._key(opening))
        except StoreError as error:
            raise NotTaken(error) from error

    async def forget(self, opening: Opening) -> None:
        """Free what was put, of an upload whose event is gone. A failed one stays: a mended event may name it."""
        try:
            note = await self._note(opening)
            if note is not None and note.is_done:
                await self.store.delete(self._key(opening))
        except StoreError as error:
            log.warning("what was put for %s stays until it is too old: %s", opening.upload, error)

    async def free(self, opening: Opening) -> None:
        """Free all that lies there of an upload whose session was deleted. Raises StoreError."""
        await self.store.delete(self._key(opening))
        await self.store.delete(self._taken_key(opening))

    def _awaiting(self, arrived: Arrived, opening: Opening) -> Awaiting:
        check = partial(self.late.check_waiting, opening.address.session, arrived.received_at)
        return Awaiting(opening.upload, self.idle_seconds, arrived.received_at, self.now, check)

    @asynccontextmanager
    async def _seat(self, awaiting: Awaiting) -> AsyncIterator[None]:
        if not self.seats.take(awaiting):
            raise Later(NO_SEAT_SECONDS)
        try:
            with lending():
                yield
        finally:
            self.seats.leave(awaiting)

    async def _taken(self, opening: Opening, awaiting: Awaiting, announced: int | None) -> tuple[Taken, Note]:
        """What was put, and the note of it; nothing where the note says that it is done with."""
        for _ in range(TRIES):
            with suppress(ObjectChanged, ObjectNotFound, ObjectExists):
                note = await self._note(opening)
                if note is None:
                    return await self._take(opening, awaiting, announced)
                _check_call(note, opening)
                if note.is_done:
                    return Taken(), note
                if (taken := await self._again(opening, note)) is not None:
                    return taken, note
                await self.store.delete(self._taken_key(opening))
        raise InvalidResult(
            "invalid_upload",
            f"what was put for {opening.upload} was replaced {TRIES} times while it was read: PUT once",
        )

    async def _take(self, opening: Opening, awaiting: Awaiting, announced: int | None) -> tuple[Taken, Note]:
        """Raises ObjectChanged where another PUT has come, ObjectExists where another worker was first."""
        key = self._key(opening)
        info = await awaiting.head(self.store, key)
        if announced is not None and info.size != announced:
            raise InvalidResult(
                "invalid_upload", f"{info.size} bytes were put for {opening.upload}, {announced} were announced"
            )
        digest = ""

        def check(sha256: str, size: int) -> None:
            nonlocal digest
            digest = sha256
            if size != info.size:
                raise ObjectChanged(f"{key} had {info.size} bytes, and {size} were read")

        taken = await self._scan(opening, self.store.get_stream(key, version=info.version), check, key, info.version)
        note = Note(
            turn=opening.address.turn,
            call=opening.address.call,
            sha256=digest,
            at=awaiting.came_at,
            key=key,
            version=info.version,
        )
        if taken.contents is not None:
            note, taken = await self._settled(opening, note, taken, taken.contents)
        await self.store.put(self._taken_key(opening), _encoded(note), exclusive=True)
        return taken, note

    async def _settled(self, opening: Opening, note: Note, taken: Taken, contents: Contents) -> tuple[Note, Taken]:
        """The note with what nobody can change any more: few bytes themselves, else where they lie now.

        Where the same call has brought the same before, that result stands, in whichever form it was stored.
        """
        if contents.placed is None:
            return msgspec.structs.replace(note, data=contents.data, key=None, version=None), taken
        session, rid = opening.address.session, result_id(opening.address.call, contents.sha256)
        if await self._is_kept(session, rid, note.at):
            return note, taken
        target = self.keys.output(session, rid)
        await self.store.abandon(target)  # a large copy goes in parts, and whoever made one may have died
        await self.store.copy(self._key(opening), target, version=note.version)
        placed = msgspec.structs.replace(contents.placed, key=target, version=None)
        settled = msgspec.structs.replace(contents, placed=placed)
        return (
            msgspec.structs.replace(note, key=target, version=None),
            msgspec.structs.replace(taken, contents=settled),
        )

    async def _again(self, opening: Opening, note: Note) -> Taken | None:
        """What the note speaks of; None where the store has no longer what it says."""
        key = note.key or ""
        source = _one(note.data) if note.data is not None else self.store.get_stream(key, version=note.version)

        def check(sha256: str, size: int) -> None:
            if sha256 != note.sha256:
                raise ObjectChanged(f"{key} is no longer what was taken")

        with suppress(ObjectChanged, ObjectNotFound):
            return await self._scan(opening, source, check, key, note.version)
        return None

    async def _scan(
        self, opening: Opening, source: AsyncIterator[bytes], check: Check, key: str, version: str | None
    ) -> Taken:
        chunks = _generated(source)
        if opening.received.is_blocks:
            return await self.taking.gather(chunks, check=check)
        mime_type = opening.received.mime_type
        return await self.taking.scan(chunks, mime_type=mime_type, check=check, key=key, version=version)

    async def _note(self, opening: Opening) -> Note | None:
        try:
            return _NOTE.decode(await self.store.get(self._taken_key(opening)))
        except ObjectNotFound:
            return None
        except msgspec.DecodeError as error:
            raise InvalidResult("invalid_upload", f"the note of {opening.upload} is damaged: PUT it anew") from error

    async def _is_kept(self, session: str, rid: str, at: datetime) -> bool:
        """Whether the result exists; what is no metadata of ours is nothing to write over."""
        try:
            await self.store.head(self.keys.metadata(session, rid))
        except ObjectNotFound:
            return False
        there = await kept_metadata(self.store, self.keys, session, rid)
        return there is None or not self.late.is_void(session, there, at)

    def _key(self, opening: Opening) -> str:
        return self.keys.upload(opening.address.session, opening.upload)

    def _taken_key(self, opening: Opening) -> str:
        return self.keys.taken(opening.address.session, opening.upload)


_NOTE = msgspec.json.Decoder(Note)


def _encoded(note: Note) -> bytes:
    return msgspec.json.encode(note)


def _done(note: Note) -> Note:
    return msgspec.structs.replace(note, data=None, is_done=True)


def _check_call(note: Note, opening: Opening) -> None:
    if (note.turn, note.call) != (opening.address.turn, opening.address.call):
        raise InvalidResult(
            "invalid_upload", f"{opening.upload} is the result of another call already: ask for one for each result"
        )


async def _one(data: bytes) -> AsyncIterator[bytes]:
    if data:
        yield data


async def _generated(source: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    async for chunk in source:
        yield chunk
