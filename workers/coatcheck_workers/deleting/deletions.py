"""Carry out deletions: the grave is dug in the stream, then streams and storage are cleared, whoever dies meanwhile.

    bury      from now on no worker gives anything of it, and what comes late is refused
    purge     the streams, once no worker is at work any more on what came before
    note      the moment, in storage, for when the stream has let go of it
    erase     the objects

Whoever works on one says so now and then in the stream. What nobody has spoken of for a while is taken up by one of the
workers that look.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from nats.aio.client import Client

from coatcheck_core.settings.model import RequestsSettings, Settings
from coatcheck_core.tally import Tally
from coatcheck_schemas.errors import Code, RequestError, StoreError
from coatcheck_schemas.keys import Keys, TimeEntry
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_schemas.times import format_time, to_milliseconds
from coatcheck_workers.clock import Clock
from coatcheck_workers.deleting.erasing import Erasing
from coatcheck_workers.deleting.purging import Purging, Streams
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.process.about import about_session
from coatcheck_workers.process.looking import look_now_and_then
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.publishing import Publisher, PublishError
from coatcheck_workers.streams.tombstone import Stage, Tombstone
from coatcheck_workers.streams.tombstones import Superseded, Tombstones
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.deleting")

IN_HAND_SECONDS = 2.0
"""So long what other workers have in hand is waited for; what takes longer they undo themselves."""
SPEAK_SECONDS = 5.0
FORSAKEN_SECONDS = 20.0
"""What nobody has spoken of for this long nobody works on."""
LOOK_SECONDS = 10.0
COUNTING_SECONDS = 6.0
"""More than `requests.delete_seconds` a request waits for the count alone."""
ENTRIES_SECONDS = 2.0
"""So long a deleted result's places in the list of a large session are waited for."""
_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 0.25
SESSIONS_AT_ONCE = 2
"""That one worker erases: each lists and deletes as fast as the store lets it."""
RESULTS_AT_ONCE = 16
MOST_TAKEN_UP = 16
"""A worker that has so many deletions leaves those of others to others."""
MOST_LEFT = 64
"""Deletions that were answered and go on; what more there are is taken up later, by the first worker that has room."""


class _Job:
    """One deletion that this worker carries out; `count` is how many results there were, once that is known.

    `places` are those of its result in the list, as far as the streams had them.
    """

    def __init__(self, tombstone: Tombstone, ends: list[int] | None) -> None:
        self.tombstone = tombstone
        self.ends = ends
        self.places: list[TimeEntry] = []
        self.count: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    @property
    def about(self) -> dict[str, object]:
        return about_session(self.tombstone.session)

    def tell(self, count: int) -> None:
        if not self.count.done():
            self.count.set_result(count)

    def __str__(self) -> str:
        one = self.tombstone
        return f"session {one.session}" if one.result_id is None else f"{one.result_id} of session {one.session}"


class Deletions:
    """Those that one worker carries out. `now` is NATS's time."""

    def __init__(
        self,
        tombstones: Tombstones,
        stored: StoredTombstones,
        purging: Purging,
        erasing: Erasing,
        settings: RequestsSettings,
        now: Clock,
    ) -> None:
        self._tombstones = tombstones
        self._stored = stored
        self._purging = purging
        self._erasing = erasing
        self._settings = settings
        self._now = now
        self._sessions = asyncio.Semaphore(SESSIONS_AT_ONCE)
        self._results = asyncio.Semaphore(RESULTS_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._left: set[asyncio.Task[None]] = set()
        self._troubles = Tally()

    @classmethod
    def connect(
        cls, settings: Settings, client: Client, store: Store, tombstones: Tombstones, now: Clock
    ) -> "Deletions":
        subjects, keys = Subjects(settings.nats.prefix), Keys(settings.storage.prefix)
        seconds = settings.worker.ack_wait_seconds / 2
        logs = {name: JetStreamLog(client, subjects.stream(name), seconds) for name in Streams.__struct_fields__}
        return cls(
            tombstones,
            StoredTombstones(store, keys),
            Purging(Streams(**logs), subjects, Publisher(client, subjects, seconds)),
            Erasing(store, keys),
            settings.requests,
            now,
        )

    async def delete(self, session: str, result_id: str | None) -> int:
        """How many results there were of the session, or 1 for the one. Erasing goes on where it takes long.

        Raises RequestError `unavailable`, whose message says whether it is deleted.
        """
        try:
            ends = await self._purging.ends(session, result_id)
            tombstone = await self._tombstones.bury(session, result_id)
        except PublishError as error:
            log.warning("nothing of session %s is deleted: %s", session, error)
            raise RequestError(
                Code.UNAVAILABLE, "NATS does not answer, so that it is not known to be deleted; try again"
            ) from None
        job = _Job(tombstone, ends)
        log.info("%s is deleted", job, extra=job.about)
        task = self._begin(job)
        try:
            return await self._outcome(job, task)
        finally:
            self._leave(job, task)

    async def _outcome(self, job: _Job, task: "asyncio.Task[None]") -> int:
        """As `delete`, of what is begun."""
        result_id, patience = job.tombstone.result_id, self._settings.delete_seconds
        await asyncio.wait({task}, timeout=patience if result_id is None else min(patience, ENTRIES_SECONDS))
        if not task.done() and not job.count.done():
            waited: set[asyncio.Future[Any]] = {task, job.count}
            await asyncio.wait(waited, timeout=COUNTING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        has_failed = task.done() and (task.cancelled() or task.exception() is not None)
        if job.count.done() and not has_failed:
            return job.count.result()
        moment = format_time(job.tombstone.deleted_at)
        raise RequestError(
            Code.UNAVAILABLE,
            f"it was deleted at {moment}, and nothing of it is readable; what storage still has of it is erased as soon"
            " as that can be done",
            deleted_at=moment,
        )

    async def look_for_ever(self) -> None:
        """Take up what nobody works on any more."""
        await look_now_and_then(
            self.look,
            lambda: LOOK_SECONDS,
            lambda error: log.warning("could not look for unfinished deletions: %s", in_words(error)),
        )

    async def look(self) -> None:
        forsaken = to_milliseconds(self._now()) - FORSAKEN_SECONDS * 1000
        for tombstone in self._tombstones.unfinished():
            if tombstone.told_at > forsaken or len(self._tasks) >= MOST_TAKEN_UP:
                return
            try:
                mine = await self._tombstones.advance(tombstone, tombstone.stage)
            except Superseded:
                continue
            job = _Job(mine, None)
            log.warning("the deletion of %s was not finished; it is taken up", job, extra=job.about)
            self._begin(job)

    async def close(self) -> None:
        """Stop; what is unfinished is taken up by another."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _leave(self, job: _Job, task: "asyncio.Task[None]") -> None:
        """Let it go on without a request that waits: so many at a time, however many are asked for."""
        if task.done():
            return
        if len(self._left) >= MOST_LEFT:
            if (count := self._troubles.add("left", asyncio.get_running_loop().time())) is not None:
                log.warning("too many deletions are unfinished here: %d are taken up again later", count)
            task.cancel()
            return
        self._left.add(task)
        task.add_done_callback(self._left.discard)

    def _begin(self, job: _Job) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._carry_out(job))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # told already

    async def _carry_out(self, job: _Job) -> None:
        """A session is counted beside the purging: both take a while."""
        counting = asyncio.create_task(self._count(job))
        try:
            try:
                await self._carry_through(job, counting)
            except Superseded:
                log.info("the deletion of %s is another's now", job, extra=job.about)
                await counting
                job.tell(1)
        except (PublishError, StoreError) as error:
            told = "the deletion of %s is not finished, and is taken up again: %s"
            log.warning(told, job, error, extra=job.about)
            raise
        except Exception:
            log.exception("the deletion of %s failed, and is tried again", job, extra=job.about)
            raise
        finally:
            counting.cancel()
            await asyncio.gather(counting, return_exceptions=True)

    async def _carry_through(self, job: _Job, counting: "asyncio.Task[None]") -> None:
        """Raises Superseded, PublishError, StoreError."""
        if job.tombstone.stage is Stage.PURGING:
            await self._speaking_of(job, self._purge(job))
            job.tombstone = await self._tombstones.advance(job.tombstone, Stage.ERASING)
        await self._speaking_of(job, self._erase(job, counting))
        await self._tombstones.done(job.tombstone)

    async def _purge(self, job: _Job) -> None:
        one = job.tombstone
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + IN_HAND_SECONDS, _PAUSE_SECONDS
        while loop.time() < until and await self._purging.is_in_hand(one.session, one.result_id, one.deleted_at):
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
        if one.result_id is not None:
            job.places = await self._purging.places(one.session, one.result_id)
        await self._purging.purge(one.session, one.result_id, one.deleted_at, job.ends)

    async def _erase(self, job: _Job, counting: "asyncio.Task[None]") -> None:
        one = job.tombstone
        await self._stored.put(one.session, one.result_id, one.deleted_at)
        if one.result_id is not None:
            async with self._results:
                since = await self._erasing.result(one.session, one.result_id, one.deleted_at)
                job.tell(1)
                await self._erasing.entries(one.session, one.result_id, one.deleted_at, job.places, since)
            return
        await self._erasing.passing(one.session, puts=job.ends is not None)
        await counting
        async with self._sessions:
            await self._erasing.session(one.session, one.deleted_at)

    async def _count(self, job: _Job) -> None:
        """Of a session, and where somebody waits for it; of what another erases by now, what is there still."""
        one = job.tombstone
        if one.result_id is None and job.ends is not None:
            job.tell(await self._erasing.count(one.session, one.deleted_at))

    async def _speaking_of(self, job: _Job, work: Coroutine[Any, Any, None]) -> None:
        """Do the work; where it takes long, say now and then that it goes on. Raises what it raises, and Superseded."""
        task = asyncio.create_task(work)
        try:
            while not (await asyncio.wait({task}, timeout=SPEAK_SECONDS))[0]:
                job.tombstone = await self._tombstones.advance(job.tombstone, job.tombstone.stage)
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
