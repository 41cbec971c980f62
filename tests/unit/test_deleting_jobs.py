"""How a deletion is carried out: what it answers, what it goes on with, and who takes it up where it was left."""

import asyncio

import msgspec
import pytest
from tests.support.graveyard import SESSION, Graveyard
from tests.support.originals import BEGIN, Shelf
from tests.support.wait import eventually

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.deleting import deletions as module
from coatcheck_workers.deleting import erasing
from coatcheck_workers.streams.tombstone import Stage
from coatcheck_workers.streams.tombstones import Superseded, Tombstones

RESULT_STUB = f"coat.stubs.{SESSION}.t.call_1-{'0' * 32}"


class World:
    """A session with one result of long before, streams, a store that fails as told, and one worker's knowledge."""

    def __init__(self) -> None:
        self.yard = Graveyard()
        self.yard.now = from_milliseconds(BEGIN + 500_000)
        self.store = FailingStore(MemoryStore())
        self.shelf = Shelf(store=self.store)
        self.tombstones = self.yard.worker()

    def worker(self, tombstones: Tombstones | None = None, **settings: float) -> module.Deletions:
        return self.yard.deletions(self.store, tombstones or self.tombstones, **settings)

    async def keep(self, call: str = "call_1") -> str:
        return (await self.shelf.keep("text", call=call)).rpartition("/")[2]

    async def left(self) -> list[str]:
        return [key async for key in self.shelf.store.list("v1/sessions/")]

    async def is_done(self) -> bool:
        await self.tombstones.read_on()
        return not self.tombstones.unfinished()


async def test_a_session_is_counted_erased_and_done() -> None:
    world = World()
    for call in ("a", "b"):
        await world.keep(call)
    assert await world.worker().delete(SESSION, None) == 2
    assert await world.left() == []
    assert await world.is_done()
    assert world.tombstones.deleted_at(SESSION) == world.yard.now


async def test_one_result_is_erased_and_the_others_stay() -> None:
    world = World()
    first, second = await world.keep("a"), await world.keep("b")
    assert await world.worker().delete(SESSION, first) == 1
    assert {key.split("/")[4] for key in await world.left() if "/results/" in key} == {second}
    assert await world.is_done()


async def test_it_notes_in_storage_when_it_was() -> None:
    world = World()
    await world.worker().delete(SESSION, None)
    assert b'"deleted_at":"2026-' in await world.store.get(world.shelf.keys.deleted(SESSION))


async def test_deletions_of_one_session_at_the_same_time_all_end() -> None:
    world = World()
    await world.keep()
    workers = [world.worker(world.yard.worker()) for _ in range(3)]
    counts = await asyncio.gather(*(worker.delete(SESSION, None) for worker in workers for _ in range(3)))
    assert set(counts) <= {0, 1}
    assert await world.left() == []
    await eventually(world.is_done)


async def test_erasing_that_takes_long_has_its_answer_and_goes_on() -> None:
    world = World()
    await world.keep()
    world.store.hang("delete")
    assert await world.worker(delete_seconds=0.05).delete(SESSION, None) == 1
    assert [one.stage for one in world.tombstones.unfinished()] == [Stage.ERASING]
    world.store.heal()
    await eventually(world.is_done)
    assert await world.left() == []


async def test_what_takes_long_is_spoken_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPEAK_SECONDS", 0.01)
    world = World()
    await world.keep()
    world.store.hang("delete")
    await world.worker(delete_seconds=0.05).delete(SESSION, None)
    world.yard.pass_seconds(3600)
    await eventually(lambda: all(one.told_at > one.at for one in world.tombstones.unfinished()))
    world.store.heal()
    await eventually(world.is_done)


async def test_without_the_store_it_is_deleted_all_the_same_and_erased_later() -> None:
    world = World()
    await world.keep()
    world.yard.publish(RESULT_STUB, b"{}")
    world.store.fail()
    worker = world.worker()
    with pytest.raises(RequestError) as refused:
        await worker.delete(SESSION, None)
    assert refused.value.code == "unavailable"
    assert refused.value.details["deleted_at"] in refused.value.message
    assert world.tombstones.deleted_at(SESSION) == world.yard.now
    assert world.yard.kept() == set()
    world.store.heal()
    world.yard.pass_seconds(60)
    await worker.look()
    await eventually(world.is_done)
    assert await world.left() == []


@pytest.mark.parametrize("stream", ["stubs", "held"])
async def test_without_a_stream_nothing_is_said_to_be_deleted(stream: str) -> None:
    world = World()
    await world.keep()
    before = await world.left()
    world.yard.away = {stream, "deleted"}
    with pytest.raises(RequestError) as refused:
        await world.worker().delete(SESSION, None)
    assert refused.value.code == "unavailable"
    assert "deleted_at" not in refused.value.details
    assert await world.left() == before


@pytest.mark.parametrize("stage", ["purge", "session", "count", "passing"])
async def test_what_one_has_left_another_takes_up(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    world = World()
    await world.keep()
    world.yard.publish(RESULT_STUB, b"{}")
    dying, hanging = world.worker(), asyncio.Event()

    async def hang(*_: object, **__: object) -> None:
        hanging.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(dying._purging if stage == "purge" else dying._erasing, stage, hang)
    request = asyncio.create_task(dying.delete(SESSION, None))
    await hanging.wait()
    await dying.close()
    request.cancel()
    other = world.worker(tombstones := world.yard.worker())
    await tombstones.read_on()
    await other.look()
    assert not other._tasks, "somebody may still be at work"
    world.yard.pass_seconds(60)
    await other.look()
    await eventually(world.is_done)
    assert await world.left() == []
    assert world.yard.kept() == set()


async def test_of_two_who_take_one_up_one_does() -> None:
    world = World()
    await world.tombstones.bury(SESSION)
    workers = [world.worker(world.yard.worker()) for _ in range(2)]
    for worker in workers:
        await worker._tombstones.read_on()
    world.yard.pass_seconds(60)
    await asyncio.gather(*(worker.look() for worker in workers))
    assert sum(len(worker._tasks) for worker in workers) == 1
    await eventually(world.is_done)


async def test_what_is_in_hand_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker is at work on when its session is deleted is purged when it is done."""
    monkeypatch.setattr(module, "IN_HAND_SECONDS", 60.0)
    world = World()
    world.yard.publish("coat.results.s1.t.c", b"{}")
    request = asyncio.create_task(world.worker().delete(SESSION, None))
    await eventually(lambda: world.tombstones.is_being_purged(SESSION))
    await asyncio.wait({request}, timeout=0.1)
    assert not request.done()
    world.yard.publish(RESULT_STUB, b'{"created_at": "2026-01-01T00:00:00.000Z"}')
    world.yard.streams["results"].purge("coat.results.s1.t.c")
    assert await asyncio.wait_for(request, 60) == 0
    assert world.yard.kept() == set()


async def test_what_is_in_hand_for_ever_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_HAND_SECONDS", 0.05)
    world = World()
    world.yard.publish("coat.results.s1.t.c", b"{}")
    assert await asyncio.wait_for(world.worker().delete(SESSION, None), 60) == 0


async def test_a_result_s_places_are_known_by_its_stubs_before_they_are_purged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "MOST_LISTED", 1)
    world = World()
    rid = await world.keep("call_1")
    for number in range(5):
        await world.shelf.keep("other", call=f"c{number}", milliseconds=BEGIN + 10 + number)
        await world.shelf.enter(SESSION, rid, f"t{number}", BEGIN + 100 + number)
        told = {"created_at": format_time(from_milliseconds(BEGIN + 100 + number))}
        world.yard.publish(f"coat.stubs.{SESSION}.t{number}.{rid}", msgspec.json.encode(told))
    world.yard.publish(f"coat.stubs.{SESSION}.odd.{rid}", b"{")
    assert await world.worker().delete(SESSION, rid) == 1
    await eventually(world.is_done)
    assert not [key for key in await world.left() if rid in key]


async def test_a_count_that_fails_when_another_has_taken_over_is_told(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    await world.keep()
    world.store.fail("list", key=lambda key: key.endswith("/by-time/"))
    worker = world.worker()

    async def superseded(*_: object) -> None:
        raise Superseded("another's")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "_purge", superseded)
        with pytest.raises(RequestError) as refused:
            await worker.delete(SESSION, None)
    assert refused.value.code == "unavailable"
    assert [record.levelname for record in caplog.records if "is not finished" in record.message] == ["WARNING"]


async def test_deletions_that_hang_are_left_in_a_bounded_number_and_the_others_are_taken_up_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "MOST_LEFT", 2)
    world = World()
    rids = [await world.keep(f"c{number}") for number in range(6)]
    world.store.hang("put")
    monkeypatch.setattr(module, "COUNTING_SECONDS", 0.01)
    worker = world.worker(delete_seconds=0.05)
    for rid in rids:
        with pytest.raises(RequestError, match="it was deleted at"):
            await worker.delete(SESSION, rid)
    await eventually(lambda: len(worker._tasks) == 2)
    assert sum("too many deletions" in record.message for record in caplog.records) == 1
    assert len(world.tombstones.unfinished()) == 6
    world.store.heal()
    await eventually(lambda: not worker._tasks)
    world.yard.pass_seconds(60)
    await worker.look()
    await eventually(world.is_done)
    assert await world.left() == []
