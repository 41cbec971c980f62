"""Deletions in a simulation: of a session, at a time, with what each worker knows of it, and when.

What erases is no worker's here, and never fails: it stands for those that do it by the same steps. First it is said,
then the streams are purged, then what old there is in the queue is waited for, then storage is erased.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import partial

import msgspec
from tests.support.simulation.streams import Stream, fires_at
from tests.support.simulation.world import World

from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.keys import parse_time_entry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import format_time, to_milliseconds
from coatcheck_workers.streams.arriving import unpack
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.tombstone import NoTombstones, Stage, is_old

HEARD_SECONDS = 0.05
"""A worker that lives knows of a deletion, and how far it is, after this at the latest."""
MOST_WAITED_SECONDS = 300.0
_LOOK_SECONDS = 0.1
_ERASING_SECONDS = 1.0
"""What is found to be old goes so much later: whatever is stored in its place meanwhile goes with it."""


class Heard(NoTombstones):
    """What one worker knows; it hears of each word after a while, and of none that is older than what it knows."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[str, tuple[datetime, Stage]] = dict(world.deleted)

    def hear(self, session: str, word: tuple[datetime, Stage]) -> None:
        seconds = self._world.plan.lag() % HEARD_SECONDS
        self._world.loop.call_later(seconds, self._know, session, word)

    def _know(self, session: str, word: tuple[datetime, Stage]) -> None:
        known = self._known.get(session)
        if known is None or (known[0], _STAGES.index(known[1])) < (word[0], _STAGES.index(word[1])):
            self._known[session] = word

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return self._known[session][0] if session in self._known else None

    def is_being_purged(self, session: str, result_id: str | None = None) -> bool:
        return session in self._known and self._known[session][1] is Stage.PURGING

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        return session in self._known and self._known[session][1] is not Stage.DONE

    async def refused_since(self, session: str, result_id: str | None, received_at: datetime) -> datetime | None:
        moment = self.deleted_at(session)
        return moment if moment is not None and is_old(received_at, moment) else None


_STAGES = list(Stage)


async def delete_session(world: World, session: str, after: float) -> datetime:
    """Delete it after so many seconds; when that was, returned once nothing is left of it."""
    await asyncio.sleep(after)
    before = {name: stream.last_sequence for name, stream in world.streams.items()}
    deleted_at = world.loop.now()
    _say(world, session, (deleted_at, Stage.PURGING))
    for name in ("stubs", "dlq", "chunks", "held"):
        _purge(world, session, name, partial(_is_among, before[name]))
    await asyncio.sleep(HEARD_SECONDS)
    end = world.loop.time() + MOST_WAITED_SECONDS
    while _is_in_the_queue(world, session, deleted_at) and world.loop.time() < end:  # noqa: ASYNC110 - looking costs nothing here
        await asyncio.sleep(_LOOK_SECONDS)
    for name, goes in _SELECTED.items():
        _purge(world, session, name, partial(goes, deleted_at))
    _purge(world, session, "ledger", lambda kept: True)
    _let_fall_due(world, session)
    _say(world, session, (deleted_at, Stage.ERASING))
    await asyncio.sleep(HEARD_SECONDS)
    await _erase(world, session, deleted_at)
    _say(world, session, (deleted_at, Stage.DONE))
    return deleted_at


def _say(world: World, session: str, word: tuple[datetime, Stage]) -> None:
    world.deleted[session] = word
    for worker in world.workers:
        worker.tombstones.hear(session, word)


def _purge(world: World, session: str, name: str, goes: Callable[[Kept], bool]) -> None:
    stream: Stream = world.streams[name]
    for kept in list(stream.messages.values()):
        if _session_of(kept.subject) == session and goes(kept):
            del stream.messages[kept.sequence]


def _let_fall_due(world: World, session: str) -> None:
    """What is held still is of the new life: whoever held it had not heard, and its entry went with the ledger."""
    held = world.streams["held"]
    for kept in [kept for kept in held.messages.values() if _session_of(kept.subject) == session and fires_at(kept)]:
        held.fire(kept.sequence, world.loop.now())


def _session_of(subject: str) -> str:
    pieces = subject.split(".")
    return "" if pieces[1] == "failures" else pieces[2]


def _is_in_the_queue(world: World, session: str, deleted_at: datetime) -> bool:
    waiting = world.streams["results"].messages.values()
    due = [kept for kept in world.streams["held"].messages.values() if ".due." in kept.subject]
    old = [
        *(kept for kept in waiting if is_old(kept.at, deleted_at)),
        *(one for one in due if _held_goes(deleted_at, one)),
    ]
    return any(_session_of(kept.subject) == session for kept in old)


def _is_among(last: int, kept: Kept) -> bool:
    """What has fallen due may be in a worker's hands: it is refused there."""
    return kept.sequence <= last and ".due." not in kept.subject


def _stub_goes(deleted_at: datetime, kept: Kept) -> bool:
    if kept.subject.endswith("-failed"):
        return False
    if ".settled." in kept.subject:
        return True
    return msgspec.json.decode(kept.body, type=StubEvent).created_at <= format_time(deleted_at)


def _letter_goes(deleted_at: datetime, kept: Kept) -> bool:
    return kept.headers["Coat-Reason"] != "deleted" and kept.headers["Coat-Received"] <= format_time(deleted_at)


def _held_goes(deleted_at: datetime, kept: Kept) -> bool:
    try:
        return is_old(unpack(kept.body).received_at, deleted_at)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return is_old(kept.at, deleted_at)


_SELECTED = {"stubs": _stub_goes, "dlq": _letter_goes, "held": _held_goes}


async def _erase(world: World, session: str, deleted_at: datetime) -> None:
    objects: dict[str, bytes] = world.store._objects
    living = {
        one.result_id
        for key, body in objects.items()
        if key.startswith(world.keys.session(session)) and key.endswith("/metadata.json")
        for one in [msgspec.json.decode(body, type=Metadata)]
        if one.created_at > format_time(deleted_at)
    }
    doomed = []
    for key in [key for key in objects if _is_of(world, session, key)]:
        entry = parse_time_entry(key.rpartition("/")[2])
        is_new = entry is not None and entry.milliseconds > to_milliseconds(deleted_at)
        if not is_new and not any(f"/results/{one}/" in key for one in living):
            doomed.append(key)
    await asyncio.sleep(_ERASING_SECONDS)
    for key in doomed:
        await world.store.delete(key)


def _is_of(world: World, session: str, key: str) -> bool:
    is_passing = key.startswith(world.keys.passing()) and f"/{session}/" in key
    return is_passing or key.startswith(world.keys.session(session))
