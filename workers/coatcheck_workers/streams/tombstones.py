"""What was deleted, and when, as every worker knows it: COAT_DELETED in memory, heard as it changes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck_schemas.subjects import Subjects
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.streams.ports import Log, Publishing
from coatcheck_workers.streams.publishing import EXPECTED_LAST, PublishError, WrongLastSequence
from coatcheck_workers.streams.tombstone import (
    NoTombstones,
    Stage,
    Tombstone,
    first_word,
    is_old,
    next_word,
    read_tombstone,
)

log = logging.getLogger("coatcheck.deleting")

EACH_SECONDS = 5.0
"""What a worker did not hear of it knows after this, or as soon as it is connected again."""
HEARD_SECONDS = 2.0
"""What was heard of lies in the stream by then, or was refused."""
PATIENCE_SECONDS = 15.0
"""A leader that is gone is missed after 4 to 9 seconds."""
_PATIENT_PAUSE_SECONDS = 0.25
_LOOK_SECONDS = 1.0
_PAUSE_SECONDS = 0.02
_READ_BYTES = 1024 * 1024
_LEAST_BYTES = 100
"""No message of the stream takes less of it."""
_BODY_BYTES = 60

Stored = Callable[[str, str | None], Awaitable[datetime | None]]
"""What the store notes of a deletion, which stays when the stream has let go of it. Raises StoreError."""
_Grave = tuple[str, str | None]


class Superseded(PublishError):
    """Somebody else has spoken of this tombstone meanwhile: it was deleted once more, or another worker erases it."""


class Tombstones(NoTombstones):
    """Those of one deployment; whatever asks the stream raises PublishError where it does not answer."""

    def __init__(self, publisher: Publishing, stream: Log, subjects: Subjects, stored: Stored, max_bytes: int) -> None:
        self._publisher = publisher
        self._stream = stream
        self._subjects = subjects
        self._stored = stored
        self._max_bytes = max_bytes
        self._known: dict[_Grave, Tombstone] = {}
        self._bytes = 0
        self._after = 0
        self._heard: dict[str, float] = {}
        """By subject, until when what was heard of is looked for."""
        self._wake = asyncio.Event()
        self._reading = asyncio.Lock()
        self._callbacks: list[Callable[[str, str | None], None]] = []
        self._connections: Callable[[], int] = lambda: 0
        """How often this worker was connected anew: what was said meanwhile it has not heard."""
        self._read_at = 0

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        found = self._of(session, result_id)
        return max(one.deleted_at for one in found) if found else None

    def is_being_purged(self, session: str, result_id: str | None = None) -> bool:
        found = self._of(session, result_id)
        return (bool(found) and any(one.stage is Stage.PURGING for one in found)) or self._is_heard(session, result_id)

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        found = self._of(session, result_id)
        return (bool(found) and any(one.stage is not Stage.DONE for one in found)) or self._is_heard(session, result_id)

    async def refused_since(self, session: str, result_id: str | None, received_at: datetime) -> datetime | None:
        if self._connections() != self._read_at:
            await self.read_on()
        while self._is_heard(session, result_id):
            await self.read_on()
            await asyncio.sleep(_PAUSE_SECONDS)
        moment = self.deleted_at(session, result_id)
        if moment is None and self._may_be_forgotten(received_at):
            moment = await self._stored(session, result_id)
        return moment if moment is not None and is_old(received_at, moment) else None

    def on_buried(self, callback: Callable[[str, str | None], None]) -> None:
        self._callbacks.append(callback)

    def unfinished(self) -> list[Tombstone]:
        """Those of which not all is erased yet, the oldest first."""
        return [one for one in self._known.values() if one.stage is not Stage.DONE]

    async def bury(self, session: str, result_id: str | None = None) -> Tombstone:
        """Say that a session, or one result of it, is deleted; from then on no worker gives anything of it."""
        subject = self._subjects.deleted(session, result_id)
        await self._publisher.append(subject, first_word(), {})
        kept = await self._stream.last(subject)
        tombstone = None if kept is None else read_tombstone(self._subjects, kept)
        if kept is None or tombstone is None:
            raise PublishError(f"{subject}: taken, and yet it is not there")
        self._take(tombstone)
        return tombstone

    async def advance(self, tombstone: Tombstone, stage: Stage) -> Tombstone:
        """Say how far the erasing is; with the stage that it has, that it goes on. Raises Superseded."""
        subject = self._subjects.deleted(tombstone.session, tombstone.result_id)
        headers = {EXPECTED_LAST: str(tombstone.sequence)}
        try:
            await self._publisher.append(subject, next_word(tombstone, stage), headers)
        except WrongLastSequence as error:
            raise Superseded(str(error)) from error
        kept = await self._stream.last(subject)
        told = None if kept is None else read_tombstone(self._subjects, kept)
        if told is None or told.at != tombstone.at:
            raise Superseded(f"{subject}: deleted once more")
        self._take(told)
        return told

    async def done(self, tombstone: Tombstone) -> Tombstone:
        """Say that all is erased. Raises Superseded."""
        return await self.advance(tombstone, Stage.DONE)

    async def read_on(self) -> None:
        """Read what the stream has got since."""
        async with self._reading:
            connections = self._connections()
            while batch := await self._stream.read(self._subjects.every_deletion, self._after, _READ_BYTES):
                for kept in batch:
                    self._after = kept.sequence
                    tombstone = read_tombstone(self._subjects, kept)
                    if tombstone is None:
                        log.error("%r is no tombstone: passed over", kept.subject)
                    else:
                        self._take(tombstone)
            self._read_at = connections
            now = asyncio.get_running_loop().time()
            for subject in [subject for subject, until in self._heard.items() if until < now]:
                del self._heard[subject]  # it was refused, or known before it was heard of

    async def follow(self, client: Client) -> None:
        """Hear of deletions from now on, and know those that were; a stream without a leader is waited for a while."""
        self._connections = lambda: client.stats["reconnects"]
        await client.subscribe(self._subjects.every_deletion, cb=self._hear)
        await client.flush()
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while True:
            try:
                return await self.read_on()
            except PublishError:
                if asyncio.get_running_loop().time() >= deadline:
                    raise
            await asyncio.sleep(_PATIENT_PAUSE_SECONDS)

    async def follow_for_ever(self) -> None:
        """Read on at what is heard, at each new connection, and each `EACH_SECONDS`; trouble is told and passes."""
        loop = asyncio.get_running_loop()
        due = loop.time() + EACH_SECONDS
        while True:
            try:
                await asyncio.wait_for(self._wake.wait(), _LOOK_SECONDS)
            except TimeoutError:
                if loop.time() < due and self._connections() == self._read_at:
                    continue
            self._wake.clear()
            due = loop.time() + EACH_SECONDS
            try:
                await self.read_on()
            except PublishError as error:
                log.warning("what was deleted is not known anew: %s", error)
            if self._heard:  # a message is heard before it is stored
                await asyncio.sleep(_PAUSE_SECONDS)
                self._wake.set()

    async def _hear(self, message: Msg) -> None:
        self.heard(message.subject)

    def heard(self, subject: str) -> None:
        """Until it is read, what may be deleted waits; nothing waits for what cannot be a tombstone's subject."""
        if len(self._heard) < self._most:
            self._heard[subject] = asyncio.get_running_loop().time() + HEARD_SECONDS
        self._wake.set()

    @property
    def _most(self) -> int:
        return self._max_bytes // _LEAST_BYTES

    def _of(self, session: str, result_id: str | None) -> list[Tombstone]:
        """Asked several times of each result: mostly there is none."""
        whole = self._known.get((session, None))
        one = None if result_id is None else self._known.get((session, result_id))
        if whole is None and one is None:
            return []
        return [found for found in (whole, one) if found is not None]

    def _is_heard(self, session: str, result_id: str | None) -> bool:
        return bool(self._heard) and (
            self._subjects.deleted(session) in self._heard
            or (result_id is not None and self._subjects.deleted(session, result_id) in self._heard)
        )

    def _take(self, tombstone: Tombstone) -> None:
        """Know it, unless a later word is known already. By its time: sequences begin anew with a stream."""
        grave = tombstone.session, tombstone.result_id
        before = self._known.get(grave)
        if before is not None and (before.told_at, before.sequence) >= (tombstone.told_at, tombstone.sequence):
            return
        self._heard.pop(self._subjects.deleted(*grave), None)
        self._forget(grave)
        self._known[grave] = tombstone  # the last word last: the stream lets go of the first
        self._bytes += self._size(grave)
        while len(self._known) > self._most:
            self._forget(next(iter(self._known)))
        if before is None or before.at < tombstone.at:
            for callback in self._callbacks:
                callback(*grave)

    def _forget(self, grave: _Grave) -> None:
        if self._known.pop(grave, None) is not None:
            self._bytes -= self._size(grave)

    def _size(self, grave: _Grave) -> int:
        return len(self._subjects.deleted(*grave)) + _BODY_BYTES

    def _may_be_forgotten(self, received_at: datetime) -> bool:
        """Whether the stream may have let go of a later deletion than that: it does only where it is full."""
        if self._bytes < self._max_bytes // 2:
            return False
        return to_milliseconds(received_at) <= next(iter(self._known.values())).told_at
