"""Decide a suspicious result in a process that may die of it, before a worker does."""

import logging
from collections.abc import Callable

import msgspec

from coatcheck_core.decision import Case
from coatcheck_core.layout import layout_of
from coatcheck_core.rules import Rules
from coatcheck_core.settings import Settings
from coatcheck_core.sizes import LARGE_BYTES
from coatcheck_core.stub import styles_of
from coatcheck_core.synopsis.detection import plain_synopsis
from coatcheck_core.tokens import counter
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.said import Said, what_is_said
from coatcheck_schemas.subjects import Subjects
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.flow.delivery import identify_arrived
from coatcheck_workers.isolation import Isolated, NoChild, WorkerKilled
from coatcheck_workers.isolation.synopses import synopsize_within
from coatcheck_workers.streams.arriving import Arrived, pack, unpack
from coatcheck_workers.streams.later import Later

log = logging.getLogger("coatcheck.worker")

TIMEOUT_SECONDS = 20.0
MAX_MEMORY_BYTES = 4 * 1024**3
_PAUSE_SECONDS = 5.0


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """Results that may have killed workers go through here first."""

    isolated: Isolated
    settings: Settings
    max_event_bytes: int

    async def of(self, arrived: Arrived) -> None:
        """Raises WorkerKilled where the process dies of it, Later where there is no process to be had."""
        try:
            settings = msgspec.msgpack.encode(self.settings)
            await self.isolated.run(rehearse, settings, self.max_event_bytes, pack(arrived))
        except NoChild as error:
            raise Later(_PAUSE_SECONDS) from error

    async def said(self, arrived: Arrived) -> Said:
        """What one that kills says of itself, as far as its process lives to tell. Raises Later, as `of` does."""
        try:
            return await self.isolated.run(what_is_said_in, pack(arrived))
        except WorkerKilled as error:
            log.warning("nothing can be told of %r: %s", arrived.subject, error)
            return Said()
        except NoChild as error:
            raise Later(_PAUSE_SECONDS) from error


def what_is_said_in(arrived: bytes) -> Said:
    """In the child."""
    whole = unpack(arrived)
    return what_is_said(whole.headers, whole.body)


def rehearse(settings: bytes, max_event_bytes: int, arrived: bytes) -> None:
    """All that is computed over a result that came in one message. What is merely wrong with it the worker finds.

    Of an upload there is only the event here, and so nothing to find.
    """
    rules = _rules(msgspec.msgpack.decode(settings, type=Settings), max_event_bytes)
    try:
        case = Case(identify_arrived(Subjects(rules.settings.nats.prefix), unpack(arrived)), rules)
        case.entry()
        case.decide()
        case.carry_out("offloaded", "turn_budget")
    except InvalidInput:
        return


def _rules(settings: Settings, max_event_bytes: int) -> Rules:
    count: Callable[[str], int] = counter(settings.budget.unit)

    def synopsize(data: bytes, mime_type: str | None) -> Synopsis:
        """As a worker makes one itself: that of a large result is made where no worker dies of it."""
        if len(data) > LARGE_BYTES:
            return plain_synopsis(data, "time_limit")
        return synopsize_within(settings.worker.synopsis_seconds, data, mime_type)

    return Rules(
        settings=settings,
        keys=Keys(settings.storage.prefix),
        count=count,
        uri=lambda key: key,
        max_event_bytes=max_event_bytes,
        layout=layout_of(settings.storage.layout, Keys(settings.storage.prefix)),
        render=styles_of(settings, log.error),
        synopsize=synopsize,
    )
