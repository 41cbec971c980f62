"""Where a synopsis is made, and how long that may take.

Of a small result on the event loop, and of whole JSON as long as that goes fast; of one up to `LARGE_BYTES` on the
threads, of a larger one in a child process: there even a call into C that holds the interpreter's lock delays nobody,
and a crash costs nothing but the synopsis.

Everywhere it has `worker.synopsis_seconds` of CPU, and then a plain synopsis takes its place, whose stub says so. It is
CPU and not time that is counted, so that a busy machine changes no stub: of two workers that decide the same result,
one after the other's death, both come to the same text, but for what is right at the limit. Where they do not, the
first to publish still wins and the other changes nothing; what the ledger has of the stub's length may then be that of
the other text, and off by `stub.max_chars` at most.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec

from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.detection import plain_synopsis
from coatcheck_core.synopsis.effort import OutOfTime, Step
from coatcheck_schemas.synopsis import Synopsis, UnknownFacts, Why
from coatcheck_workers.isolation import IsolatedPool, NoChild, WorkerKilled
from coatcheck_workers.process.recurring import Kind, Recurring

log = logging.getLogger("coatcheck.synopses")

CHILDREN = 2
CHILD_MEMORY_BYTES = 1024**3
"""Of address space: the interpreter has a hundred megabytes of it, a result takes its size and once more."""
IDLE_SECONDS = 300.0
"""To start a child takes as long as a hundred synopses, and it keeps some 40 MB."""


_ANY_JSON = msgspec.json.Decoder(msgspec.Raw)
SOON_SECONDS = 0.004
"""What one result may cost the event loop before the work is begun anew beside it."""


def grace_seconds(synopsis_seconds: float) -> float:
    """How long a child may take in all: it ends its work by itself, unless one call into C does not end."""
    return 2 * synopsis_seconds + 5


class Describing(Protocol):
    """What makes synopses for the flow."""

    def here(self, data: bytes, mime_type: str | None) -> Synopsis:
        """On whichever thread it is called."""

    def soon(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        """On the event loop; None where it would delay that."""

    async def far(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        """Where it delays nobody; None where there is no such place, which says nothing about the result."""


class Unhurried:
    """All of them at once, for as long as it takes."""

    def here(self, data: bytes, mime_type: str | None) -> Synopsis:
        return synopsize(data, mime_type)

    def soon(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        return synopsize(data, mime_type)

    async def far(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        return synopsize(data, mime_type)


class Synopses:
    """Made within the limit, whatever the result; that one was not made is told in sums."""

    def __init__(self, pool: IsolatedPool, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        self._pool = pool
        self._seconds = seconds
        self._loop = loop
        self._recurring = Recurring(log.warning)

    def here(self, data: bytes, mime_type: str | None) -> Synopsis:
        synopsis = synopsize_within(self._seconds, data, mime_type)
        self._tell_of_plain(synopsis)
        return synopsis

    def soon(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        if not _is_json(data):
            return None
        synopsis = synopsize_within(min(SOON_SECONDS, self._seconds), data, mime_type)
        return None if _why(synopsis) == "time_limit" else synopsis

    async def far(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        try:
            synopsis = await self._pool.run(synopsize_within, self._seconds, data, mime_type)
        except WorkerKilled as error:
            self._recurring.happened(Kind("synopses", "WorkerKilled"), f"no synopsis of {len(data)} bytes: {error}")
            return plain_synopsis(data, "time_limit")
        except NoChild as error:
            self._recurring.happened(Kind("synopses", "NoChild"), str(error))
            return None
        self._tell_of_plain(synopsis)
        return synopsis

    def _tell_of_plain(self, synopsis: Synopsis) -> None:
        why = _why(synopsis)
        if why in ("time_limit", "fault"):
            told = f"of a result: a plain one, {why}"
            self._loop.call_soon_threadsafe(partial(self._recurring.happened, Kind("synopses", why), told))


def _is_json(data: bytes) -> bool:
    """What is broken is looked at in many ways, and takes long; that it is whole costs a microsecond for a kilobyte."""
    try:
        _ANY_JSON.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _why(synopsis: Synopsis) -> Why | None:
    return synopsis.facts.why if isinstance(synopsis.facts, UnknownFacts) else None


def synopsize_within(seconds: float, data: bytes, mime_type: str | None) -> Synopsis:
    """The synopsis; a plain one where it takes more CPU than that, or where a fault of ours comes to light."""
    return within(seconds, lambda step: synopsize(data, mime_type, step=step), lambda why: plain_synopsis(data, why))


def within(seconds: float, make: Callable[[Step], Synopsis], plain: Callable[[Why], Synopsis]) -> Synopsis:
    """What `make` gives; it takes the step that ends it after `seconds` of CPU, and `plain` the reason of a fault."""
    end = time.thread_time() + seconds

    def step() -> None:
        if time.thread_time() > end:
            raise OutOfTime

    try:
        return make(step)
    except Exception:
        log.exception("no synopsis, where one is never to fail")
        return plain("fault")
