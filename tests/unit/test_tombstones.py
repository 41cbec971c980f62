"""What a worker knows of deletions: the moments, the stages, and what comes first of two."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from nats.aio.client import Client
from tests.support.graveyard import SESSION, Graveyard
from tests.support.wait import eventually

from coatcheck_schemas.refs import result_id
from coatcheck_workers.streams import tombstones
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.tombstone import Stage
from coatcheck_workers.streams.tombstones import Superseded, Tombstones

RESULT = result_id("call_1", "0" * 64)
OTHER = result_id("call_1", "1" * 64)
MILLISECOND = timedelta(milliseconds=1)


async def test_a_deletion_is_of_the_moment_at_which_the_stream_took_it() -> None:
    yard = Graveyard()
    tombstone = await yard.worker().bury(SESSION)
    assert tombstone.deleted_at == yard.now
    assert tombstone.stage is Stage.PURGING


async def test_later_words_keep_the_moment() -> None:
    yard = Graveyard()
    mine, other = yard.worker(), yard.worker()
    tombstone = await mine.bury(SESSION)
    moment = yard.now
    yard.pass_seconds(5)
    await mine.advance(tombstone, Stage.ERASING)
    await other.read_on()
    assert other.deleted_at(SESSION) == moment
    assert other.unfinished()[0].told_at > other.unfinished()[0].at


async def test_the_later_of_session_and_result_counts() -> None:
    yard = Graveyard()
    worker = yard.worker()
    await worker.bury(SESSION, RESULT)
    first = yard.now
    yard.pass_seconds(5)
    await worker.bury(SESSION)
    assert worker.deleted_at(SESSION, RESULT) == worker.deleted_at(SESSION) == yard.now > first
    assert worker.deleted_at(SESSION, OTHER) == yard.now


async def test_a_deleted_result_says_nothing_of_its_session_nor_of_others() -> None:
    worker = Graveyard().worker()
    await worker.bury(SESSION, RESULT)
    assert worker.deleted_at(SESSION) is None
    assert worker.deleted_at(SESSION, OTHER) is None
    assert worker.deleted_at(f"{SESSION}=2Eb", RESULT) is None


async def test_what_came_in_the_millisecond_of_the_deletion_is_refused() -> None:
    yard = Graveyard()
    worker = yard.worker()
    moment = (await worker.bury(SESSION)).deleted_at
    assert await worker.refused_since(SESSION, None, moment - MILLISECOND) == moment
    assert await worker.refused_since(SESSION, RESULT, moment + MILLISECOND / 2) == moment
    assert await worker.refused_since(SESSION, RESULT, moment + MILLISECOND) is None


async def test_the_stages_tell_what_new_results_wait_for() -> None:
    worker = Graveyard().worker()
    tombstone = await worker.bury(SESSION)
    assert worker.is_being_purged(SESSION, RESULT)
    assert worker.is_being_erased(SESSION, RESULT)
    tombstone = await worker.advance(tombstone, Stage.ERASING)
    assert not worker.is_being_purged(SESSION, RESULT)
    assert worker.is_being_erased(SESSION, RESULT)
    await worker.done(tombstone)
    assert not worker.is_being_erased(SESSION, RESULT)
    assert worker.unfinished() == []
    assert worker.deleted_at(SESSION) is not None


async def test_of_two_who_erase_one_goes_on() -> None:
    yard = Graveyard()
    mine, other = yard.worker(), yard.worker()
    tombstone = await mine.bury(SESSION)
    await other.read_on()
    await other.advance(other.unfinished()[0], Stage.PURGING)
    with pytest.raises(Superseded):
        await mine.done(tombstone)


async def test_an_older_deletion_never_ends_a_newer_one() -> None:
    yard = Graveyard()
    mine, other = yard.worker(), yard.worker()
    first = await mine.bury(SESSION)
    yard.pass_seconds(1)
    second = await other.bury(SESSION)
    with pytest.raises(Superseded):
        await mine.done(first)
    await mine.read_on()
    assert mine.unfinished() == [second]


async def test_what_was_only_heard_of_waits_until_it_is_read() -> None:
    yard = Graveyard()
    mine, other = yard.worker(), yard.worker()
    await mine.bury(SESSION)
    other.heard(yard.subjects.deleted(SESSION))
    assert other.deleted_at(SESSION) is None
    assert other.is_being_erased(SESSION, RESULT)
    assert not other.is_being_erased(f"{SESSION}2", RESULT)
    assert await other.refused_since(SESSION, RESULT, yard.now) == yard.now


async def test_what_was_heard_of_and_never_stored_is_waited_for_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coatcheck_workers.streams.tombstones.HEARD_SECONDS", 0.0)
    yard = Graveyard()
    worker = yard.worker()
    worker.heard(yard.subjects.deleted(SESSION))
    assert await asyncio.wait_for(worker.refused_since(SESSION, RESULT, yard.now), 60) is None


async def test_what_was_said_while_a_worker_was_cut_off_is_read_before_anything_is_judged() -> None:
    yard = Graveyard()
    mine, other = yard.worker(), yard.worker()
    await mine.bury(SESSION)
    assert await other.refused_since(SESSION, RESULT, yard.now) is None
    other._connections = lambda: 1
    assert await other.refused_since(SESSION, RESULT, yard.now) == yard.now


async def test_each_deletion_is_told_once_and_no_stage() -> None:
    yard = Graveyard()
    worker, told = yard.worker(), list[tuple[str, str | None]]()
    worker.on_buried(lambda session, result: told.append((session, result)))
    await worker.done(await worker.bury(SESSION))
    yard.pass_seconds(1)
    await worker.bury(SESSION, RESULT)
    await worker.bury(SESSION)
    await worker.read_on()
    assert told == [(SESSION, None), (SESSION, RESULT), (SESSION, None)]


async def test_what_a_full_stream_has_let_go_of_is_asked_of_the_store() -> None:
    yard = Graveyard(max_bytes=1000)
    worker = yard.worker()
    old = yard.now
    yard.stored[(SESSION, None)] = old
    yard.pass_seconds(60)
    for number in range(20):
        await worker.bury(f"other-{number}")
    assert await worker.refused_since(SESSION, RESULT, old) == old
    assert await worker.refused_since(SESSION, RESULT, yard.now + MILLISECOND) is None
    assert yard.asked == 1


async def test_what_is_known_is_bounded() -> None:
    worker = Graveyard(max_bytes=1000).worker()
    for number in range(100):
        await worker.bury(f"session-{number}")
    assert len(worker.unfinished()) == 10


async def test_what_is_no_tombstone_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    yard = Graveyard()
    for subject in ("s1", "s1.session.x", "*.session", "s1.result.x", "=41.session", "s1.other"):
        yard.publish(f"coat-internal.deleted.{subject}", b"{}")
    yard.publish(yard.subjects.deleted("s2"), b'{"at": "2026-01-01T00:00:00"}')
    yard.publish(yard.subjects.deleted("s3"), b"no json")
    yard.publish(yard.subjects.deleted("s4"), b"{}")
    worker = yard.worker()
    await worker.read_on()
    assert [one.session for one in worker.unfinished()] == ["s4"]
    assert caplog.text.count("is no tombstone") == 8


class Connected:
    """What is asked of a connection."""

    def __init__(self) -> None:
        self.stats = {"reconnects": 0}
        self.hear: Callable[[Any], Awaitable[None]]

    async def subscribe(self, subject: str, cb: Callable[[Any], Awaitable[None]]) -> None:
        assert subject == "coat-internal.deleted.>"
        self.hear = cb

    async def flush(self) -> None:
        """There at once."""


@asynccontextmanager
async def following(worker: Tombstones) -> AsyncIterator[Connected]:
    connected = Connected()
    await worker.follow(cast(Client, connected))
    task = asyncio.create_task(worker.follow_for_ever())
    yield connected
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_a_worker_hears_of_it_knows_soon_also_where_it_is_stored_later() -> None:
    yard = Graveyard()
    worker = yard.worker()
    async with following(worker) as connected:
        subject = yard.subjects.deleted(SESSION)
        await connected.hear(SimpleNamespace(subject=subject))
        await eventually(lambda: worker.is_being_erased(SESSION))
        yard.publish(subject, b"{}")
        await eventually(lambda: worker.deleted_at(SESSION) == yard.now)


@pytest.mark.parametrize("cause", ["reconnect", "time"])
async def test_what_a_worker_did_not_hear_of_it_knows_after_a_while(
    monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    monkeypatch.setattr(tombstones, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(tombstones, "EACH_SECONDS", 3600 if cause == "reconnect" else 0.02)
    yard = Graveyard()
    worker = yard.worker()
    async with following(worker) as connected:
        yard.publish(yard.subjects.deleted(SESSION), b"{}")
        connected.stats["reconnects"] += cause == "reconnect"
        await eventually(lambda: worker.deleted_at(SESSION) == yard.now)


async def test_a_stream_that_does_not_answer_for_a_while_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tombstones, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(tombstones, "EACH_SECONDS", 0.01)
    monkeypatch.setattr(tombstones, "_PATIENT_PAUSE_SECONDS", 0.01)
    yard = Graveyard()
    worker = yard.worker()
    yard.away.add("deleted")
    asyncio.get_running_loop().call_later(0.05, yard.away.discard, "deleted")
    async with following(worker):
        yard.away.add("deleted")
        asyncio.get_running_loop().call_later(0.05, yard.away.discard, "deleted")
        yard.publish(yard.subjects.deleted(SESSION), b"{}")
        await eventually(lambda: worker.deleted_at(SESSION) == yard.now)


async def test_a_stream_that_never_answers_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tombstones, "PATIENCE_SECONDS", 0.0)
    yard = Graveyard()
    yard.away.add("deleted")
    with pytest.raises(PublishError):
        await yard.worker().follow(cast(Client, Connected()))
