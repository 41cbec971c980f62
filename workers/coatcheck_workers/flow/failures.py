"""A message's own failures, counted durably: whichever worker it comes to next goes on counting.

Deliveries count for nothing: they also rise for the neighbours of a killed worker.
"""

import logging
from collections import OrderedDict
from datetime import datetime

import msgspec

from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.streams.ports import Log, Publishing
from coatcheck_workers.streams.publishing import PublishError

log = logging.getLogger("coatcheck.failures")

_REMEMBERED = 10_000


class Failures(msgspec.Struct, frozen=True, kw_only=True):
    """Of one message. Only the unexpected ones make it a dead letter: a store that was away long is none of them."""

    first_at: datetime
    store_since: datetime | None = None
    """When object storage first failed it."""
    total: int = 0
    unexpected: int = 0
    killed: int = 0


class FailureLog:
    """One message under `coat-internal.failures.STREAM.SEQ` for each message that has failed, the newest count.

    Where the stream does not answer, what this worker remembers has to do.
    """

    def __init__(self, publisher: Publishing, stream: Log, subjects: Subjects, now: Clock = utc_now) -> None:
        self._publisher = publisher
        self._stream = stream
        self._subjects = subjects
        self._now = now
        self._remembered: OrderedDict[tuple[str, int], Failures] = OrderedDict()

    async def of(self, stream: str, sequence: int) -> Failures | None:
        """None where the message has not failed yet."""
        remembered = self._remembered.get((stream, sequence))
        try:
            kept = await self._stream.last(self._subjects.failures(stream, sequence))
            return remembered if kept is None else msgspec.json.decode(kept.body, type=Failures)
        except (PublishError, msgspec.MsgspecError) as error:
            log.warning("the failures of %s %d cannot be read: %s", stream, sequence, error)
            return remembered

    async def add(
        self, stream: str, sequence: int, *, store: bool = False, unexpected: bool = False, killed: bool = False
    ) -> Failures:
        now = self._now()
        before = await self.of(stream, sequence) or Failures(first_at=now)
        failures = msgspec.structs.replace(
            before,
            store_since=before.store_since or (now if store else None),
            total=before.total + 1,
            unexpected=before.unexpected + unexpected,
            killed=before.killed + killed,
        )
        self._remembered[stream, sequence] = failures
        self._remembered.move_to_end((stream, sequence))
        if len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)
        try:
            await self._publisher.append(self._subjects.failures(stream, sequence), msgspec.json.encode(failures), {})
        except PublishError as error:
            log.warning("the failures of %s %d cannot be written: %s", stream, sequence, error)
        return failures

    def forget(self, stream: str, sequence: int) -> None:
        self._remembered.pop((stream, sequence), None)
